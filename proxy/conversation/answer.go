package conversation

// Answer is a whole answer of a model.
type Answer struct {
	ID, Model string
	Parts     []Part
	Stop      Stop
	Usage     Usage
}

// Stop says why an answer ends.
type Stop struct {
	Reason StopReason
	// Sequence is the text at which it ended, of StopSequence; empty: not told.
	Sequence string
	// Unknown is the upstream's word for a reason that is none of these, for the log; empty: it is one of these.
	Unknown string
}

// StopReason is a reason for an answer to end.
type StopReason uint8

// The reasons.
const (
	// StopEnd: the model has said what it had to say. It is also what an unknown reason is taken for.
	StopEnd StopReason = iota
	// StopLength: the bound on tokens or the context window was reached.
	StopLength
	// StopSequence: a stop text was reached.
	StopSequence
	// StopTools: the model waits for the results of its tool calls.
	StopTools
	// StopFilter: a filter or the model itself has refused.
	StopFilter
	// StopPause: the vendor has interrupted a long turn, which the caller may let go on.
	StopPause
)

// Usage counts tokens.
type Usage struct {
	// Input counts all of the prompt, what was Cached of it (read from a cache) and CacheWrites (written to one) included.
	Input, Cached, CacheWrites int64
	// Output counts all of the answer, Thought (of reasoning) included.
	Output, Thought int64
	// Known: the upstream has told.
	Known bool
}
