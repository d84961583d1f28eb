package wire

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// Reader reads one JSON text. The first fault ends it: from then on nothing is found, and End tells what it was. What it
// returns as bytes refers to the text.
type Reader struct {
	tok     *token.Reader
	path    []step
	dropped []string
	err     *conversation.Error
}

// step is a member of an object, or, without a name, an element of an array.
type step struct {
	name  []byte
	index int
}

// Open starts to read a text, which must not change until Close.
func (r *Reader) Open(text []byte) {
	*r = Reader{tok: token.Open(text), path: r.path[:0]}
	if !utf8.Valid(text) {
		r.err = &conversation.Error{Message: "The body is not UTF-8."}
	}
}

// Close lets go of the text.
func (r *Reader) Close() {
	r.tok.Close()
	clear(r.path[:cap(r.path)]) // whose names are of the text
}

// End reports the fault, if there was any, or that something stands behind the value that was read.
func (r *Reader) End() *conversation.Error {
	if r.err == nil && !r.tok.End() {
		r.err = notJSON()
	}
	return r.err
}

// Failed reports whether there was a fault.
func (r *Reader) Failed() bool { return r.err != nil }

// Dropped returns the pointers to what was dropped.
func (r *Reader) Dropped() []string { return r.dropped }

// Kind returns the kind of the next value: the first byte of its JSON, '0' for numbers; 0: there is none.
func (r *Reader) Kind() byte {
	if r.err != nil {
		return 0
	}
	return byte(r.tok.Kind())
}

// Members consumes an object and yields the name of each member that is not null. The loop's body must consume the value.
func (r *Reader) Members(yield func(name []byte) bool) {
	if !r.expect('{', "must be an object") {
		return
	}
	r.path = append(r.path, step{})
	for quoted := range r.tok.Members {
		name := token.Text(quoted)
		r.path[len(r.path)-1] = step{name: name}
		if r.tok.Kind() == 'n' {
			r.tok.Value()
			continue
		}
		if !yield(name) || r.err != nil {
			return
		}
	}
	r.path = r.path[:len(r.path)-1]
	r.check()
}

// Elements consumes an array and yields the place of each element. The loop's body must consume the element.
func (r *Reader) Elements(yield func(i int) bool) {
	if !r.expect('[', "must be an array") {
		return
	}
	r.path = append(r.path, step{})
	i := 0
	for range r.tok.Elements {
		r.path[len(r.path)-1] = step{index: i}
		if !yield(i) || r.err != nil {
			return
		}
		i++
	}
	r.path = r.path[:len(r.path)-1]
	r.check()
}

// Text consumes a string and returns what it says.
func (r *Reader) Text() []byte {
	if !r.expect('"', "must be a string") {
		return nil
	}
	v := r.Raw()
	if r.err != nil {
		return nil
	}
	return token.Text(v)
}

// String is Text as a value of its own.
func (r *Reader) String() string { return string(r.Text()) }

// Bool consumes true or false.
func (r *Reader) Bool() bool {
	yes := r.Kind() == 't'
	if !yes && !r.expect('f', "must be true or false") {
		return false
	}
	r.Raw()
	return yes
}

// Float consumes a number.
func (r *Reader) Float() float64 {
	if !r.expect('0', "must be a number") {
		return 0
	}
	v := r.Raw()
	if r.err != nil {
		return 0
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		r.Fail("must be a number of ordinary size")
	}
	return f
}

// Int consumes a whole number.
func (r *Reader) Int() int64 {
	if !r.expect('0', "must be a whole number") {
		return 0
	}
	v := r.Raw()
	if r.err != nil {
		return 0
	}
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil {
		r.Fail("must be a whole number")
	}
	return n
}

// Positive consumes a whole number of at least 1.
func (r *Reader) Positive() int64 {
	n := r.Int()
	if n < 1 {
		r.Fail("must be at least 1")
	}
	return n
}

// maxCount is the largest count that every reader of JSON takes exactly.
const maxCount = 1 << 53

// Count consumes a value and returns it if it is a number of tokens, else 0: what upstreams count is not worth an error.
func (r *Reader) Count() int64 {
	f, err := strconv.ParseFloat(string(r.Raw()), 64)
	if err != nil || !(f >= 0 && f <= maxCount) {
		return 0
	}
	return int64(f)
}

// Raw consumes a value and returns it as it is spelled.
func (r *Reader) Raw() jsontext.Value {
	if r.err != nil {
		return nil
	}
	v := r.tok.Value()
	r.check()
	return v
}

// Object consumes an object and returns it as it is spelled.
func (r *Reader) Object() jsontext.Value {
	if !r.expect('{', "must be an object") {
		return nil
	}
	return r.Raw()
}

// Skip consumes a value.
func (r *Reader) Skip() { r.Raw() }

// Drop consumes a value and lists it among what was dropped.
func (r *Reader) Drop() {
	r.Raw()
	r.Lost()
}

// Lost lists the member that is being read among what was dropped.
func (r *Reader) Lost() {
	if r.err == nil && len(r.dropped) < conversation.MaxDropped {
		r.dropped = append(r.dropped, r.pointer())
	}
}

// LostAt is Lost for a member of that name.
func (r *Reader) LostAt(param string) {
	if r.err == nil {
		r.dropped = conversation.Drop(r.dropped, param)
	}
}

// Fail ends the reading with the rule that the member which is being read breaks, such as "must be a string".
func (r *Reader) Fail(rule string) {
	if r.err == nil {
		r.FailAt(r.Param(), rule)
	}
}

// FailAt is Fail for a member of that name.
func (r *Reader) FailAt(param, rule string) {
	if r.err != nil {
		return
	}
	subject := param
	if subject == "" {
		subject = "The body"
	}
	r.err = &conversation.Error{Param: param, Message: subject + " " + rule + "."}
}

// Param names the member that is being read, such as "messages[2].content[0]".
func (r *Reader) Param() string {
	var b []byte
	for _, s := range r.path {
		switch {
		case s.name == nil:
			b = append(strconv.AppendInt(append(b, '['), int64(s.index), 10), ']')
		case len(b) == 0:
			b = append(b, s.name...)
		default:
			b = append(append(b, '.'), s.name...)
		}
	}
	return string(b)
}

// pointer is Param as a JSON pointer.
func (r *Reader) pointer() string {
	var b []byte
	for _, s := range r.path {
		b = append(b, '/')
		if s.name == nil {
			b = strconv.AppendInt(b, int64(s.index), 10)
			continue
		}
		name := bytes.ReplaceAll(s.name, []byte("~"), []byte("~0"))
		b = append(b, bytes.ReplaceAll(name, []byte("/"), []byte("~1"))...)
	}
	return string(b)
}

// expect reports whether the next value begins so, and fails if not: by that rule, or as no JSON.
func (r *Reader) expect(kind byte, rule string) bool {
	got := r.Kind()
	if got == kind {
		return true
	}
	if got == 0 {
		r.Raw() // whose fault says more
	}
	r.Fail(rule)
	return false
}

// check turns a fault of the tokens into the reader's own.
func (r *Reader) check() {
	if r.err == nil && r.tok.Err() != nil {
		r.err = notJSON()
	}
}

func notJSON() *conversation.Error {
	return &conversation.Error{Message: "The body is not valid JSON."}
}
