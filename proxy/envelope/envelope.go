package envelope

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Envelope is what the gateway knows of a caller's body.
type Envelope struct {
	// Model is the name that the caller asked for; never empty.
	Model string
	// Stream tells whether the caller wants events. An explicit null counts as false.
	Stream bool
	// IncludeUsage tells whether the caller set stream_options.include_usage to true.
	IncludeUsage bool

	raw     []byte
	model   span
	options span // the value of stream_options
	usage   span // the value of include_usage in it
	members []member
	room    [16]member // of members; more than most bodies have
}

// member is where a top-level member stands: its name with quotes from start to nameEnd, its value up to end.
type member struct{ start, nameEnd, end int }

// span is a half-open range of the body; the zero span is nowhere.
type span struct{ start, end int }

func (s span) present() bool { return s.end > 0 }

// Parse reads a body in one pass. It keeps raw and does not copy it. Every error is an *Error.
func Parse(raw []byte) (*Envelope, error) {
	if len(bytes.TrimLeft(raw, space)) == 0 {
		return nil, &Error{Message: "The request body is empty; it must be a JSON object."}
	}
	if !utf8.Valid(raw) {
		return nil, &Error{Message: "The request body is not valid UTF-8."}
	}
	t := tokenizers.Get().(*tokenizer)
	p := parser{e: &Envelope{raw: raw}, dec: t.read(raw)}
	p.e.members = p.e.room[:0]
	err := p.body()
	t.read(nil) // lets go of raw
	tokenizers.Put(t)
	if err != nil {
		return nil, err
	}
	return p.e, nil
}

// tokenizers are between uses here.
var tokenizers = sync.Pool{New: func() any { return new(tokenizer) }}

type tokenizer struct {
	src bytes.Buffer
	dec jsontext.Decoder
}

// read begins with raw, which the decoder reads in place. It is lenient where the parser checks for
// itself, or an upstream does: repeated names, and escaped lone surrogates, which are JSON and which
// clients send that cut text in the middle of a pair.
func (t *tokenizer) read(raw []byte) *jsontext.Decoder {
	t.src = *bytes.NewBuffer(raw)
	t.dec.Reset(&t.src, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return &t.dec
}
