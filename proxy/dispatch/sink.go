package dispatch

import (
	"net/http"
	"time"
)

const (
	// writeLimit ends a client that stopped reading: TCP itself would hold on for a quarter of an hour.
	writeLimit = 30 * time.Second
	// writeRenew is how old the write deadline may get before it is moved on; setting it for every event
	// would cost more than it gives.
	writeRenew = 5 * time.Second
	// sinkSocket is what a socket takes without waiting for the client; smaller answers need no deadline.
	sinkSocket = 64 << 10
)

// sink writes to the client under a rolling deadline.
type sink struct {
	w       http.ResponseWriter
	control *http.ResponseController
	allowed time.Time // when the deadline was last moved; zero: no deadline is set
}

func newSink(w http.ResponseWriter) sink { return sink{w: w, control: http.NewResponseController(w)} }

// allow gives the client writeLimit from now to take what is written next.
func (s *sink) allow(now time.Time) {
	if now.Sub(s.allowed) < writeRenew {
		return
	}
	s.allowed = now
	_ = s.control.SetWriteDeadline(now.Add(writeLimit)) // unsupported only by test recorders, which never block
}

// flush writes b and pushes it to the client.
func (s *sink) flush(b []byte, now time.Time) error {
	s.allow(now)
	if len(b) > 0 {
		if _, err := s.w.Write(b); err != nil {
			return err
		}
	}
	return s.control.Flush()
}

// release takes the deadline off again: the connection may serve further requests, and the server does
// not reset what a handler has set.
func (s *sink) release() {
	if !s.allowed.IsZero() {
		_ = s.control.SetWriteDeadline(time.Time{})
	}
}
