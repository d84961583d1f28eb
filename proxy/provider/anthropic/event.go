package anthropic

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/proxy/provider"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// Types of events. Others, "ping" among them, carry nothing of the answer.
const (
	eventBlockDelta = "content_block_delta"
	eventStop       = "message_stop"
	eventError      = "error"
)

// statusOverloaded is what the API answers when it is overloaded.
const statusOverloaded = 529

// walker gathers what matters of an event, or of a whole message.
type walker struct {
	provider.Event
	kind    []byte // its type
	whole   bool   // it is one JSON object
	said    bool   // its delta says something
	failed  bool   // it holds an error
	members int
}

// InspectMessage tells what the event of that name and data brings. It allocates only for errors, for data that is
// malformed, and for names and words that are written with escapes.
func InspectMessage(name, data []byte) provider.Event {
	data = bytes.TrimSpace(data)
	w := walk(data)
	if len(w.kind) == 0 {
		w.kind = name
	}
	switch {
	case w.failed || string(w.kind) == eventError || string(name) == eventError:
		return failure(data)
	case !w.whole:
		return provider.Event{Kind: provider.Malformed}
	case string(w.kind) == eventStop:
		w.Kind = provider.Done
	case string(w.kind) == eventBlockDelta && w.said:
		w.Kind = provider.Content
	}
	return w.Event
}

// failure is an event that reports that the message has failed.
func failure(data []byte) provider.Event {
	err := provider.ErrorInside(data)
	if err.Type == "overloaded_error" {
		err.Status = statusOverloaded
	}
	return provider.Event{Kind: provider.Error, Err: &err}
}

func walk(data []byte) walker {
	r := token.Open(data)
	defer r.Close()
	var w walker
	if r.Kind() == '{' {
		w.object(r)
		w.whole = r.End()
	}
	return w
}

// object walks the event or message itself.
func (w *walker) object(r *token.Reader) {
	for name := range r.Members {
		w.members++
		switch string(token.Text(name)) {
		case "type":
			if v := r.Value(); v.Kind() == '"' {
				w.kind = token.Text(v)
			}
		case "delta":
			w.delta(r)
		case "message":
			w.message(r)
		case "usage":
			w.usage(r)
		case "error":
			w.failed = r.Value().Kind() != 'n' || w.failed
		default:
			r.Value()
		}
	}
}

// message reads the message that the first event holds, empty still.
func (w *walker) message(r *token.Reader) {
	for name := range r.Members {
		if string(token.Text(name)) == "usage" {
			w.usage(r)
		} else {
			r.Value()
		}
	}
}

// delta reads a piece of a block, or what the end of the message changes.
func (w *walker) delta(r *token.Reader) {
	for name := range r.Members {
		v := r.Value()
		switch string(token.Text(name)) {
		case "type":
		case "stop_reason":
			w.Finished = v.Kind() == '"' || w.Finished
		default:
			w.said = says(v) || w.said
		}
	}
}

// says reports whether a value is there and says anything.
func says(v jsontext.Value) bool {
	switch v.Kind() {
	case 0, 'n', 'f':
		return false
	case '"':
		return len(v) > len(`""`)
	}
	return true
}
