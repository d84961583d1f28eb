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
	mux.HandleFunc("POST /v1/chat/completions", s.answers(completion))
	mux.HandleFunc("POST /v1/completions", s.answers(textCompletion))
	mux.HandleFunc("POST /v1/responses", s.answers(response))
	mux.HandleFunc("POST /v1/messages", s.answers(message))
	mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	mux.HandleFunc("POST /openai/deployments/{deployment}/embeddings", s.embeddings)
	return mux
}

// asked holds the fields of a body that a Server goes by.
type asked struct {
	Model  string   `json:"model"`
	Stream bool     `json:"stream"`
	Input  []string `json:"-"`
}

// answers returns a handler of requests whose whole answers look like that. Only chat completions stream.
func (s *Server) answers(whole func(model string) map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q asked
		if !read(w, r, &q) {
			return
		}
		b, ok := s.begin(w, r, q)
		switch {
		case !ok:
		case q.Stream:
			stream(w, r, q.Model, b)
		case pause(r.Context(), b.total()):
			write(w, http.StatusOK, whole(q.Model))
		}
	}
}

// read decodes a body.
func read(w http.ResponseWriter, r *http.Request, into any) (ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return false
	}
	if err := json.Unmarshal(body, into); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return false
	}
	return true
}

// begin notes the request and returns how it is to be treated, unless that is a refusal, which it answers.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, q asked) (b Behaviour, ok bool) {
	b = s.note(Request{Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Model: q.Model, Stream: q.Stream, Input: q.Input})
	for i := 0; i+1 < len(b.Header); i += 2 {
		w.Header().Set(b.Header[i], b.Header[i+1])
	}
	if b.Status == 0 {
		return b, true
	}
	if pause(r.Context(), b.FirstToken) {
		refuse(w, b.Status, strings.ReplaceAll(b.Message, "{credential}", r.Header.Get("Authorization")))
	}
	return b, false
}

func refuse(w http.ResponseWriter, status int, message string) {
	write(w, status, map[string]any{"error": map[string]any{"message": message, "type": "upstream_error", "code": nil, "param": nil}})
}

func completion(model string) map[string]any {
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model,
		"choices": []any{map[string]any{
			"index": 0, "finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": said()},
		}},
		"usage": map[string]any{"prompt_tokens": 3, "completion_tokens": len(Words), "total_tokens": 3 + len(Words)},
	}
}

func textCompletion(model string) map[string]any {
	return map[string]any{
		"id": "cmpl-1", "object": "text_completion", "created": 1, "model": model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "text": said()}},
		"usage":   map[string]any{"prompt_tokens": 3, "completion_tokens": len(Words), "total_tokens": 3 + len(Words)},
	}
}

func response(model string) map[string]any {
	return map[string]any{
		"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": model,
		"output": []any{map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": said(), "annotations": []any{}}},
		}},
		"usage": map[string]any{"input_tokens": 3, "output_tokens": len(Words), "total_tokens": 3 + len(Words)},
	}
}

func message(model string) map[string]any {
	return map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": model, "stop_reason": "end_turn", "stop_sequence": nil,
		"content": []any{map[string]any{"type": "text", "text": said()}},
		"usage":   map[string]any{"input_tokens": 3, "output_tokens": len(Words)},
	}
}

func said() string { return strings.Join(Words[:], "") }

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
