package sse

import (
	"bytes"
	"encoding/json"
	"io"
)

// dataField is the longest that a data line can put before its value.
const dataField = "data: "

// maxName bounds the event field: names are words.
const maxName = 1 << 10

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	done          = []byte("[DONE]")
)

// parse works through the lines that have been read whole and reports whether an event is complete.
// No byte is searched twice, however short the reads are.
func (r *Reader) parse() bool {
	for r.err == nil && !r.ready {
		if r.skipLF && r.line < r.end {
			r.skipLF = false
			if r.buf[r.line] == '\n' {
				r.line++
			}
		}
		r.lf = seek(r.buf[:r.end], max(r.lf, r.line), '\n')
		r.cr = seek(r.buf[:r.end], max(r.cr, r.line), '\r')
		eol := min(r.lf, r.cr)
		if r.pending()+eol-r.line > r.max+len(dataField) {
			r.err = ErrTooLarge
			break
		}
		if eol == r.end {
			break
		}
		start := r.line
		r.line = eol + 1
		r.skipLF = r.buf[eol] == '\r'
		r.take(start, eol)
	}
	return r.ready
}

// seek returns the index of the first c in b[from:], or len(b).
func seek(b []byte, from int, c byte) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return len(b)
}

// pending returns how many bytes of data the pending event has.
func (r *Reader) pending() int {
	if !r.hasData {
		return 0
	}
	return r.dataEnd - r.data
}

// take handles the line buf[start:end], which is without its line end.
func (r *Reader) take(start, end int) {
	start = r.skipMark(start, end)
	if start < end {
		r.field(start, end)
		return
	}
	if r.pending() > 0 {
		r.ready = true
		return
	}
	r.reset()
}

// skipMark returns where the line buf[start:end] begins once a byte order mark before the first line of
// all is skipped.
func (r *Reader) skipMark(start, end int) int {
	if r.started {
		return start
	}
	r.started = true
	return end - len(bytes.TrimPrefix(r.buf[start:end], byteOrderMark))
}

// field handles a line that is not empty. Comments and the fields id and retry say nothing here.
func (r *Reader) field(start, end int) {
	name, value := r.buf[start:end], end
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		name, value = name[:colon], start+colon+1
		if value < end && r.buf[value] == ' ' {
			value++
		}
	}
	switch string(name) {
	case "data":
		r.addData(value, end)
	case "event":
		if end-value > maxName {
			r.err = ErrTooLarge
			return
		}
		r.names[r.turn] = append(r.names[r.turn][:0], r.buf[value:end]...)
	}
}

// addData appends buf[start:end] to the pending data; what follows the first line moves up to it.
func (r *Reader) addData(start, end int) {
	if !r.hasData {
		r.hasData, r.data, r.dataEnd = true, start, end
	} else {
		r.buf[r.dataEnd] = '\n'
		r.dataEnd += 1 + copy(r.buf[r.dataEnd+1:], r.buf[start:end])
	}
	if r.pending() > r.max {
		r.err = ErrTooLarge
	}
}

// finish decides, once the source has ended, on what has no line end or no blank line yet. It reports
// whether an event or an error is at hand.
func (r *Reader) finish() bool {
	if r.err != nil || r.srcErr == nil {
		return r.err != nil
	}
	if r.err = r.srcErr; r.srcErr != io.EOF {
		return true
	}
	start := r.skipMark(r.line, r.end)
	r.line, r.lf, r.cr = r.end, r.end, r.end
	switch rest := r.buf[start:r.end]; {
	case bytes.HasPrefix(rest, []byte("data:")):
		r.field(start, r.end)
	case len(rest) > 0 && rest[0] != ':':
		r.err = ErrTruncated
	}
	if r.err != io.EOF || r.pending() == 0 {
		return true
	}
	if r.ready = whole(r.buf[r.data:r.dataEnd]); !r.ready {
		r.err = ErrTruncated
	}
	return true
}

// whole reports whether data ends itself, so that nothing of it can be missing.
func whole(data []byte) bool {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, done) {
		return true
	}
	return len(data) > 0 && (data[0] == '{' || data[0] == '[') && json.Valid(data)
}
