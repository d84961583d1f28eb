package envelope

import (
	"bytes"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// Envelope is what the gateway knows of a caller's body.
type Envelope struct {
	// Model is the name that the caller asked for; never empty.
	Model string
	// Stream tells whether the caller wants events. An explicit null counts as false.
	Stream bool
	// IncludeUsage tells whether the caller set stream_options.include_usage to true.
	IncludeUsage bool
	// Needs is what a model must be capable of to answer; never Declared.
	Needs core.Capabilities
	// MaxTokens bounds the answer; 0: the caller sets no bound.
	MaxTokens int64

	raw     []byte
	shape   Shape
	media   int  // bytes of content parts that are no text
	prompt  span // what the user said last; nowhere: nothing
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

// Raw returns the body as it was read. The caller must not change it.
func (e *Envelope) Raw() []byte { return e.raw }

// AllText reports whether the body has no images, audio or files.
func (e *Envelope) AllText() bool { return e.media == 0 }

// TextBytes returns the size of the body without its images, audio and files.
func (e *Envelope) TextBytes() int { return len(e.raw) - e.media }

// Parse reads a body of that shape in one pass. It keeps raw and does not copy it. Every error is an *Error.
func Parse(raw []byte, s Shape) (*Envelope, error) {
	if len(bytes.TrimLeft(raw, space)) == 0 {
		return nil, &Error{Message: "The request body is empty; it must be a JSON object."}
	}
	if !utf8.Valid(raw) {
		return nil, &Error{Message: "The request body is not valid UTF-8."}
	}
	r := token.Open(raw)
	defer r.Close()
	p := parser{e: &Envelope{raw: raw, shape: s}, r: r}
	p.e.members = p.e.room[:0]
	if err := p.body(); err != nil {
		return nil, err
	}
	return p.e, nil
}
