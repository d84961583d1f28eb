package token

import (
	"bytes"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// space is the white space of JSON.
const space = " \t\r\n"

// Reader reads one text, whose bytes are not copied and must not change meanwhile. The first fault ends
// it: from then on nothing is found.
type Reader struct {
	text []byte
	src  bytes.Buffer
	dec  jsontext.Decoder
	err  error
}

// readers are between uses here. The decoder itself lets go of buffers that have grown large.
var readers = sync.Pool{New: func() any { return new(Reader) }}

// Open returns a reader at the start of text. The caller closes it.
func Open(text []byte) *Reader {
	r := readers.Get().(*Reader)
	r.reset(text)
	return r
}

// Close lets go of the text. The reader must not be used after it.
func (r *Reader) Close() {
	r.reset(nil)
	readers.Put(r)
}

func (r *Reader) reset(text []byte) {
	r.text, r.err = text, nil
	r.src = *bytes.NewBuffer(text) // of which the decoder takes the bytes as they are
	r.dec.Reset(&r.src, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Kind returns the kind of the next value, or 0 if there is none.
func (r *Reader) Kind() jsontext.Kind {
	if r.err != nil {
		return 0
	}
	return r.dec.PeekKind()
}

// Value consumes the next value and returns it as it is spelled, or nil if there is none. It refers to
// the text.
func (r *Reader) Value() jsontext.Value {
	if r.err != nil {
		return nil
	}
	var v jsontext.Value
	v, r.err = r.dec.ReadValue()
	return v
}

// Members consumes the next value and, if it is an object, yields the name of each of its members, in
// quotes as it is spelled. The loop's body must consume the member's value.
func (r *Reader) Members(yield func(name jsontext.Value) bool) {
	if !r.enter('{') {
		return
	}
	for r.Kind() == '"' {
		name := r.Value()
		if r.err == nil && !yield(name) {
			return
		}
	}
	r.bracket()
}

// Elements consumes the next value and, if it is an array, yields once at each of its elements. The
// loop's body must consume the element.
func (r *Reader) Elements(yield func() bool) {
	if !r.enter('[') {
		return
	}
	for k := r.Kind(); k != 0 && k != ']'; k = r.Kind() {
		if !yield() {
			return
		}
	}
	r.bracket()
}

// enter consumes the opening bracket, or the whole value if it begins with anything else.
func (r *Reader) enter(open jsontext.Kind) bool {
	if r.Kind() != open {
		r.Value()
		return false
	}
	r.bracket()
	return r.err == nil
}

func (r *Reader) bracket() {
	if r.err == nil {
		_, r.err = r.dec.ReadToken()
	}
}

// Offset returns how many bytes of the text have been consumed.
func (r *Reader) Offset() int { return int(r.dec.InputOffset()) }

// End reports whether the whole text has been consumed without a fault.
func (r *Reader) End() bool {
	return r.err == nil && len(bytes.TrimLeft(r.text[r.Offset():], space)) == 0
}

// Err returns the fault: a *jsontext.SyntacticError, io.ErrUnexpectedEOF inside one, or io.EOF.
func (r *Reader) Err() error { return r.err }
