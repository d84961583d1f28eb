package serve

import (
	"bufio"
	"context"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/sluice-gateway/sluice/proxy/dispatch"
)

// detachable reports whether a stream may leave its handler: only where we know how to write on the connection.
func (x *exchange) detachable() bool {
	_, flushes := x.w.(flusher)
	return x.e.cfg.Streams != nil && flushes && x.r.ProtoMajor == 1 && x.r.ProtoMinor >= 1 && x.r.TLS == nil
}

// outlive returns the request with a context that does not end with the handler. Whatever else ends the request's
// own ends it: the client's leaving and the server's end, until the stream is detached. Nothing of that context is
// kept for the stream, its values neither.
func (x *exchange) outlive() *http.Request {
	served := x.r.Context()
	ctx, cancel := context.WithCancelCause(context.Background())
	x.ctx, x.cancel = ctx, cancel
	x.untie = context.AfterFunc(served, func() { cancel(context.Cause(served)) })
	return x.r.WithContext(ctx)
}

// stream is one that may leave its handler while it is relayed.
type stream struct {
	x      *exchange
	out    *outlet
	onward func() dispatch.Result
	ended  chan struct{} // closed at the end of a stream that has not left
	line   *line         // of one that has
}

// relay relays a stream. One that falls silent leaves its handler meanwhile, since that holds a multiple of what
// the stream needs; one that flows stays, since to leave costs as much as some events.
func (x *exchange) relay(rest dispatch.Rest) {
	if x.untie == nil {
		x.done.Result = rest(x.w)()
		return
	}
	s := &stream{x: x, out: &outlet{w: x.w.(flusher)}, ended: make(chan struct{})}
	s.onward = rest(s.out)
	x.w = s.out
	go s.run()
	s.attend()
}

// attend waits in the handler until the stream has ended or left.
func (s *stream) attend() {
	wait := time.NewTimer(s.x.e.cfg.Streams.silence)
	defer wait.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-wait.C:
		}
		if s.out.idle() {
			left := s.leaveLocked()
			s.out.mu.Unlock()
			if left {
				return
			}
			<-s.ended // it has to stay
			return
		}
		wait.Reset(s.x.e.cfg.Streams.silence)
	}
}

// leaveLocked takes the connection from the server. It is false where that cannot be done.
func (s *stream) leaveLocked() bool {
	x := s.x
	l := x.e.cfg.Streams.add(x.cancel)
	header := s.out.w.Header()
	c, rw, err := http.NewResponseController(s.out.w).Hijack()
	if err != nil {
		x.e.cfg.Streams.remove(l)
		return false
	}
	x.untie()
	x.e.cfg.Streams.attach(l, own(c), buffered(rw.Reader))
	s.line = l
	s.out.w = &wire{conn: l.conn, kind: header.Get("Content-Type"), last: x.r.Close || header.Get("Connection") == "close"}
	x.detached, x.r, x.state = true, nil, nil // an idle stream holds no request
	go l.watch()
	return true
}

// buffered returns a copy of what r has read ahead.
func buffered(r *bufio.Reader) []byte {
	ahead, _ := r.Peek(r.Buffered()) // as much is there
	return append([]byte(nil), ahead...)
}

// run brings the stream to its end. Little stands on its stack while it waits.
func (s *stream) run() {
	defer s.end()
	s.x.done.Result = s.onward()
}

// end leaves the rest to the handler if that still waits. Else it reports the stream, after a panic too, and leaves
// the connection to the next request if it can.
func (s *stream) end() {
	x := s.x
	if p := recover(); p != nil {
		x.recovered(p)
	}
	w := s.out.end()
	if w == nil {
		close(s.ended)
		return
	}
	defer s.line.free()
	if !x.told() || x.done.Result.Outcome == outcomeAbort || w.end() != nil || w.last {
		s.line.conn.Close()
		return
	}
	s.line.park()
}

// told reports the stream; false when that panicked, which no server would catch here.
func (x *exchange) told() (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			x.e.cfg.Logger.Error("panic after a stream", "request_id", x.id, "panic", p, "stack", string(debug.Stack()))
		}
	}()
	x.report()
	return true
}
