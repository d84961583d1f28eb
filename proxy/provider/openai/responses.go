package openai

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/proxy/provider"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// Responses is how answers of /responses read. The last of its events tells the usage always; one that ends without
// such an event is broken off.
var Responses = provider.Wire{Check: CheckAnswer, Inspect: InspectResponse}

// Object is how answers read that are one JSON object and never a stream, such as those of /embeddings.
var Object = provider.Wire{Check: CheckAnswer}

// responseEvent is what matters of an event of a response.
type responseEvent struct {
	provider.Event
	kind   []byte         // its type
	delta  bool           // it brings a piece of the answer
	failed bool           // there is an error beside the type
	fault  jsontext.Value // the error of the response inside; nil: none
}

// InspectResponse tells what an event of a streamed response brings. It allocates as little as Inspect.
func InspectResponse(name, data []byte) provider.Event {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, doneMark) {
		return provider.Event{Kind: provider.Done}
	}
	r := token.Open(data)
	defer r.Close()
	var e responseEvent
	if r.Kind() != '{' {
		return stray(name, data)
	}
	e.object(r)
	if !r.End() && !e.failed {
		return stray(name, data)
	}
	if len(e.kind) == 0 {
		e.kind = name
	}
	return e.tell(data)
}

// stray is an event whose data is not an object.
func stray(name, data []byte) provider.Event {
	if string(name) == eventError {
		return failure(data)
	}
	return provider.Event{Kind: provider.Malformed}
}

// Types of events that end a stream.
const (
	eventError      = "error"
	eventCompleted  = "response.completed"
	eventIncomplete = "response.incomplete"
	eventFailed     = "response.failed"
)

func (e *responseEvent) tell(data []byte) provider.Event {
	switch string(e.kind) {
	case eventFailed:
		told := failure(e.fault)
		told.Final, told.HasUsage, told.Usage = true, e.HasUsage, e.Usage
		return told
	case eventError:
		return failure(data)
	case eventCompleted, eventIncomplete:
		e.Kind, e.Finished = provider.Done, true
		return e.Event
	}
	switch {
	case e.failed:
		return failure(data)
	case e.delta:
		e.Kind = provider.Content
	}
	return e.Event
}

// failure is an event that reports that the response has failed. Faults of what was asked for come by names of their own.
func failure(fault []byte) provider.Event {
	err := provider.ErrorInside(fault)
	if err.Status == http.StatusBadGateway && (strings.HasPrefix(err.Code, "invalid_") || strings.HasPrefix(err.Code, "image_")) {
		err.Status = http.StatusBadRequest
	}
	return provider.Event{Kind: provider.Error, Err: &err}
}

func (e *responseEvent) object(r *token.Reader) {
	for name := range r.Members {
		switch string(token.Text(name)) {
		case "type":
			if v := r.Value(); v.Kind() == '"' {
				e.kind = token.Text(v)
			}
		case "delta", "partial_image_b64":
			e.delta = said(r.Value()) || e.delta
		case "error":
			e.failed = said(r.Value()) || e.failed
		case "response":
			e.response(r)
		default:
			r.Value()
		}
	}
}

// response reads the response that the first and the last events hold.
func (e *responseEvent) response(r *token.Reader) {
	for name := range r.Members {
		switch string(token.Text(name)) {
		case "usage":
			if r.Kind() == '{' {
				e.Usage, e.HasUsage = readUsage(r), true
			} else {
				r.Value()
			}
		case "error":
			e.fault = r.Value()
		default:
			r.Value()
		}
	}
}
