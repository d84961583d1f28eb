package serve

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// Streams are the streams that have left their handlers, and the connections of those that have ended. It is a
// listener as well: it yields such a connection again when the next request begins on it, and the server that
// the streams come from has to serve it. Its methods may be called concurrently.
type Streams struct {
	silence time.Duration // after which a stream leaves its handler
	idle    time.Duration // how long a connection waits for its next request
	conns   chan net.Conn
	closed  chan struct{}

	mu    sync.Mutex
	lines map[*line]struct{}
	cause error         // with which every stream is cut; nil: none is
	none  chan struct{} // closed with the last line; nil: nobody waits for that
	shut  bool          // closed is closed
}

// Silence is a good time after which a stream leaves its handler: tokens follow each other faster, and thousands of
// streams that open and fall silent are not many at one time that have not left.
const Silence = 100 * time.Millisecond

// NewStreams returns Streams that streams join when they have been silent for that long, up to twice as long, and
// whose connections may be idle for that long between two requests.
func NewStreams(silence, idle time.Duration) *Streams {
	return &Streams{silence: silence, idle: idle, conns: make(chan net.Conn), closed: make(chan struct{}), lines: map[*line]struct{}{}}
}

// Accept waits for the next request on a connection whose stream has ended; net.ErrClosed after Close.
func (s *Streams) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Addr is of no use; a listener has one.
func (s *Streams) Addr() net.Addr { return &net.UnixAddr{Name: "streams", Net: "unix"} }

// Close closes the connections on which no stream runs, and from now on each at the end of its stream.
func (s *Streams) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.shut {
		s.shut = true
		close(s.closed)
	}
	for l := range s.lines {
		l.closeIdle()
	}
	return nil
}

// Shutdown does what Close does and waits until all streams have ended, or ctx has: that is its error then.
func (s *Streams) Shutdown(ctx context.Context) error {
	_ = s.Close() // always nil
	none := s.ended()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ended returns what is closed when there is no stream.
func (s *Streams) ended() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.none == nil {
		s.none = make(chan struct{})
	}
	none := s.none
	s.tellLocked()
	return none
}

func (s *Streams) tellLocked() {
	if len(s.lines) == 0 && s.none != nil {
		close(s.none)
		s.none = nil
	}
}

// Cut ends the context of every stream, present and to come, with that cause. They have their last words.
func (s *Streams) Cut(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cause = cause
	for l := range s.lines {
		l.cancel(cause)
	}
}

// errAborted ends the streams that have not even had their last words in time.
var errAborted = errors.New("the connection is closed")

// Abort closes every connection.
func (s *Streams) Abort() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.lines {
		l.cancel(errAborted)
		if l.conn != nil {
			l.conn.Close()
		}
	}
}

// add makes room for a stream, before its connection is taken from the server: one of the two knows of it always.
func (s *Streams) add(cancel context.CancelCauseFunc) *line {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &line{streams: s, cancel: cancel, watched: true}
	s.lines[l] = struct{}{}
	if s.cause != nil {
		cancel(s.cause)
	}
	return l
}

// attach gives a stream its connection, on which those bytes have been read already.
func (s *Streams) attach(l *line, c *conn, ahead []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.conn, l.ahead = c, bytes.TrimLeft(ahead, "\r\n") // stray line ends
}

func (s *Streams) remove(l *line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.lines, l)
	s.tellLocked()
}
