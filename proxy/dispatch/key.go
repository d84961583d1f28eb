package dispatch

import (
	"net"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
)

// key returns the hash of what the request says at that place; zero if it says nothing there.
func (x *exchange) key(on *core.HashOn) uint64 {
	var text string
	switch on.Source {
	case core.HashHeader:
		text = x.header(on.Name)
	case core.HashCookie:
		if c, err := x.r.Cookie(on.Name); err == nil {
			text = c.Value
		}
	case core.HashAPIKey:
		text = x.call.Caller
	case core.HashClientIP:
		text = clientAddress(x.r.RemoteAddr)
	}
	if text == "" {
		return 0
	}
	return rank.Hash(text)
}

// header returns the first value of a header by its canonical name. net/http keeps Host apart.
func (x *exchange) header(name string) string {
	if name == "Host" {
		return x.r.Host
	}
	if values := x.r.Header[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// clientAddress is the other end of the connection without its port. X-Forwarded-For is not read: anybody may
// write it.
func clientAddress(remote string) string {
	if host, _, err := net.SplitHostPort(remote); err == nil {
		return host
	}
	return remote
}
