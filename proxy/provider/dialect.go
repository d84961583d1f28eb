package provider

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/sluice-gateway/sluice/core"
)

// Dialect is how upstreams of one kind are reached, whatever they are asked for.
type Dialect struct {
	// URL returns where the endpoint of that path below /v1 is, such as "/chat/completions". Nil: the path is appended to
	// the provider's base URL.
	URL func(t *core.Target, path string) *url.URL
	// Forwarded are the headers of a caller that the upstream gets to see, names canonical. Everything else stays:
	// credentials, cookies, the choice of an organization that belongs to the caller's own account, accepted encodings,
	// which the transport negotiates, and what is meant for one connection.
	Forwarded []string
	// Defaults are sent unless the caller or the provider says otherwise, names canonical.
	Defaults []core.Header
	// Returned are the headers of an answer that a caller gets to see, names canonical, besides those that begin with
	// ReturnedPrefix and those that tell when to try again. The body's length and encoding are the connection's, cookies
	// and the organization's name are the gateway's, and the request id is the gateway's own.
	Returned       []string
	ReturnedPrefix string
	// RequestID is the header by which the upstream names its answer, for its operator.
	RequestID string
}

// ResponseHeaders copies what a caller may see of an upstream's header from src to dst.
func (d *Dialect) ResponseHeaders(dst, src http.Header) {
	for _, name := range retry {
		copyHeader(dst, src, name)
	}
	for _, name := range d.Returned {
		copyHeader(dst, src, name)
	}
	for name := range src {
		if strings.HasPrefix(name, d.ReturnedPrefix) {
			copyHeader(dst, src, name)
		}
	}
}

// retry are the headers by which the SDKs of all vendors decide when to try again, and what kind the answer is of.
var retry = [...]string{"Content-Type", retryAfterHeader, retryAfterMsHeader, "X-Should-Retry"}
