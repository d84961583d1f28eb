package sse

import (
	"io"
	"sync"
)

// Sizes of a Reader's buffer. Start: a few events as the vendors send them, so that ten thousand idle streams
// take 10 MiB; what lies behind it has a buffer of its own, and a short read costs no system call. Keep: a
// stream of events up to this size allocates nothing; what an event needed beyond it is let go once the event
// has been read.
const (
	startSize = 1 << 10
	keepSize  = 32 << 10
	// minRead is the room below which a read is not worth its system call.
	minRead = 512
)

// maxEmptyReads ends a source that returns neither bytes nor an error.
const maxEmptyReads = 100

// maxSize is how large the buffer may become: an event, its line's prefix and room to read.
func (r *Reader) maxSize() int { return max(startSize, r.max+len(dataField)+minRead) }

// starts holds buffers of startSize between their readers.
var starts = sync.Pool{New: func() any { return new([startSize]byte) }}

func take(size int) []byte {
	if size == startSize {
		return starts.Get().(*[startSize]byte)[:]
	}
	return make([]byte, size)
}

func give(buf []byte) {
	if len(buf) == startSize {
		starts.Put((*[startSize]byte)(buf))
	}
}

// Close gives the reader's buffer back, and with it the event returned last; Next fails from here on.
// Closing again does nothing. The source stays open.
func (r *Reader) Close() {
	give(r.buf)
	*r = Reader{err: errClosed}
}

// fill reads from the source once. Everything read so far has been parsed, and the event returned last
// is no longer needed.
func (r *Reader) fill() {
	r.makeRoom()
	for range maxEmptyReads {
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		r.srcErr = err
		if n > 0 || err != nil {
			return
		}
	}
	r.srcErr = io.ErrNoProgress
}

// makeRoom moves the pending data and the unfinished line to the front, into a buffer of another size
// when that is called for.
func (r *Reader) makeRoom() {
	need := r.pending() + r.end - r.line + minRead
	size := len(r.buf)
	if need > size {
		size = min(2*size, r.maxSize())
	}
	if size > keepSize && need <= startSize {
		size = startSize
	}
	if size == len(r.buf) && need > minRead && size-r.end >= minRead {
		return
	}
	to := r.buf
	if size != len(r.buf) {
		to = take(size)
		defer give(r.buf)
	}
	n := 0
	if r.hasData {
		n = copy(to, r.buf[r.data:r.dataEnd])
	}
	r.data, r.dataEnd = 0, n
	r.end = n + copy(to[n:], r.buf[r.line:r.end])
	r.buf, r.line, r.lf, r.cr = to, n, r.end, r.end
}
