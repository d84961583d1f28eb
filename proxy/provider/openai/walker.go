package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/proxy/provider"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// walker gathers what matters of a chunk or of a whole answer.
type walker struct {
	provider.Event
	whole   bool // it is one JSON object
	choices bool // there is at least one choice
	content bool // one of them says something
	failed  bool // the upstream reports an error
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

// object walks the chunk or answer itself.
func (w *walker) object(r *token.Reader) {
	for name := range r.Members {
		switch string(token.Text(name)) {
		case "choices":
			for range r.Elements {
				w.choices = true
				w.choice(r)
			}
		case "error":
			w.failed = said(r.Value()) || w.failed
		case "usage":
			w.usage(r)
		case "object":
			w.failed = string(r.Value()) == `"error"` || w.failed
		default:
			r.Value()
		}
	}
}

func (w *walker) choice(r *token.Reader) {
	for name := range r.Members {
		switch string(token.Text(name)) {
		case "delta", "message":
			w.delta(r)
		case "text":
			w.content = said(r.Value()) || w.content
		case "finish_reason":
			w.finishReason(r.Value())
		case "error":
			w.failed = said(r.Value()) || w.failed
		default:
			r.Value()
		}
	}
}

// delta looks for the members that carry something of the answer, vendors' own included.
func (w *walker) delta(r *token.Reader) {
	for name := range r.Members {
		switch string(token.Text(name)) {
		case "content", "reasoning_content", "reasoning", "reasoning_details", "refusal",
			"tool_calls", "function_call", "audio", "images":
			w.content = said(r.Value()) || w.content
		default:
			r.Value()
		}
	}
}

// finishReason tells an end from an end by error; some servers send "" for none.
func (w *walker) finishReason(v jsontext.Value) {
	if v.Kind() != '"' {
		return
	}
	switch string(token.Text(v)) {
	case "":
	case "error":
		w.failed = true
	default:
		w.Finished = true
	}
}

// said reports whether a value is there and says anything: it is not null, false, or an empty string,
// object or array.
func said(v jsontext.Value) bool {
	switch v.Kind() {
	case 0, 'n', 'f':
		return false
	case '"':
		return len(v) > len(`""`)
	case '{', '[':
		return len(bytes.TrimSpace(v[1:len(v)-1])) > 0
	}
	return true
}
