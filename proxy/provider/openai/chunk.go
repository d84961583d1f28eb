package openai

import (
	"bytes"

	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// Kind says what an event of a stream brings.
type Kind uint8

// The kinds of events.
const (
	// Meta: a role, an empty delta, anything else that carries nothing of the answer.
	Meta Kind = iota
	// Content: something of the answer; the commit point.
	Content
	// UsageOnly: the extra chunk without choices that ends a stream whose usage was asked for.
	UsageOnly
	// Error: the upstream reports that the answer has failed.
	Error
	// Done: the stream is complete.
	Done
	// Malformed: not a JSON object; relayed as it is, for one bad line does not spoil an answer.
	Malformed
)

// Chunk is what one event brings.
type Chunk struct {
	Kind Kind
	// Finished tells whether a choice has its finish_reason.
	Finished bool
	// HasUsage tells whether Usage was given; "usage": null is not.
	HasUsage bool
	Usage    Usage
	// Err is set if and only if Kind is Error. Its status is derived from what the upstream says.
	Err *apierror.Error
}

var doneMark = []byte("[DONE]")

// Inspect tells what the event of that name and data brings. It allocates only for errors, for data
// that is malformed, and for names and words that are written with escapes.
func Inspect(name, data []byte) Chunk {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, doneMark) {
		return Chunk{Kind: Done}
	}
	w := walk(data)
	switch {
	case w.failed || string(name) == "error" || failedList(data):
		err := streamError(data)
		w.Kind, w.Err = Error, &err
	case !w.whole:
		return Chunk{Kind: Malformed}
	case w.content:
		w.Kind = Content
	case w.HasUsage && !w.choices:
		w.Kind = UsageOnly
	}
	return w.Chunk
}
