package conversation

import "strings"

// MaxDropped is how many members a list of what was dropped names at most: a body of nothing but unknown members must
// not become a list of its size.
const MaxDropped = 32

// Error says what of a request cannot be read, or cannot be said in a dialect.
type Error struct {
	// Param names the member of the caller's body as its dialect writes it, such as "messages[2].content[0]"; empty: the
	// body as a whole.
	Param string
	// Message is for the caller: a sentence that names the rule.
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Pointer returns the JSON pointer (RFC 6901) to a member that is written as Param is.
func Pointer(param string) string {
	return "/" + strings.NewReplacer("].", "/", "]", "", "[", "/", ".", "/").Replace(param)
}

// Drop appends the member that Param names to a list of what was dropped, as long as that has room.
func Drop(dropped []string, param string) []string {
	if len(dropped) < MaxDropped {
		dropped = append(dropped, Pointer(param))
	}
	return dropped
}

// Losses are what an encoder could not say of a request.
type Losses struct {
	// Dropped are members that were left out by rule, as JSON pointers, the first MaxDropped of them.
	Dropped []string
	// Err is the first member that must not be left out; nil: there is none.
	Err *Error
}

// Fail notes that the member, which breaks the rule, cannot be said.
func (l *Losses) Fail(param, rule string) {
	if l.Err == nil {
		l.Err = &Error{Param: param, Message: param + " " + rule + "."}
	}
}

// Drop notes that the member is left out.
func (l *Losses) Drop(param string) { l.Dropped = Drop(l.Dropped, param) }
