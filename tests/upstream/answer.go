package upstream

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxBody is more than any test sends.
const maxBody = 64 << 20

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	return mux
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return
	}
	var asked struct {
		Model  string `json:"model"`
		Stream bool   `json:"stream"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	b := s.note(Request{Path: r.URL.Path, Header: r.Header.Clone(), Model: asked.Model, Stream: asked.Stream})
	switch {
	case b.Status != 0:
		if pause(r.Context(), b.FirstToken) {
			refuse(w, b.Status, strings.ReplaceAll(b.Message, "{credential}", r.Header.Get("Authorization")))
		}
	case asked.Stream:
		stream(w, r, asked.Model, b)
	default:
		if pause(r.Context(), b.total()) {
			whole(w, asked.Model)
		}
	}
}

func refuse(w http.ResponseWriter, status int, message string) {
	write(w, status, map[string]any{"error": map[string]any{"message": message, "type": "upstream_error", "code": nil, "param": nil}})
}

func whole(w http.ResponseWriter, model string) {
	write(w, http.StatusOK, map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
		"choices": []any{map[string]any{
			"index": 0, "finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": strings.Join(Words[:], "")},
		}},
		"usage": map[string]any{"prompt_tokens": 3, "completion_tokens": len(Words), "total_tokens": 3 + len(Words)},
	})
}

func write(w http.ResponseWriter, status int, answer any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // the caller may be gone
}

func stream(w http.ResponseWriter, r *http.Request, model string, b Behaviour) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(data string) {
		fmt.Fprintf(w, "data: %s\n\n", data)
		_ = http.NewResponseController(w).Flush() // the caller may be gone
	}
	send(chunk(model, map[string]any{"role": "assistant", "content": ""}, nil))
	for i, word := range Words {
		wait := b.PerToken
		if i == 0 {
			wait = b.FirstToken
		}
		if !pause(r.Context(), wait) {
			return
		}
		send(chunk(model, map[string]any{"content": word}, nil))
	}
	send(chunk(model, map[string]any{}, "stop"))
	send("[DONE]")
}

func chunk(model string, delta map[string]any, finish any) string {
	out, err := json.Marshal(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
	})
	if err != nil {
		panic("upstream: " + err.Error())
	}
	return string(out)
}
