package provider

import "github.com/sluice-gateway/sluice/proxy/apierror"

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

// Event is what one event of a stream brings.
type Event struct {
	Kind Kind
	// Final: an Error that is the end of the stream in its API's own words, and is passed on as it is once an answer has
	// begun.
	Final bool
	// Finished tells that the answer has come to its end, be it that the stream has not.
	Finished bool
	// HasUsage tells whether Usage was given; "usage": null is not.
	HasUsage bool
	Usage    Usage
	// Err is set if and only if Kind is Error. Its status is derived from what the upstream says. Strike has yet to go
	// over it.
	Err *apierror.Error
}

// Answer is what a whole answer with status 200 brings.
type Answer struct {
	// HasUsage tells whether Usage was given.
	HasUsage bool
	Usage    Usage
	// Err is set if the answer is none: empty, not a JSON object, or the report of an error. Strike has yet to go over
	// it.
	Err *apierror.Error
}

// Usage counts the tokens of an answer. What the upstream does not tell is zero. The counts of one stream only grow, be
// it that one event tells of the prompt and another of the completion.
type Usage struct {
	Prompt, Completion, Total int64
	// Cached is the part of Prompt that came from the upstream's cache; Reasoning is the part of Completion
	// that the caller does not see.
	Cached, Reasoning int64
}

// Wire is how the answers of one endpoint read.
type Wire struct {
	// Check tells whether the body of a 200 is an answer, and its usage.
	Check func(body []byte) Answer
	// Inspect tells what the event of that name and data brings; nil: the endpoint has no streams. It allocates only for
	// errors, for data that is malformed, and for names and words that are written with escapes.
	Inspect func(name, data []byte) Event
	// End is the event that ends a stream whose answer was Finished when the upstream ended it without a word. It is
	// empty where Finished comes with the last event only.
	EndName, End []byte
	// AppendWithoutUsage appends an event's data without its usage to dst: for a caller that did not ask for it when the
	// gateway did. Nil: usage is never asked for, since it always comes or never does.
	AppendWithoutUsage func(dst, data []byte) []byte
}
