package serve

import (
	"bufio"
	"context"
	"net/http"
	"runtime/debug"

	"github.com/sluice-gateway/sluice/proxy/dispatch"
)

// detachable reports whether a stream may leave its handler: only where we know how to write on the connection.
func (x *exchange) detachable() bool {
	return x.e.cfg.Streams != nil && x.r.ProtoMajor == 1 && x.r.ProtoMinor >= 1 && x.r.TLS == nil
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

// detach takes the connection from the server and relays the stream on a goroutine that holds a tenth of what the
// server's does. It is false where that cannot be done; nothing has happened then.
func (x *exchange) detach(rest dispatch.Rest) bool {
	if x.untie == nil {
		return false
	}
	l := x.e.cfg.Streams.add(x.cancel)
	c, rw, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		x.e.cfg.Streams.remove(l)
		return false
	}
	x.untie()
	x.e.cfg.Streams.attach(l, own(c), buffered(rw.Reader))
	w := &wire{conn: l.conn, header: x.w.Header(), last: x.r.Close}
	x.detached, x.w, x.r, x.state = true, w, nil, nil // an idle stream holds no request
	go l.watch()
	go x.relay(l, w, rest)
	return true
}

// buffered returns a copy of what r has read ahead.
func buffered(r *bufio.Reader) []byte {
	ahead, _ := r.Peek(r.Buffered()) // as much is there
	return append([]byte(nil), ahead...)
}

// relay brings a detached stream to its end. Little stands on its stack while it waits.
func (x *exchange) relay(l *line, w *wire, rest dispatch.Rest) {
	defer x.leave(l, w)
	x.done.Result = rest(w)
}

// leave reports a detached stream, after a panic too, and leaves the connection to the next request if it can.
func (x *exchange) leave(l *line, w *wire) {
	defer l.free()
	if p := recover(); p != nil {
		x.recovered(p)
	}
	if !x.told() || x.done.Result.Outcome == outcomeAbort || w.end() != nil || w.last {
		l.conn.Close()
		return
	}
	l.park()
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
