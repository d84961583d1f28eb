package apierror

import (
	"net/http"
	"strconv"
)

// Dialect is the API in whose words a caller is told of errors. The zero value is OpenAI.
type Dialect uint8

// The dialects.
const (
	OpenAI Dialect = iota
	// Responses is the OpenAI API in streams of /v1/responses, whose events are another form of it.
	Responses
	// Anthropic is the API of /v1/messages.
	Anthropic
)

// Place is where an error is told, as far as a dialect says so.
type Place struct {
	// RequestID names the request; empty leaves it out.
	RequestID string
	// Sequence is how many events of the stream came before the error.
	Sequence int
}

// Write answers a request with e. Nothing may have been written to w before.
func (d Dialect) Write(w http.ResponseWriter, e Error, requestID string) {
	body := append(d.append(nil, e, requestID), '\n')
	h := w.Header()
	writeHeader(h, e)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if requestID != "" {
		d.Name(h, requestID)
	}
	w.WriteHeader(e.Status)
	// The caller may be gone; there is nobody else to tell.
	_, _ = w.Write(body)
}

// Name puts the id of a request where callers of the dialect look for it.
func (d Dialect) Name(h http.Header, requestID string) {
	h["X-Request-Id"] = []string{requestID}
	if d == Anthropic {
		h["Request-Id"] = h["X-Request-Id"]
	}
}

// append appends e as one JSON object.
func (d Dialect) append(dst []byte, e Error, requestID string) []byte {
	if d == Anthropic {
		return appendAnthropic(dst, e, requestID)
	}
	return AppendOpenAI(dst, e)
}

// AppendEvent appends e as the event that ends a stream; nothing follows it.
func (d Dialect) AppendEvent(dst []byte, e Error, at Place) []byte {
	switch d {
	case Responses:
		return appendResponsesEvent(dst, e, at.Sequence)
	case Anthropic:
		return append(appendAnthropic(append(dst, "event: error\ndata: "...), e, at.RequestID), "\n\n"...)
	}
	return AppendOpenAIEvent(dst, e)
}
