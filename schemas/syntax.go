package schemas

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Limits of the JSON text itself. A resource needs none of them by far; they keep the time of validation
// in proportion to the length of the text, whatever it holds.
const (
	maxDepth          = 16   // nested objects and arrays
	maxWidth          = 1000 // members of one object, items of one array
	maxTokens         = 20_000
	maxNumberLength   = 32 // bytes of a number
	maxExponentDigits = 3
)

// CheckSyntax reports where raw is not strict JSON (RFC 8259, I-JSON): one value, valid UTF-8, no name twice
// in one object whatever its spelling, and within the limits of size, depth, width and length of numbers. Names that
// stand twice and numbers are reported all at once; anything else ends the scan.
func CheckSyntax(raw []byte) []Fault {
	s := scanner{raw: raw, dec: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true))}
	for s.next() && len(s.faults) <= maxFaults {
	}
	return limit(s.faults)
}

const trailing = "there is text after the end of the JSON value"

type scanner struct {
	raw    []byte
	dec    *jsontext.Decoder
	tokens int
	names  []map[string]struct{} // of each open object; nil for an array
	values int                   // read whole at the top level
	faults []Fault
}

// next reads one token and reports whether there is more to read.
func (s *scanner) next() bool {
	token, err := s.dec.ReadToken()
	if err != nil {
		return s.stop(err)
	}
	if s.values > 0 {
		return s.end("trailing-data", trailing)
	}
	if s.tokens++; s.tokens > maxTokens {
		return s.end("size", fmt.Sprintf("the resource has more than %d names and values", maxTokens))
	}
	goOn := s.check(token)
	if s.dec.StackDepth() == 0 {
		s.values++
	}
	return goOn
}

func (s *scanner) check(token jsontext.Token) bool {
	switch token.Kind() {
	case '{', '[':
		return s.open(token.Kind())
	case '}', ']':
		s.names = s.names[:len(s.names)-1]
	case '0':
		s.number(token.String())
	case '"':
		s.name(token)
	}
	return s.narrow()
}

func (s *scanner) open(kind jsontext.Kind) bool {
	var names map[string]struct{}
	if kind == '{' {
		names = map[string]struct{}{}
	}
	s.names = append(s.names, names)
	if len(s.names) > maxDepth {
		return s.end("depth", fmt.Sprintf("objects and arrays nest deeper than %d", maxDepth))
	}
	return true
}

// narrow ends the scan at an object or array that is too wide.
func (s *scanner) narrow() bool {
	depth := s.dec.StackDepth()
	if depth == 0 {
		return true
	}
	kind, n := s.dec.StackIndex(depth)
	if kind == '{' {
		n /= 2
	}
	if n > maxWidth {
		return s.end("width", fmt.Sprintf("an object or array has more than %d entries", maxWidth))
	}
	return true
}

// name reports a member's name that its object has already.
func (s *scanner) name(token jsontext.Token) {
	depth := s.dec.StackDepth()
	if depth == 0 {
		return
	}
	if kind, n := s.dec.StackIndex(depth); kind != '{' || n%2 == 0 {
		return
	}
	seen, name := s.names[depth-1], token.String()
	if _, twice := seen[name]; twice {
		s.add("duplicate-name", "the field "+plain(name)+" stands here twice")
	}
	seen[name] = struct{}{}
}

func (s *scanner) number(text string) {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if len(text) > maxNumberLength || len(strings.TrimLeft(exponent, "+-")) > maxExponentDigits {
		s.add("number", fmt.Sprintf("a number must have at most %d characters and %d digits of exponent (got %s)", maxNumberLength, maxExponentDigits, clip(text)))
	}
}

func (s *scanner) stop(err error) bool {
	if errors.Is(err, io.EOF) && s.values > 0 {
		return false
	}
	if s.values > 0 {
		return s.end("trailing-data", trailing)
	}
	at, why := s.dec.InputOffset(), "the text ends too early"
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, why = e.ByteOffset, reason(e.Err)
	} else if at == 0 {
		why = "there is no value"
	}
	line, column := position(s.raw[:min(at, int64(len(s.raw)))])
	return s.end("syntax", fmt.Sprintf("not valid JSON at line %d, column %d: %s", line, column, why))
}

// reason returns the decoder's words without the piece of the text that they may quote: it may be of a secret.
func reason(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the text ends too early"
	}
	text := err.Error()
	for _, quotation := range []string{" `", ` "`} {
		text, _, _ = strings.Cut(text, quotation)
	}
	return text
}

// position returns the line and column, both from 1, that follow before.
func position(before []byte) (line, column int) {
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return 1 + bytes.Count(before, []byte{'\n'}), 1 + utf8.RuneCount(before[lineStart:])
}

func (s *scanner) end(rule, message string) bool {
	s.add(rule, message)
	return false
}

func (s *scanner) add(rule, message string) {
	s.faults = append(s.faults, Fault{string(s.dec.StackPointer()), rule, message})
}
