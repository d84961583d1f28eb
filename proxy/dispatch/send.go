package dispatch

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider/openai"
)

// staleWithin is how soon a kept connection that the upstream has closed shows itself: a round trip. One that
// breaks later may have been worked on, and to send that request again could bill it twice.
const staleWithin = time.Second

// send returns the head of the upstream's answer. A connection that was kept alive may have been closed by
// the upstream just when it was used: that is nobody's fault, and the request is sent once more. An answer
// that has begun, however badly, was this attempt's.
func (a *attempt) send() (*http.Response, error) {
	var reused, answered atomic.Bool // set by the connection's goroutine, which may outlive the exchange
	ctx := httptrace.WithClientTrace(a.ctx, &httptrace.ClientTrace{
		GotConn:              func(c httptrace.GotConnInfo) { reused.Store(c.Reused) },
		GotFirstResponseByte: func() { answered.Store(true) },
	})
	transport := a.x.d.Transport(a.target.Upstream)
	changes := envelope.Options{IncludeUsage: a.target.Upstream.StreamUsage, Changes: a.target.Changes}
	call := openai.Call{
		Target: a.target, Path: "/" + a.x.call.Path, Body: a.x.call.Envelope.Body(a.target.UpstreamModel, changes),
		Stream: a.x.call.Envelope.Stream, Caller: a.x.r.Header, RequestID: a.x.call.RequestID, UserAgent: a.x.d.UserAgent,
	}
	resp, err := transport.RoundTrip(openai.NewRequest(ctx, call))
	stale := reused.Load() && !answered.Load() && time.Since(a.start) < staleWithin
	if err != nil && stale && a.ctx.Err() == nil {
		return transport.RoundTrip(openai.NewRequest(ctx, call))
	}
	return resp, err
}
