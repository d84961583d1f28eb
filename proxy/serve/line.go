package serve

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// line is the connection of a stream that has left its handler. One goroutine relays the stream, another reads:
// the client's leaving ends the stream, and its next request waits for the end of it.
type line struct {
	streams *Streams
	cancel  context.CancelCauseFunc // ends the stream
	conn    *conn
	freed   atomic.Bool // one of the two goroutines has ended

	mu      sync.Mutex
	ahead   []byte // of the next request, as far as it has been read
	next    [1]byte
	watched bool // the reading goroutine has not heard of anything yet
	gone    bool // the client has left
	parked  bool // the stream has ended, and the reader has the connection
}

// strayEnds is how many CR and LF are passed over behind a question, as many as net/http passes over after a POST:
// it would not know that this was one once it has the connection again.
const strayEnds = 4

// watch waits for what the client does next. A client that talks into its stream is not read any further, so
// that nothing has to be kept of what it says: its leaving shows with the next write then.
func (l *line) watch() {
	n, err := l.conn.Read(l.next[:])
	for passed := 0; n == 1 && passed < strayEnds && l.stray(); passed++ {
		n, err = l.conn.Read(l.next[:])
	}
	l.heard(n, err)
}

// stray reports whether what has been read begins no request. Only the reading goroutine changes either field.
func (l *line) stray() bool { return len(l.ahead) == 0 && (l.next[0] == '\r' || l.next[0] == '\n') }

// heard is apart from watch, so that what waits there has a small stack.
//
//go:noinline
func (l *line) heard(n int, err error) {
	defer l.free()
	l.mu.Lock()
	l.watched = false
	l.ahead = append(l.ahead, l.next[:n]...)
	l.gone = err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
	parked := l.parked
	l.mu.Unlock()
	switch {
	case parked && !l.gone && len(l.ahead) > 0:
		l.give()
	case parked:
		l.conn.Close()
	case l.gone:
		l.cancel(nil)
	}
}

// past is a deadline that ends a read at once.
var past = time.Unix(1, 0)

// park leaves the connection, whose stream has ended, to its next request. Whoever reads has it from then on.
func (l *line) park() {
	l.mu.Lock()
	l.parked = true
	watched, gone := l.watched, l.gone
	if watched {
		until := time.Now().Add(l.streams.idle)
		if len(l.ahead) > 0 {
			until = past
		}
		_ = l.conn.SetReadDeadline(until) // on a broken connection the read has ended
	}
	l.mu.Unlock()
	switch {
	case gone:
		l.conn.Close()
	case !watched:
		l.give()
	case l.streams.over():
		l.closeIdle()
	}
}

// over reports whether connections are no longer kept.
func (s *Streams) over() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// closeIdle closes a connection that waits for its next request.
func (l *line) closeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.parked && l.watched {
		l.conn.Close()
	}
}

// give hands the connection to the server, with what has been read of it.
func (l *line) give() {
	_ = l.conn.SetDeadline(time.Time{}) // the server's own read finds what is wrong
	l.conn.ahead = append(l.ahead, l.conn.ahead...)
	select {
	case l.streams.conns <- l.conn:
	case <-l.streams.closed:
		l.conn.Close()
	}
}

// free is called at the end of each of the two goroutines.
func (l *line) free() {
	if !l.freed.CompareAndSwap(false, true) {
		l.streams.remove(l)
	}
}

// own returns the connection as one of ours.
func own(c net.Conn) *conn {
	if ours, ok := c.(*conn); ok {
		return ours
	}
	return &conn{Conn: c}
}
