package demo

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// apiError is an answer in OpenAI's error envelope.
type apiError struct {
	Status               int
	Message, Param, Code string
}

func (s *Server) noModel(name string) *apiError { return notServed("serves", s.cfg.Name, name) }

func noEmbeddingModel(name string) *apiError { return notServed("embeds with", EmbeddingModel, name) }

func notServed(does, served, asked string) *apiError {
	return &apiError{
		Status: http.StatusNotFound, Param: "model", Code: "model_not_found",
		Message: "this upstream " + does + " " + strconv.Quote(served) + ", not " + strconv.Quote(asked),
	}
}

func unknownPath(w http.ResponseWriter, r *http.Request) {
	(&apiError{Status: http.StatusNotFound, Code: "unknown_url", Message: "nothing is served at " + r.Method + " " + r.URL.Path}).write(w)
}

func (e *apiError) write(w http.ResponseWriter) {
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	body := map[string]any{
		"message": e.Message, "type": "invalid_request_error",
		"param": optional(e.Param), "code": optional(e.Code),
	}
	writeJSON(w, e.Status, map[string]any{"error": body})
}

// writeJSON answers with v; the client that has gone away meanwhile is told nothing.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}
