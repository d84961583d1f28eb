package sse

import (
	"errors"
	"io"
)

// DefaultMax is the largest event that a Reader takes unless told otherwise: a 10 MiB image as base64
// in one event fits.
const DefaultMax = 16 << 20

var (
	// ErrTooLarge means that an event is larger than the reader's limit.
	ErrTooLarge = errors.New("sse: event too large")
	// ErrTruncated means that the stream ended inside an event.
	ErrTruncated = errors.New("sse: stream ended inside an event")

	errClosed = errors.New("sse: reader is closed")
)

// Event is one dispatched event. Its bytes are valid until the next call of Next.
type Event struct {
	// Name is the value of the event field; empty when there was none.
	Name []byte
	// Data is the data lines joined with LF; never empty.
	Data []byte
}

// Reader reads events from a byte stream. It gives the same events however the source is cut into reads,
// and buffers one read of the source or one event, whichever is larger. It is to be closed.
type Reader struct {
	src    io.Reader
	max    int
	srcErr error // what ended src
	err    error // what ends the events; sticky

	// buf[:end] has been read; the line that is being read starts at line; lf and cr are the first LF
	// and CR at or after it, or end. buf[data:dataEnd] is the pending event's data if hasData; it lies
	// before line and behind the data of the event returned last.
	buf           []byte
	end, line     int
	lf, cr        int
	data, dataEnd int
	hasData       bool
	names         [2][]byte // of the pending event and of the one returned last, by turns
	turn          int
	ready         bool // the pending event is complete
	skipLF        bool // the last line ended with CR; an LF right after it is part of that line end
	started       bool // the first line, which may begin with a byte order mark, has been read
}

// NewReader returns a reader of src that refuses events whose data has more than max bytes; a max of
// zero or less is DefaultMax.
func NewReader(src io.Reader, max int) *Reader {
	if max <= 0 {
		max = DefaultMax
	}
	return &Reader{src: src, max: max, buf: take(startSize)}
}

// Next returns the next event that has data. It returns io.EOF at the end of the source, ErrTruncated
// when the source ends inside an event, ErrTooLarge, or the source's own error, and then the same at
// every further call. At the end of the source an event without its blank line is still returned if its
// data is a whole JSON object or array or "[DONE]".
func (r *Reader) Next() (Event, error) {
	for !r.Buffered() {
		r.fill()
	}
	if !r.ready {
		return Event{}, r.err
	}
	ev := Event{Name: r.names[r.turn], Data: r.buf[r.data:r.dataEnd]}
	r.turn ^= 1
	r.reset()
	return ev, nil
}

// Buffered reports whether Next will return without reading from the source, because a further event or
// an error is at hand. The event returned last stays valid.
func (r *Reader) Buffered() bool { return r.ready || r.parse() || r.finish() }

// reset begins a new pending event.
func (r *Reader) reset() {
	r.ready, r.hasData = false, false
	r.names[r.turn] = r.names[r.turn][:0]
}
