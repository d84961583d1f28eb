package openai

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
	// Path is the endpoint below the provider's base URL, such as "/chat/completions".
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
func NewRequest(ctx context.Context, c Call) *http.Request {
	body := c.Body // the transport holds the request for as long as the answer goes on: nothing else of the call
	req := &http.Request{
		Method: http.MethodPost, URL: endpoint(c.Target.Upstream, c.Path),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        requestHeader(c),
		Body:          c.Body.Reader(),
		GetBody:       func() (io.ReadCloser, error) { return body.Reader(), nil },
		ContentLength: c.Body.Len(),
	}
	return req.WithContext(ctx)
}

// endpoint joins the path to the base URL and adds the credential if it belongs into the query.
func endpoint(up *core.Upstream, path string) *url.URL {
	u := *up.BaseURL
	u.Path += path
	if u.RawPath != "" {
		u.RawPath += path
	}
	if name := up.Credential.Query; name != "" {
		u.RawQuery = url.QueryEscape(name) + "=" + url.QueryEscape(up.Credential.Value.Reveal())
	}
	return &u
}
