package token

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Walker walks through a value that a Reader has accepted, at a fraction of what reading costs: it trusts the
// brackets and skips strings whole. In anything that is not valid JSON it finds what it finds, without a panic
// and without end beyond the value's. Its zero value is at the end of nothing.
type Walker struct {
	text []byte
	at   int
}

// Walk returns a walker at the start of a value.
func Walk(v jsontext.Value) Walker { return Walker{text: v} }

// Offset returns how many bytes of the value have been walked over.
func (w *Walker) Offset() int { return w.at }

// Kind returns the first byte of the next value, or the bracket that closes what the walker is in; 0 at the end.
func (w *Walker) Kind() byte {
	for w.at < len(w.text) {
		switch c := w.text[w.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			w.at++
		default:
			return c
		}
	}
	return 0
}

// Value walks over the next value and returns it as it is spelled; empty if there is none.
func (w *Walker) Value() jsontext.Value {
	from, depth := w.at, 0
	for first := true; first || depth > 0; first = false {
		c := w.Kind()
		if first {
			from = w.at
		}
		switch c {
		case '"':
			w.str()
		case '{', '[':
			depth++
			w.at++
		case '}', ']':
			if depth == 0 {
				return nil
			}
			depth--
			w.at++
		case 0:
			return w.text[from:w.at]
		default:
			w.scalar()
		}
	}
	return w.text[from:w.at]
}

// str walks over a string. Its end is the first quote that no backslash escapes.
func (w *Walker) str() {
	w.at++
	for {
		n := bytes.IndexByte(w.text[w.at:], '"')
		if n < 0 {
			w.at = len(w.text)
			return
		}
		end := w.at + n
		w.at = end + 1
		slashes := end
		for slashes > 0 && w.text[slashes-1] == '\\' {
			slashes--
		}
		if (end-slashes)%2 == 0 {
			return
		}
	}
}

// scalar walks over a number or a word.
func (w *Walker) scalar() {
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case ' ', '\t', '\r', '\n', ',', ':', '}', ']', '"', '{', '[':
			return
		}
		w.at++
	}
}

// Members walks over the next value and, if it is an object, yields the name of each of its members, in quotes
// as it is spelled. The loop's body must walk over the member's value.
func (w *Walker) Members(yield func(name jsontext.Value) bool) {
	if !w.enter('{') {
		return
	}
	for w.Kind() == '"' {
		from := w.at
		w.str()
		if !yield(w.text[from:w.at]) {
			return
		}
	}
	w.leave('}')
}

// Elements walks over the next value and, if it is an array, yields once at each of its elements. The loop's
// body must walk over the element.
func (w *Walker) Elements(yield func() bool) {
	if !w.enter('[') {
		return
	}
	for k := w.Kind(); k != 0 && k != ']' && k != '}'; k = w.Kind() {
		if !yield() {
			return
		}
	}
	w.leave(']')
}

func (w *Walker) enter(open byte) bool {
	if w.Kind() != open {
		w.Value()
		return false
	}
	w.at++
	return true
}

func (w *Walker) leave(closing byte) {
	if w.Kind() == closing {
		w.at++
	}
}
