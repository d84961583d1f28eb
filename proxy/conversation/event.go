package conversation

// Event is one step of an answer that comes as a stream. A whole stream is
//
//	Start (Open Delta* Close)* Finish
//
// and nothing after it: parts come one after another, whatever their dialect does; Count may stand anywhere behind Start
// and before Finish. A stream that breaks ends without Finish.
type Event struct {
	Kind EventKind
	// ID and Model of Start.
	ID, Model string
	// Part of Open: its kind, and the id and name of a tool call. Text, arguments and signature come as deltas.
	Part Part
	// Delta of Delta: more of the part's text, or of its call's arguments.
	Delta string
	// Signature of Delta: more of the signature of a Thinking.
	Signature string
	// Stop of Finish.
	Stop Stop
	// Usage of Start, Count and Finish, as far as it is known by then; each replaces the one before.
	Usage Usage
}

// EventKind is a kind of event.
type EventKind uint8

// The kinds of events.
const (
	Start EventKind = iota
	Open
	Delta
	Close
	Count
	Finish
)
