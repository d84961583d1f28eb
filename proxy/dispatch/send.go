package dispatch

import (
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

// staleWithin is how soon a kept connection that the upstream has closed shows itself: a round trip. One that
// breaks later may have been worked on, and to send that request again could bill it twice.
const staleWithin = time.Second

// sending is how far a request got on its connections. Their goroutines set it, and may outlive the exchange.
type sending struct {
	reused, answered   atomic.Bool
	connected, written atomic.Int32 // how many times
}

func (s *sending) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              func(c httptrace.GotConnInfo) { s.connected.Add(1); s.reused.Store(c.Reused) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { s.written.Add(1) },
		GotFirstResponseByte: func() { s.answered.Store(true) },
	}
}

// over reports whether no connection reads the request any more.
func (s *sending) over() bool { return s.written.Load() == s.connected.Load() }

// send returns the head of the upstream's answer. A connection that was kept alive may have been closed by
// the upstream just when it was used: that is nobody's fault, and the request is sent once more. An answer
// that has begun, however badly, was this attempt's.
func (a *attempt) send() (*http.Response, error) {
	ctx := httptrace.WithClientTrace(a.ctx, a.sending.trace())
	transport := a.x.d.Transport(a.target.Upstream)
	changes := envelope.Options{IncludeUsage: a.asksUsage(), Changes: a.target.Changes}
	a.body = a.asking().Body(a.target.UpstreamModel, changes)
	call := provider.Call{
		Target: a.target, Path: a.asked().Below, Body: a.body,
		Stream: a.x.call.Envelope.Stream, Caller: a.x.r.Header, RequestID: a.x.call.RequestID, UserAgent: a.x.d.UserAgent,
	}
	resp, err := transport.RoundTrip(a.dialect.NewRequest(ctx, call))
	stale := a.sending.reused.Load() && !a.sending.answered.Load() && time.Since(a.start) < staleWithin
	if err != nil && stale && a.ctx.Err() == nil {
		return transport.RoundTrip(a.dialect.NewRequest(ctx, call))
	}
	return resp, err
}

// asksUsage reports whether the upstream is asked for the usage of a stream. A translation does so by itself.
func (a *attempt) asksUsage() bool {
	return a.target.Upstream.StreamUsage && a.translation == nil && a.x.call.Endpoint.Wire.AppendWithoutUsage != nil
}
