package serve

import (
	"net"
	"net/http"
	"strconv"
	"sync"
)

// gather is what is put into one write. What is larger goes out by itself, without a copy.
const gather = 32 << 10

// frames is shared by all wires; its buffers hold nothing between uses.
var frames = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// wire writes on with a stream whose head net/http has written, straight to its connection. It is an
// http.ResponseWriter for one goroutine and holds a buffer only while there is something in it.
type wire struct {
	conn net.Conn
	kind string  // the Content-Type of the head
	last bool    // the connection ends with the stream, as its head says
	err  error   // of a write; nothing is written after it
	out  *[]byte // what has not been written; nil: nothing
}

// Header returns what is known of the header that has gone out.
func (w *wire) Header() http.Header { return http.Header{"Content-Type": {w.kind}} }

// WriteHeader does nothing: the head has gone out.
func (w *wire) WriteHeader(int) {}

// Write gathers one chunk.
func (w *wire) Write(b []byte) (int, error) {
	if len(b) == 0 || w.err != nil {
		return 0, w.err
	}
	out := w.buffer()
	*out = append(strconv.AppendInt(*out, int64(len(b)), 16), "\r\n"...)
	if len(b) > gather {
		w.push(*out)
		w.push(b)
		*out = (*out)[:0]
	} else {
		*out = append(*out, b...)
	}
	*out = append(*out, "\r\n"...)
	if w.err == nil && len(*out) > gather {
		w.err = w.FlushError()
	}
	if w.err != nil {
		return 0, w.err
	}
	return len(b), nil
}

// FlushError writes what has been gathered.
func (w *wire) FlushError() error {
	if w.out == nil {
		return w.err
	}
	w.push(*w.out)
	if cap(*w.out) <= 2*gather {
		*w.out = (*w.out)[:0]
		frames.Put(w.out)
	}
	w.out = nil
	return w.err
}

// end writes the end of the answer.
func (w *wire) end() error {
	out := w.buffer()
	*out = append(*out, "0\r\n\r\n"...)
	return w.FlushError()
}

func (w *wire) push(b []byte) {
	if w.err == nil {
		_, w.err = w.conn.Write(b)
	}
}

func (w *wire) buffer() *[]byte {
	if w.out == nil {
		w.out = frames.Get().(*[]byte)
	}
	return w.out
}
