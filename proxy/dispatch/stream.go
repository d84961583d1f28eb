package dispatch

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/provider"
	"github.com/sluice-gateway/sluice/proxy/sse"
)

const (
	// holdBack bounds what is kept of a stream before its first content: role-only chunks and such. A
	// stream that talks more than this without content is committed as it is.
	holdBack = 64 << 10
	// flushAt bounds what is gathered of events that arrived together.
	flushAt = 32 << 10
	// drainFor is how long the end of a finished stream is waited for, to get its connection back.
	drainFor = 25 * time.Millisecond
)

// outs is shared by every dispatcher; its buffers hold nothing between uses.
var outs = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// relay is one stream of an upstream on its way to the client. Until committed, nothing has been
// written and everything can still fail over; a new relay is made for each attempt.
type relay struct {
	a         *attempt
	wire      *provider.Wire
	resp      *http.Response // nil once its head has been passed on
	events    *sse.Reader
	event     sse.Event // what was read last, unless that was err
	err       error
	out       []byte // events not written yet, in buf
	buf       *[]byte
	scratch   []byte // one event's data without its usage
	sink      sink
	hideUsage bool // only the gateway asked for usage
	told      int  // how many events have been gathered so far
	parted    bool // the upstream's own last word of a failure has been gathered
	ready     bool // the commit point has been reached
	finished  bool // a finish_reason was seen
	complete  bool // the proper end was seen
	over      bool // everything has been passed on, or
	fault     *fault
}

// hold reads a stream up to its commit point and holds it there for its rest. Until then everything is a fault.
func (a *attempt) hold(resp *http.Response, body io.Reader) *fault {
	r := &relay{a: a, resp: resp, wire: a.asked().Wire, hideUsage: a.asksUsage() && !a.x.call.Envelope.IncludeUsage}
	if a.translation != nil {
		a.translation.begin()
	}
	r.events = sse.NewReader(&pulse{a, body}, a.x.d.MaxEvent)
	defer func() {
		if a.x.held == nil {
			r.close()
		}
	}()
	for !r.ready {
		r.event, r.err = r.events.Next()
		if f := r.take(); f != nil {
			return f
		}
	}
	a.x.held = r
	return nil
}

// rest is the Rest of the stream. This is its commit point.
func (r *relay) rest(w http.ResponseWriter) (onward func() Result) {
	defer func() {
		if onward == nil { // a panic passes through
			r.leave()
		}
	}()
	r.commit(w, time.Now())
	for {
		if r.fault, r.over = r.deliver(); r.over || !r.events.Buffered() {
			return r.onward
		}
		r.event, r.err = r.events.Next()
		if r.fault = r.take(); r.fault != nil {
			r.over = true
			return r.onward
		}
	}
}

func (r *relay) onward() Result {
	defer r.leave()
	if !r.over {
		r.fault = r.pass()
	}
	r.settle(r.fault)
	return r.a.x.result
}

// settle lets go of the upstream before anybody is told how the stream ended.
func (r *relay) settle(f *fault) {
	r.close()
	r.a.hangUp()
	r.a.settle(f)
}

// leave lets go of everything, after a panic too.
func (r *relay) leave() {
	r.close()
	r.a.end()
	r.a.x.releaseProbe()
	r.a.x.ended()
}

// close gives back what the relay has borrowed.
func (r *relay) close() {
	r.events.Close()
	r.release()
}

// commit sends the head of the answer: from here on nothing is tried again.
func (r *relay) commit(w http.ResponseWriter, now time.Time) {
	x := r.a.x
	x.committed = true
	r.a.dog.calm(now, r.a.limits.Idle)
	x.result.Status = r.resp.StatusCode
	h := w.Header()
	x.headers(h)
	r.a.returned(h, r.resp.Header)
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-cache"}
	h["X-Accel-Buffering"] = []string{"no"} // nginx in front of us would gather events
	w.WriteHeader(r.resp.StatusCode)
	r.resp.Header, r.resp.Request = nil, nil // net/http holds the response itself as long as its body
	r.resp, r.sink = nil, newSink(w)
}

// pass relays event by event to the end. An idle stream waits here, so that its stack has to be shallow.
func (r *relay) pass() *fault {
	for {
		r.event, r.err = r.events.Next()
		if f := r.take(); f != nil {
			return f
		}
		if f, over := r.deliver(); over {
			return f
		}
	}
}

// deliver writes what has been gathered, what arrived together in one piece; over says that the stream is.
//
//go:noinline
func (r *relay) deliver() (f *fault, over bool) {
	if !r.complete && r.events.Buffered() && len(r.out) < flushAt {
		return nil, false
	}
	if f := r.flush(); f != nil {
		return f, true
	}
	if r.complete {
		r.a.x.result.Outcome = "ok"
		r.drain()
	}
	return nil, r.complete
}

// pulse notes that the upstream is alive at each read, comments included, once the stream is committed: before
// that only content counts, and pings must not put off the fallback.
type pulse struct {
	a   *attempt
	src io.Reader
}

// Read reads from the upstream.
func (p *pulse) Read(b []byte) (int, error) {
	n, err := p.src.Read(b)
	if n > 0 {
		p.beat()
	}
	return n, err
}

// beat stays out of Read, in which idle streams wait.
//
//go:noinline
func (p *pulse) beat() {
	if p.a.x.committed {
		p.a.dog.tick(time.Now())
	}
}

// take takes what was read. A fault ends the stream.
//
//go:noinline
func (r *relay) take() *fault {
	if r.err != nil {
		return r.ended(r.err)
	}
	e := r.event
	chunk := r.wire.Inspect(e.Name, e.Data)
	r.finished = r.finished || chunk.Finished
	if chunk.HasUsage { // counts only grow, and one event may tell what another leaves out
		r.a.usage = Usage{max(r.a.usage.Prompt, chunk.Usage.Prompt), max(r.a.usage.Completion, chunk.Usage.Completion)}
	}
	switch chunk.Kind {
	case provider.Error:
		if chunk.Final && r.a.x.committed && r.a.translation == nil {
			r.append(e.Name, provider.StrikeData(r.a.target, e.Data))
			r.parted = true
		}
		return r.failed(r.a.errorInside(*chunk.Err))
	case provider.Done:
		return r.end(e)
	case provider.Content:
		if r.a.firstToken == 0 {
			r.a.begun(time.Now())
		}
		r.ready = true
	}
	if f := r.write(e, chunk); f != nil {
		return f
	}
	r.ready = r.ready || len(r.out) > holdBack
	return nil
}

// end notes the proper end. A stream without content is an empty completion, which is an answer.
func (r *relay) end(e sse.Event) *fault {
	if r.a.translation == nil {
		r.append(e.Name, e.Data)
		return r.completed()
	}
	over, err := r.translate(e)
	if err != nil || !over && !r.finish() {
		return r.failed(broken(slugBadAnswer, errTranslation, apierror.UpstreamFailed()))
	}
	return r.completed()
}

func (r *relay) completed() *fault {
	r.ready, r.complete = true, true
	r.a.took = time.Since(r.a.start)
	return nil
}

// write gathers an event for the client. Usage that only the gateway asked for is kept from it.
func (r *relay) write(e sse.Event, chunk provider.Event) *fault {
	switch {
	case r.a.translation != nil:
		over, err := r.translate(e)
		if err != nil {
			return r.failed(broken(slugBadAnswer, errTranslation, apierror.UpstreamFailed()))
		}
		if over {
			return r.completed()
		}
		if f := r.keep(); f != nil {
			return r.failed(f)
		}
	case !r.hideUsage:
		r.append(e.Name, e.Data)
	case chunk.Kind != provider.UsageOnly:
		r.scratch = r.wire.AppendWithoutUsage(r.scratch[:0], e.Data)
		r.append(e.Name, r.scratch)
	}
	return nil
}

// append gathers one event. The buffer is held only while there is something in it: an idle stream has none.
func (r *relay) append(name, data []byte) {
	r.open()
	r.out = sse.AppendEvent(r.out, name, data)
	r.told++
}

// open takes a buffer to gather events in.
func (r *relay) open() {
	if r.buf == nil {
		r.buf = outs.Get().(*[]byte)
		r.out = (*r.buf)[:0]
	}
}

func (r *relay) release() {
	if r.buf == nil {
		return
	}
	if cap(r.out) <= 2*flushAt {
		*r.buf = r.out[:0]
		outs.Put(r.buf)
	}
	r.buf, r.out = nil, nil
}

func (r *relay) flush() *fault {
	err := r.sink.flush(r.out)
	r.release()
	if err == nil {
		return nil
	}
	if f := interrupted(r.a.x.ctx, r.a.ctx); f != nil && f.slug != slugClientGone {
		r.a.x.result.Outcome = f.slug
		return f
	}
	r.a.x.result.Outcome = slugClientGone
	return &fault{slug: slugClientGone, cause: err}
}

// drain reads the end of the upstream's body, so that its connection can be used again. An upstream that
// keeps the stream open after its end loses the connection.
func (r *relay) drain() {
	r.a.dog.limit(time.Now().Add(drainFor))
	_, _ = io.CopyN(io.Discard, r.a.answer, 4<<10)
}

// ended handles the end of the upstream's body, which is a proper one only after a finish_reason.
func (r *relay) ended(err error) *fault {
	if errors.Is(err, io.EOF) && r.finished {
		return r.closing()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, sse.ErrTruncated) || errors.Is(err, sse.ErrTooLarge) {
		return r.failed(broken(slugTruncated, err, apierror.UpstreamCut()))
	}
	return r.failed(transportFault(r.a.x.ctx, r.a.ctx, slugTruncated, err))
}

// closing says the closing words that the upstream has left out.
func (r *relay) closing() *fault {
	if r.a.translation == nil {
		r.append(r.wire.EndName, r.wire.End)
		return r.completed()
	}
	if !r.finish() {
		return r.failed(broken(slugTruncated, io.EOF, apierror.UpstreamCut()))
	}
	return r.completed()
}

// failed ends a stream that broke. Once committed, the client gets what came before and one error event,
// and no terminator.
func (r *relay) failed(f *fault) *fault {
	if !r.a.x.committed {
		return f
	}
	x := r.a.x
	x.result.Outcome = f.slug
	if f.slug == slugClientGone {
		return f
	}
	if !r.parted {
		r.out = x.call.Endpoint.Dialect.AppendEvent(r.out, f.public, apierror.Place{RequestID: x.call.RequestID, Sequence: r.told})
	}
	_ = r.sink.flush(r.out) // the client may be gone; there is nobody else to tell
	return f
}
