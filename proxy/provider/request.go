package provider

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/envelope"
)

// Call is one attempt: what to send where.
type Call struct {
	Target *core.Target
	// Path is the endpoint below /v1, such as "/chat/completions".
	Path   string
	Body   envelope.Body
	Stream bool
	// Caller is the header of the caller's request; little of it is sent on.
	Caller http.Header
	// RequestID names the caller's request; it must be fit for a header. Empty sends none.
	RequestID string
	// UserAgent names the gateway and its version.
	UserAgent string
}

// NewRequest builds the upstream request of one attempt from nothing but the call. It can be sent again,
// since GetBody is set, and its length is exact.
func (d *Dialect) NewRequest(ctx context.Context, c Call) *http.Request {
	body := c.Body // the transport holds the request for as long as the answer goes on: nothing else of the call
	req := &http.Request{
		Method: http.MethodPost, URL: d.endpoint(c.Target, c.Path),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        d.requestHeader(c),
		Body:          c.Body.Reader(),
		GetBody:       func() (io.ReadCloser, error) { return body.Reader(), nil },
		ContentLength: c.Body.Len(),
	}
	return req.WithContext(ctx)
}

// endpoint returns the URL of an endpoint, with the credential if it belongs into the query.
func (d *Dialect) endpoint(t *core.Target, path string) *url.URL {
	u := Below(t.Upstream.BaseURL, path)
	if d.URL != nil {
		u = d.URL(t, path)
	}
	if name := t.Upstream.Credential.Query; name != "" {
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += url.QueryEscape(name) + "=" + url.QueryEscape(t.Upstream.Credential.Value.Reveal())
	}
	return u
}

// Below returns a new URL: that path, which has no escapes, below base.
func Below(base *url.URL, path string) *url.URL {
	u := *base
	u.Path += path
	if u.RawPath != "" {
		u.RawPath += path
	}
	return &u
}
