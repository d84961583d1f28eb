package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// stream sends the answer as server-sent events, each flushed as soon as its word is due: the role, the words,
// the reason for the end, the usage when it was asked for, and the terminator.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, head completion, out reply, withUsage bool) {
	head.Object = "chat.completion.chunk"
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	events := eventWriter{w: w, flush: http.NewResponseController(w).Flush}
	empty := ""
	events.send(head.chunk(choice{Delta: &delta{"assistant", &empty}}))
	wait := s.cfg.FirstToken
	for _, token := range out.tokens {
		if events.err != nil || !pause(ctx, wait) {
			return
		}
		events.send(head.chunk(choice{Delta: &delta{Content: &token}}))
		wait = s.cfg.PerToken
	}
	events.send(head.chunk(choice{Delta: &delta{}, FinishReason: &out.finish}))
	if withUsage {
		last := head
		last.Choices, last.Usage = []choice{}, out.usage()
		events.send(last)
	}
	events.raw([]byte("[DONE]"))
}

// chunk returns a copy of the head with one choice.
func (c completion) chunk(only choice) completion {
	c.Choices = []choice{only}
	return c
}

// eventWriter writes events until one cannot be written; err keeps why.
type eventWriter struct {
	w     http.ResponseWriter
	flush func() error
	err   error
}

func (e *eventWriter) send(c completion) {
	data, err := json.Marshal(c)
	if err != nil {
		e.err = err
		return
	}
	e.raw(data)
}

func (e *eventWriter) raw(data []byte) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, "data: %s\n\n", data)
	}
	if e.err == nil {
		e.err = e.flush()
	}
}
