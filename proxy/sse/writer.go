package sse

import "bytes"

const lineEnds = "\r\n"

// AppendEvent appends one event, its blank line included, to dst. An empty name writes no event line;
// a name ends at its first line end. Each line of data becomes a data line of its own, so that a Reader
// gives the same data back with every line end written as LF. Events without data are not events to a
// reader: empty data appends nothing.
func AppendEvent(dst, name, data []byte) []byte {
	if len(data) == 0 {
		return dst
	}
	if name = firstLine(name); len(name) > 0 {
		dst = appendLine(dst, "event: ", name)
	}
	for {
		line := firstLine(data)
		dst = appendLine(dst, "data: ", line)
		if len(line) == len(data) {
			return append(dst, '\n')
		}
		data = skipLineEnd(data[len(line):])
	}
}

// AppendComment appends a comment line with a single line end: a blank line after it would make some
// clients dispatch an event without data. A line end in text is written as a space.
func AppendComment(dst []byte, text string) []byte {
	dst = append(dst, ": "...)
	start := len(dst)
	dst = append(dst, text...)
	for i, c := range dst[start:] {
		if c == '\n' || c == '\r' {
			dst[start+i] = ' '
		}
	}
	return append(dst, '\n')
}

func appendLine(dst []byte, field string, value []byte) []byte {
	dst = append(dst, field...)
	dst = append(dst, value...)
	return append(dst, '\n')
}

// firstLine returns b up to its first line end, or all of it. Two byte searches beat one for a set.
func firstLine(b []byte) []byte {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		b = b[:i]
	}
	if i := bytes.IndexByte(b, '\r'); i >= 0 {
		b = b[:i]
	}
	return b
}

// skipLineEnd drops the line end with which b begins.
func skipLineEnd(b []byte) []byte {
	if bytes.HasPrefix(b, []byte(lineEnds)) {
		return b[len(lineEnds):]
	}
	return b[1:]
}
