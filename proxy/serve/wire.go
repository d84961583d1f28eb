package serve

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// gather is what is put into one write. What is larger goes out by itself, without a copy.
const gather = 32 << 10

// frames is shared by all wires; its buffers hold nothing between uses.
var frames = sync.Pool{New: func() any { b := make(text, 0, 4<<10); return &b }}

// wire writes an answer without a known length straight to its connection, as net/http would. It is an
// http.ResponseWriter for one goroutine and holds a buffer only while there is something in it.
type wire struct {
	conn   net.Conn
	header http.Header // nil once it is out
	kind   string      // the Content-Type that went out
	last   bool        // the connection ends with the answer
	err    error       // of a write; nothing is written after it
	out    *text       // what has not been written; nil: nothing
}

// Header returns the header; of one that is out, only the Content-Type.
func (w *wire) Header() http.Header {
	if w.header == nil {
		return http.Header{"Content-Type": {w.kind}}
	}
	return w.header
}

// WriteHeader gathers the head of the answer. A second call does nothing.
func (w *wire) WriteHeader(status int) {
	h := w.header
	if h == nil {
		return
	}
	w.last = w.last || h.Get("Connection") == "close"
	if w.last {
		h["Connection"] = []string{"close"}
	}
	delete(h, "Content-Length")
	h["Transfer-Encoding"] = []string{"chunked"}
	h["Date"] = []string{time.Now().UTC().Format(http.TimeFormat)}
	out := w.buffer()
	fmt.Fprintf(out, "HTTP/1.1 %03d %s\r\n", status, http.StatusText(status))
	_ = h.Write(out) // never fails, since text does not
	*out = append(*out, "\r\n"...)
	w.header, w.kind = nil, h.Get("Content-Type")
}

// Write gathers one chunk, after the head if that has not been written.
func (w *wire) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
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
	w.WriteHeader(http.StatusOK)
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
	w.WriteHeader(http.StatusOK)
	out := w.buffer()
	*out = append(*out, "0\r\n\r\n"...)
	return w.FlushError()
}

func (w *wire) push(b []byte) {
	if w.err == nil {
		_, w.err = w.conn.Write(b)
	}
}

func (w *wire) buffer() *text {
	if w.out == nil {
		w.out = frames.Get().(*text)
	}
	return w.out
}

// text is a buffer that a header can be written to.
type text []byte

// Write appends b.
func (t *text) Write(b []byte) (int, error) {
	*t = append(*t, b...)
	return len(b), nil
}

// WriteString appends s.
func (t *text) WriteString(s string) (int, error) {
	*t = append(*t, s...)
	return len(s), nil
}
