package serve

import (
	"net/http"
	"sync"
)

// outlet is where the relay of a stream writes: to the server's writer at first, to the connection once the stream
// has left its handler. Nobody waits for its lock while a write goes on: whoever wants to detach tries only.
type outlet struct {
	mu      sync.Mutex
	w       flusher
	wrote   bool // since detach was tried last
	pending bool // something has been written and not flushed; the server would lose it
	ended   bool // the stream has, in its handler
}

// flusher is a writer whose flushes can fail.
type flusher interface {
	http.ResponseWriter
	FlushError() error
}

// Header returns the header of the answer.
func (o *outlet) Header() http.Header {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Header()
}

// WriteHeader writes the head of the answer.
func (o *outlet) WriteHeader(status int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wrote, o.pending = true, true
	o.w.WriteHeader(status)
}

// Write writes a piece of the answer.
func (o *outlet) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wrote, o.pending = true, true
	return o.w.Write(b)
}

// FlushError pushes what was written to the client.
func (o *outlet) FlushError() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.w.FlushError()
	o.pending = err != nil
	return err
}

// idle reports whether nothing has been written since it was asked last, and locks the outlet then.
func (o *outlet) idle() bool {
	if !o.mu.TryLock() {
		return false
	}
	if !o.wrote && !o.pending && !o.ended {
		return true
	}
	o.wrote = false
	o.mu.Unlock()
	return false
}

// end tells that the stream has ended, and returns the connection's writer if it has left its handler.
func (o *outlet) end() *wire {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w, left := o.w.(*wire); left {
		return w
	}
	o.ended = true
	return nil
}
