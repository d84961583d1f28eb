package provider

import (
	"context"
	"net/http"

	"github.com/sluice-gateway/sluice/core"
)

// NewCheck builds the request of a health check: a GET of that path below the provider's base URL, with
// the provider's headers and credential.
func (d *Dialect) NewCheck(ctx context.Context, t *core.Target, path, userAgent string) *http.Request {
	req := &http.Request{Method: http.MethodGet, URL: d.endpoint(t, path), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", userAgent)
	for _, h := range d.Defaults {
		req.Header.Set(h.Name, h.Value)
	}
	for _, h := range t.Upstream.Headers {
		req.Header.Set(h.Name, h.Value)
	}
	if name := t.Upstream.Credential.Header; name != "" {
		req.Header.Set(name, t.Upstream.Credential.Value.Reveal())
	}
	return req.WithContext(ctx)
}
