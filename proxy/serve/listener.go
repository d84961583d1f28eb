package serve

import (
	"errors"
	"net"
	"time"
)

const (
	// writeLimit ends a client that stopped reading: TCP itself would hold on for a quarter of an hour.
	writeLimit = 30 * time.Second
	// writeRenew is how old the deadline may get before it is moved on; setting it for every event would
	// cost more than it gives.
	writeRenew = 5 * time.Second
	// writePiece is what has to get through within writeLimit: a client on a slow line that takes a large
	// answer is no client that stopped reading.
	writePiece = 32 << 10
)

// NewListener returns l with connections whose writes fail once the client has taken nothing for half a
// minute, whoever writes and whatever is written. There is no limit on how long an answer takes.
func NewListener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// conn has one writer at a time, as an HTTP/1 connection has.
type conn struct {
	net.Conn
	renewed time.Time // when the write deadline was last moved on; zero: there may be none
	ahead   []byte    // was read before, and is read again first
}

// Read reads what was read ahead, then from the connection.
func (c *conn) Read(b []byte) (int, error) {
	if len(c.ahead) == 0 {
		return c.Conn.Read(b)
	}
	n := copy(b, c.ahead)
	if c.ahead = c.ahead[n:]; len(c.ahead) == 0 {
		c.ahead = nil
	}
	return n, nil
}

// SetDeadline sets both deadlines; the next write sets its own.
func (c *conn) SetDeadline(t time.Time) error {
	c.renewed = time.Time{}
	return c.Conn.SetDeadline(t)
}

// SetWriteDeadline sets the deadline of a write; the next one sets its own. A server does so after each answer.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.renewed = time.Time{}
	return c.Conn.SetWriteDeadline(t)
}

// Write writes piece by piece, each under a deadline of its own.
func (c *conn) Write(b []byte) (written int, err error) {
	for {
		piece := b[written:min(len(b), written+writePiece)]
		if now := time.Now(); now.Sub(c.renewed) > writeRenew {
			c.renewed = now
			if err := c.Conn.SetWriteDeadline(now.Add(writeLimit)); err != nil {
				return written, err
			}
		}
		n, err := c.Conn.Write(piece)
		written += n
		if err != nil || written == len(b) {
			return written, err
		}
	}
}

// CloseWrite ends the sending side alone, so that a client can read what refused its body before the
// connection is reset.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
