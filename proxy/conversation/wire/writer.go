package wire

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Writer appends JSON to what Buf holds. It puts the commas; brackets are the caller's to match.
type Writer struct{ Buf []byte }

// Name begins the member of that name, which needs no escapes, and returns the writer for its value.
func (w *Writer) Name(name string) *Writer {
	w.comma()
	w.Buf = append(append(append(w.Buf, '"'), name...), '"', ':')
	return w
}

// Object opens an object.
func (w *Writer) Object() *Writer { return w.open('{') }

// Array opens an array.
func (w *Writer) Array() *Writer { return w.open('[') }

func (w *Writer) open(bracket byte) *Writer {
	w.comma()
	w.Buf = append(w.Buf, bracket)
	return w
}

// EndObject closes an object.
func (w *Writer) EndObject() { w.Buf = append(w.Buf, '}') }

// EndArray closes an array.
func (w *Writer) EndArray() { w.Buf = append(w.Buf, ']') }

// String writes a string. What is not UTF-8 in it is replaced.
func (w *Writer) String(s string) {
	w.comma()
	w.Buf, _ = jsontext.AppendQuote(w.Buf, s) // the only error is the replacement
}

// Int writes a number.
func (w *Writer) Int(n int64) {
	w.comma()
	w.Buf = strconv.AppendInt(w.Buf, n, 10)
}

// Float writes a number, which must be finite.
func (w *Writer) Float(f float64) {
	w.comma()
	w.Buf = strconv.AppendFloat(w.Buf, f, 'g', -1, 64)
}

// Bool writes true or false.
func (w *Writer) Bool(b bool) {
	w.comma()
	w.Buf = strconv.AppendBool(w.Buf, b)
}

// Raw writes a value as it is spelled; it must not be empty.
func (w *Writer) Raw(v string) {
	w.comma()
	w.Buf = append(w.Buf, v...)
}

// comma writes one unless a value may stand here without: behind an opening bracket, a colon, or at the start, where the
// buffer is empty or holds the beginning of a line.
func (w *Writer) comma() {
	if len(w.Buf) == 0 {
		return
	}
	switch w.Buf[len(w.Buf)-1] {
	case '{', '[', ':', ' ', '\n':
	default:
		w.Buf = append(w.Buf, ',')
	}
}
