package demo

import (
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"time"
)

// completion is an answer, or one chunk of a streamed answer.
type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index   int    `json:"index"`
	Message *delta `json:"message,omitempty"`
	Delta   *delta `json:"delta,omitempty"`
	// FinishReason is null until the answer has ended.
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
}

// chat answers POST /v1/chat/completions.
func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	req, problem := s.readChat(w, r)
	if problem != nil {
		problem.write(w)
		return
	}
	out := answer(s.cfg.Name, req)
	head := completion{ID: "chatcmpl-" + rand.Text(), Created: time.Now().Unix(), Model: s.cfg.Name}
	if req.Stream {
		s.stream(r.Context(), w, head, out, req.StreamOptions.IncludeUsage)
		return
	}
	if !pause(r.Context(), s.cfg.FirstToken+time.Duration(len(out.tokens)-1)*s.cfg.PerToken) {
		return
	}
	content := strings.Join(out.tokens, "")
	head.Object, head.Usage = "chat.completion", out.usage()
	head.Choices = []choice{{Message: &delta{"assistant", &content}, FinishReason: &out.finish}}
	writeJSON(w, http.StatusOK, head)
}

// pause waits for d and reports whether the client is still there.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}
