package conversationtest

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// Story is what a stream says, in a form that is the same for all dialects.
type Story struct {
	// Spoken is the text, refusals included, in its order; Thought is what was thought.
	Spoken, Thought string
	// Proofs are the signatures and the sealed thoughts.
	Proofs string
	Calls  []conversation.Call
	Stop   conversation.StopReason
	// Usage is zero where the stream has none.
	Usage conversation.Usage
}

// Frame is one server-sent event.
type Frame struct{ Name, Data string }

// Frames cuts up a stream that a gateway wrote: an optional event line, one data line and a blank line each. ok is
// false if it is anything else.
func Frames(stream string) (frames []Frame, ok bool) {
	for stream != "" {
		block, rest, found := strings.Cut(stream, "\n\n")
		if !found {
			return frames, false
		}
		var f Frame
		if name, data, named := strings.Cut(block, "\n"); named {
			if f.Name, named = strings.CutPrefix(name, "event: "); !named {
				return frames, false
			}
			block = data
		}
		if f.Data, found = strings.CutPrefix(block, "data: "); !found || strings.ContainsAny(f.Data, "\r\n") {
			return frames, false
		}
		frames, stream = append(frames, f), rest
	}
	return frames, true
}
