package dispatch

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/provider/openai"
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
	a        *attempt
	resp     *http.Response
	events   *sse.Reader
	out      []byte // events not written yet, in buf
	buf      *[]byte
	scratch  []byte // one event's data without its usage
	sink     sink
	finished bool // a finish_reason was seen
}

// stream relays a stream event by event.
func (a *attempt) stream(resp *http.Response, body io.Reader) *fault {
	r := &relay{a: a, resp: resp, sink: newSink(a.x.w)}
	r.events = sse.NewReader(&pulse{r, body}, a.x.d.MaxEvent)
	defer func() {
		r.events.Close()
		r.release()
	}()
	for {
		event, err := r.events.Next()
		now := time.Now()
		if err != nil {
			return r.ended(err, now)
		}
		if f, done := r.event(event, now); done {
			return f
		}
	}
}

// pulse notes that the upstream is alive at each read, comments included, once the stream is committed: before
// that only content counts, and pings must not put off the fallback.
type pulse struct {
	r   *relay
	src io.Reader
}

// Read reads from the upstream.
func (p *pulse) Read(b []byte) (int, error) {
	n, err := p.src.Read(b)
	if n > 0 && p.r.a.x.committed {
		p.r.a.dog.tick(time.Now())
	}
	return n, err
}

// event handles one event; done says that the stream is over.
func (r *relay) event(e sse.Event, now time.Time) (f *fault, done bool) {
	chunk := openai.Inspect(e.Name, e.Data)
	r.finished = r.finished || chunk.Finished
	if chunk.HasUsage {
		r.a.usage = Usage{chunk.Usage.Prompt, chunk.Usage.Completion}
	}
	switch chunk.Kind {
	case openai.Error:
		return r.failed(r.a.errorInside(*chunk.Err)), true
	case openai.Done:
		r.append(nil, e.Data)
		return r.complete(now), true
	case openai.Content:
		if r.a.firstToken == 0 {
			r.a.begun(now)
		}
		if !r.a.x.committed {
			r.commit(now)
		}
	}
	r.write(e, chunk)
	if !r.a.x.committed {
		if len(r.out) > holdBack {
			r.commit(now)
		}
		return nil, false
	}
	if r.events.Buffered() && len(r.out) < flushAt {
		return nil, false
	}
	if f := r.flush(); f != nil {
		return f, true
	}
	return nil, false
}

// write gathers an event for the client. Usage that only the gateway asked for is kept from it.
func (r *relay) write(e sse.Event, chunk openai.Chunk) {
	x := r.a.x
	if !r.a.target.Upstream.StreamUsage || x.call.Envelope.IncludeUsage {
		r.append(e.Name, e.Data)
		return
	}
	if chunk.Kind == openai.UsageOnly {
		return
	}
	r.scratch = openai.AppendWithoutUsage(r.scratch[:0], e.Data)
	r.append(e.Name, r.scratch)
}

// append gathers one event. The buffer is held only while there is something in it: an idle stream has none.
func (r *relay) append(name, data []byte) {
	if r.buf == nil {
		r.buf = outs.Get().(*[]byte)
		r.out = (*r.buf)[:0]
	}
	r.out = sse.AppendEvent(r.out, name, data)
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

// commit sends the head of the answer: from here on nothing is tried again.
func (r *relay) commit(now time.Time) {
	x := r.a.x
	x.committed = true
	r.a.dog.calm(now, r.a.limits.Idle)
	x.result.Status = r.resp.StatusCode
	x.headers()
	h := x.w.Header()
	openai.ResponseHeaders(h, r.resp.Header)
	h["Content-Type"] = []string{"text/event-stream"}
	h["Cache-Control"] = []string{"no-cache"}
	h["X-Accel-Buffering"] = []string{"no"} // nginx in front of us would gather events
	x.w.WriteHeader(r.resp.StatusCode)
}

func (r *relay) flush() *fault {
	err := r.sink.flush(r.out)
	r.release()
	if err == nil {
		return nil
	}
	if f := interrupted(r.a.x.r.Context(), r.a.ctx); f != nil && f.slug != slugClientGone {
		return f
	}
	r.a.x.result.Outcome = slugClientGone
	return &fault{slug: slugClientGone, cause: err}
}

// complete ends a stream that came to its proper end.
func (r *relay) complete(now time.Time) *fault {
	if !r.a.x.committed { // an empty completion, which is an answer
		r.commit(now)
	}
	if f := r.flush(); f != nil {
		return f
	}
	r.a.x.result.Outcome = "ok"
	r.drain()
	return nil
}

// drain reads the end of the upstream's body, so that its connection can be used again. An upstream that
// keeps the stream open after its end loses the connection.
func (r *relay) drain() {
	r.a.dog.limit(time.Now().Add(drainFor))
	_, _ = io.CopyN(io.Discard, r.resp.Body, 4<<10)
}

// ended handles the end of the upstream's body, which is a proper one only after a finish_reason.
func (r *relay) ended(err error, now time.Time) *fault {
	if errors.Is(err, io.EOF) && r.finished {
		r.append(nil, []byte("[DONE]"))
		return r.complete(now)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, sse.ErrTruncated) || errors.Is(err, sse.ErrTooLarge) {
		return r.failed(broken(slugTruncated, err, apierror.UpstreamCut()))
	}
	return r.failed(transportFault(r.a.x.r.Context(), r.a.ctx, slugTruncated, err))
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
	r.out = apierror.AppendOpenAIEvent(r.out, f.public)
	_ = r.sink.flush(r.out) // the client may be gone; there is nobody else to tell
	return f
}
