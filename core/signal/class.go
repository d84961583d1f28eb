package signal

// Class says which of the two times of an upstream is meant. They are never mixed, except that a class
// without samples borrows the other's.
type Class uint8

// The classes.
const (
	// TTFT is the time from the request sent to the first event with content; streams are ranked by it.
	TTFT Class = iota
	// Total is the time from the request sent to the whole answer.
	Total

	classes = 2
)

// other returns the class that c borrows from.
func (c Class) other() Class { return Total - c }

// String names the class as metrics and explanations show it.
func (c Class) String() string {
	if c == TTFT {
		return "ttft"
	}
	return "total"
}
