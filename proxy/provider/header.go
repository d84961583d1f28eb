package provider

import (
	"net/http"
	"net/textproto"
	"strings"
)

// usualHeaders is how many headers most requests have without those of their providers. A map of that size is
// half as large as one of more, and lives as long as the answer.
const usualHeaders = 8

// requestHeader builds the header of an attempt. The provider's own headers come over the gateway's
// defaults, the request id and the loop guard over those, and the credential last.
func (d *Dialect) requestHeader(c Call) http.Header {
	up := c.Target.Upstream
	b := newBuilder(usualHeaders + len(d.Defaults) + len(up.Headers))
	b.set("Content-Type", "application/json")
	b.set("Accept", accept(c.Stream))
	b.set("User-Agent", c.UserAgent)
	for _, h := range d.Defaults {
		b.set(h.Name, h.Value)
	}
	for _, name := range d.Forwarded {
		copyHeader(b.header, c.Caller, name)
	}
	for _, h := range up.Headers {
		b.set(h.Name, h.Value)
	}
	b.set("X-Request-Id", c.RequestID)
	b.set("Via", nextVia(c.Caller))
	if up.Credential.Header != "" {
		b.set(up.Credential.Header, up.Credential.Value.Reveal())
	}
	return b.header
}

// builder makes a header whose values share one array.
type builder struct {
	header http.Header
	values []string
}

func newBuilder(room int) builder {
	return builder{make(http.Header, room), make([]string, 0, room)}
}

// set puts the one value under a canonical name; an empty one leaves the name alone.
func (b *builder) set(name, value string) {
	if value == "" {
		return
	}
	n := len(b.values)
	b.values = append(b.values, value)
	b.header[name] = b.values[n : n+1 : n+1]
}

func accept(stream bool) string {
	if stream {
		return "text/event-stream"
	}
	return "application/json"
}

func copyHeader(dst, src http.Header, name string) {
	if values := src[name]; len(values) > 0 && !perConnection(src, name) {
		dst[name] = values
	}
}

// perConnection reports whether the Connection header says that the header of that name ends here.
func perConnection(h http.Header, name string) bool {
	for _, line := range h["Connection"] {
		for token := range strings.SplitSeq(line, ",") {
			if textproto.CanonicalMIMEHeaderKey(textproto.TrimString(token)) == name {
				return true
			}
		}
	}
	return false
}
