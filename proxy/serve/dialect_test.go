package serve_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/dispatch"
)

// TestEveryErrorOfTheEdgeIsInTheWordsOfItsCaller: the path tells whose they are, else the header of Anthropic's callers.
func TestEveryErrorOfTheEdgeIsInTheWordsOfItsCaller(t *testing.T) {
	e := newEdge(t)
	e.dispatcher.serve = func(http.ResponseWriter, *http.Request, dispatch.Call) dispatch.Result { panic("oops") }
	const version = "Anthropic-Version"
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
		kind               string // of Anthropic's types; empty: in OpenAI's words
	}{
		{"POST", "/v1/messages", `{}`, nil, 401, "authentication_error"},
		{"POST", "/v1/messages", `{}`, []string{"X-Api-Key", "WRONG"}, 401, "authentication_error"},
		{"POST", "/v1/messages", `{}`, []string{"X-Api-Key", "KEY"}, 400, "invalid_request_error"},
		{"POST", "/v1/messages", `{"model":"none"}`, []string{auth, bearer}, 404, "not_found_error"},
		{"POST", "/v1/messages", strings.Repeat(" ", 1001), []string{auth, bearer}, 413, "request_too_large"},
		{"POST", "/v1/messages", `{"model":"smart"}`, []string{auth, bearer, "Content-Encoding", "gzip"}, 415, "invalid_request_error"},
		{"POST", "/v1/messages", `{"model":"smart"}`, []string{auth, bearer}, 500, "api_error"},
		{"GET", "/v1/messages", "", []string{auth, bearer}, 405, "invalid_request_error"},
		{"POST", "/v1/messages/count_tokens", `{"model":"smart","stream":true}`, []string{auth, bearer}, 400, "invalid_request_error"},
		{"POST", "/v1/messages/batches", `{}`, []string{auth, bearer}, 404, "not_found_error"},
		{"POST", "/v1/none", `{}`, []string{auth, bearer, version, "2023-06-01"}, 404, "not_found_error"},
		{"POST", "/v1/none", `{}`, []string{auth, bearer}, 404, ""},
		{"GET", "/v1/models", "", []string{version, "2023-06-01"}, 401, "authentication_error"},
		{"GET", "/v1/models/hidden", "", []string{auth, bearer, version, "2023-06-01"}, 404, "not_found_error"},
		{"POST", "/v1/models", "", []string{auth, bearer, version, "2023-06-01"}, 405, "invalid_request_error"},
		{"POST", "/v1/chat/completions", `{}`, []string{version, "2023-06-01"}, 401, ""},
		{"POST", "/v1/responses", `{}`, []string{auth, bearer}, 400, ""},
		{"POST", "/v1/embeddings", `{"model":"smart"}`, []string{auth, bearer}, 500, ""},
		{"POST", "/v1/embeddings", `{"model":"smart","stream":true}`, []string{auth, bearer}, 400, ""},
	} {
		resp, body := e.send(c.method, c.path, c.body, c.headers...)
		var got struct {
			Type      string
			Error     struct{ Type, Message string }
			RequestID string `json:"request_id"`
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil || got.Error.Message == "" || resp.StatusCode != c.status || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v: got %d %s, want an error %d", c.method, c.path, c.headers, resp.StatusCode, body, c.status)
			continue
		}
		id := resp.Header.Get("X-Request-Id")
		anthropic := got.Type == "error" && got.Error.Type == c.kind && got.RequestID == id && resp.Header.Get("Request-Id") == id
		openai := got.Type == "" && got.RequestID == "" && resp.Header.Get("Request-Id") == "" && strings.Contains(body, `"param":`)
		if id == "" || c.kind != "" && !anthropic || c.kind == "" && !openai {
			t.Errorf("%s %s %v: got %s with %v, want the type %q", c.method, c.path, c.headers, body, resp.Header, c.kind)
		}
	}
}

func TestModelsAreListedInTheWordsOfAnthropic(t *testing.T) {
	e := newEdge(t)
	const version = "Anthropic-Version"
	one := func(id string) string {
		return `{"type":"model","id":"` + id + `","display_name":"` + id + `","created_at":"1970-01-01T00:00:00Z"}`
	}
	for path, want := range map[string]string{
		"/v1/models":         `{"data":[` + one("a-model") + `,` + one("b-model") + `,` + one("smart") + `],"has_more":false,"first_id":"a-model","last_id":"smart"}`,
		"/v1/models?limit=1": `{"data":[` + one("a-model") + `,` + one("b-model") + `,` + one("smart") + `],"has_more":false,"first_id":"a-model","last_id":"smart"}`,
		"/v1/models/smart":   one("smart"),
	} {
		if resp, body := e.send("GET", path, "", "X-Api-Key", "KEY", version, "2023-06-01"); resp.StatusCode != 200 || strings.TrimSpace(body) != want {
			t.Errorf("%s: got %d %s, want %s", path, resp.StatusCode, body, want)
		}
	}
}
