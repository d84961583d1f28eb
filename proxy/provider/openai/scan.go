package openai

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
)

// scanner walks one JSON text strictly, in place and without allocating: every event of every stream goes
// through it. After a fault bad stays set and there is nothing more to walk.
//
// Objects and arrays are walked as
//
//	for more := s.enter('{'); more; more = s.next('}') { … one member or element … }
type scanner struct {
	b   []byte
	i   int
	bad bool
}

// maxNesting is far above what any answer has.
const maxNesting = 1000

// peek returns the first byte of the next token, or 0 at the end.
func (s *scanner) peek() byte {
	for ; s.i < len(s.b); s.i++ {
		if c := s.b[s.i]; c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			return c
		}
	}
	return 0
}

func (s *scanner) fail() { s.i, s.bad = len(s.b), true }

// take consumes the one-byte token c, or fails.
func (s *scanner) take(c byte) {
	if s.peek() != c {
		s.fail()
		return
	}
	s.i++
}

// enter consumes the opening bracket and reports whether a member or element follows; if none does, the
// closing one is consumed too. ASCII puts the closing bracket two after the opening one.
func (s *scanner) enter(open byte) bool {
	s.take(open)
	if s.peek() == open+2 {
		s.i++
		return false
	}
	return !s.bad
}

// next consumes what stands between two members or elements, or the closing bracket, and reports whether
// another one follows.
func (s *scanner) next(closing byte) bool {
	switch s.peek() {
	case ',':
		s.i++
		return true
	case closing:
		s.i++
		return false
	}
	s.fail()
	return false
}

// key consumes a member's name and its colon.
func (s *scanner) key() []byte {
	k := s.text()
	s.take(':')
	return k
}

// text consumes a string and returns what it says. It allocates only for strings with escapes.
func (s *scanner) text() []byte {
	raw, escaped := s.str()
	switch {
	case len(raw) < len(`""`):
		return nil
	case !escaped:
		return raw[1 : len(raw)-1]
	}
	var v string
	if err := json.Unmarshal(raw, &v); err != nil {
		s.fail()
	}
	return []byte(v)
}

// str consumes a string and returns it, quotes included, and whether there are escapes in it.
func (s *scanner) str() (raw []byte, escaped bool) {
	if s.peek() != '"' {
		s.fail()
		return nil, false
	}
	start := s.i
	for i := s.plain(start + 1); i < len(s.b); i = s.plain(i) {
		switch s.b[i] {
		case '"':
			s.i = i + 1
			return s.b[start:s.i], escaped
		case '\\':
			escaped = true
			i += 1 + s.escape(i+1)
		default:
			i = len(s.b) // a control character
		}
	}
	s.fail()
	return nil, false
}

// Words of eight equal bytes.
const (
	ones      = 0x0101010101010101
	highs     = ones << 7
	blanks    = ones * ' '
	quotes    = ones * '"'
	backslash = ones * '\\'
)

// plain returns the index of the first byte at or after i that is not plain text inside a string: a quote,
// a backslash or a control character; or len(b). It looks at eight bytes at once. Each difference has its
// lowest high bit in the first byte that matches; what is above it may be wrong, since it borrows.
func (s *scanner) plain(i int) int {
	for ; i+8 <= len(s.b); i += 8 {
		w := binary.LittleEndian.Uint64(s.b[i:])
		q, b := w^quotes, w^backslash
		if m := ((w-blanks)&^w | (q-ones)&^q | (b-ones)&^b) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(s.b); i++ {
		if c := s.b[i]; c < ' ' || c == '"' || c == '\\' {
			break
		}
	}
	return min(i, len(s.b))
}

// escape returns how many bytes follow the backslash before i; after a fault, as many as there are.
func (s *scanner) escape(i int) int {
	if i >= len(s.b) {
		return 0
	}
	switch s.b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 1
	case 'u':
		if i+4 < len(s.b) && isHex(s.b[i+1]) && isHex(s.b[i+2]) && isHex(s.b[i+3]) && isHex(s.b[i+4]) {
			return 5
		}
	}
	return len(s.b) - i
}

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// skip consumes any value and returns it.
func (s *scanner) skip() []byte {
	s.peek()
	start := s.i
	s.value(maxNesting)
	if s.bad {
		return nil
	}
	return s.b[start:s.i]
}

func (s *scanner) value(nesting int) {
	switch c := s.peek(); {
	case c == '"':
		s.str()
	case c == '{' && nesting > 0:
		for more := s.enter('{'); more; more = s.next('}') {
			s.str()
			s.take(':')
			s.value(nesting - 1)
		}
	case c == '[' && nesting > 0:
		for more := s.enter('['); more; more = s.next(']') {
			s.value(nesting - 1)
		}
	case c == 't':
		s.word("true")
	case c == 'f':
		s.word("false")
	case c == 'n':
		s.word("null")
	default:
		s.number()
	}
}

func (s *scanner) word(w string) {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		s.fail()
		return
	}
	s.i += len(w)
}

// number consumes -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?.
func (s *scanner) number() {
	s.optional('-', '-')
	if !s.optional('0', '0') {
		s.digits()
	}
	if s.optional('.', '.') {
		s.digits()
	}
	if s.optional('e', 'E') {
		s.optional('+', '-')
		s.digits()
	}
}

// optional consumes the next byte if it is one of the two.
func (s *scanner) optional(a, b byte) bool {
	if s.i < len(s.b) && (s.b[s.i] == a || s.b[s.i] == b) {
		s.i++
		return true
	}
	return false
}

// digits consumes at least one digit.
func (s *scanner) digits() {
	start := s.i
	for s.i < len(s.b) && isDigit(s.b[s.i]) {
		s.i++
	}
	if s.i == start {
		s.fail()
	}
}

// said consumes a value and reports whether it says anything: it is not null, false, or an empty string,
// object or array.
func (s *scanner) said() bool {
	v := s.skip()
	if len(v) == 0 {
		return false
	}
	switch v[0] {
	case 'n', 'f':
		return false
	case '"':
		return len(v) > len(`""`)
	case '{', '[':
		return len(bytes.TrimSpace(v[1:len(v)-1])) > 0
	}
	return true
}

// end reports whether the whole text has been consumed without a fault.
func (s *scanner) end() bool { return s.peek() == 0 && s.i == len(s.b) && !s.bad }

// said reports whether the whole text says anything.
func said(text []byte) bool {
	s := scanner{b: text}
	return s.said()
}
