package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// question is the body of a call. Members that are not set are left out: some servers refuse null.
type question struct {
	Input          []string `json:"input"`
	Model          string   `json:"model,omitempty"`
	Dimensions     int      `json:"dimensions,omitempty"`
	EncodingFormat string   `json:"encoding_format"`
}

// newRequest builds a call from nothing but the endpoint and the texts.
func newRequest(ctx context.Context, e *Endpoint, texts []string, userAgent string) *http.Request {
	q := question{Input: texts, Model: e.settings.Model, Dimensions: e.settings.Dimensions, EncodingFormat: "float"}
	if e.settings.Deployment {
		q.Model = ""
	}
	body, _ := json.Marshal(q) // of strings and numbers, which does not fail
	req := &http.Request{
		Method: http.MethodPost, URL: e.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        header(e, userAgent),
		Body:          io.NopCloser(bytes.NewReader(body)),
		GetBody:       func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
		ContentLength: int64(len(body)),
	}
	return req.WithContext(ctx)
}

// header builds the header: the provider's own over the gateway's, the credential last.
func header(e *Endpoint, userAgent string) http.Header {
	h := http.Header{}
	h.Set("Accept", "application/json")
	h.Set("User-Agent", userAgent)
	for _, own := range e.settings.Upstream.Headers {
		h.Set(own.Name, own.Value)
	}
	h.Set("Content-Type", "application/json")
	// Without a value it is not sent, but lets the transport send a call again whose kept connection the server has
	// just closed: embedding twice does no harm.
	h["Idempotency-Key"] = nil
	if name := e.settings.Upstream.Credential.Header; name != "" {
		h.Set(name, e.settings.Upstream.Credential.Value.Reveal())
	}
	return h
}
