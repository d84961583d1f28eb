package demo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// maxBody is the largest request that is read, in bytes: far more than a demonstration needs.
const maxBody = 8 << 20

// chatRequest holds the fields of a chat completion request that change the answer.
type chatRequest struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens           *int `json:"max_tokens"`
	MaxCompletionTokens *int `json:"max_completion_tokens"`
}

type message struct {
	Role    string `json:"role"`
	Content text   `json:"content"`
}

// text is a message's content: a string, or the text parts of a list joined by spaces.
type text string

// UnmarshalJSON reads either form; null is no text.
func (t *text) UnmarshalJSON(raw []byte) error {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		*t = text(whole)
		return nil
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return fmt.Errorf("content is a string or a list of parts")
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	*t = text(strings.Join(texts, " "))
	return nil
}

// readChat reads and checks a request. What is wrong with it is the second result.
func (s *Server) readChat(w http.ResponseWriter, r *http.Request) (*chatRequest, *apiError) {
	var req chatRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&req); err != nil {
		return nil, &apiError{Status: http.StatusBadRequest, Message: "the body is not a chat completion request: " + err.Error()}
	}
	if req.Model != s.cfg.Name {
		return nil, s.noModel(req.Model)
	}
	if len(req.Messages) == 0 {
		return nil, &apiError{Status: http.StatusBadRequest, Param: "messages", Message: "messages must hold at least one message"}
	}
	if limit := req.limit(); limit != nil && *limit < 1 {
		return nil, &apiError{Status: http.StatusBadRequest, Param: "max_tokens", Message: "max_tokens must be at least 1"}
	}
	return &req, nil
}

// limit returns the most words that the answer may have; nil is no limit.
func (r *chatRequest) limit() *int {
	if r.MaxCompletionTokens != nil {
		return r.MaxCompletionTokens
	}
	return r.MaxTokens
}
