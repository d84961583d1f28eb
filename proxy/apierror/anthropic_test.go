package apierror

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// anthropicError is an error as the Anthropic API writes it; nothing else may be in it.
type anthropicError struct {
	Type  string `json:"type"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	RequestID string `json:"request_id"`
}

func readAnthropic(t *testing.T, text string) anthropicError {
	t.Helper()
	var e anthropicError
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil || e.Type != "error" || e.Error.Type == "" || e.Error.Message == "" {
		t.Fatalf("%q is no error of the Anthropic API: %v", text, err)
	}
	return e
}

func TestEveryErrorHasAnAnthropicForm(t *testing.T) {
	want := map[string]string{
		"invalid_request": "invalid_request_error", "invalid_body": "invalid_request_error", "unauthorized": "authentication_error", "model_not_found": "not_found_error",
		"unknown_path": "not_found_error", "method_not_allowed": "invalid_request_error", "too_large": "request_too_large", "unsupported_media": "invalid_request_error",
		"rate_limited": "rate_limit_error", "unavailable": "overloaded_error", "unavailable_for_unknown_time": "overloaded_error", "upstream_failed": "api_error",
		"upstream_cut": "api_error", "upstream_timeout": "timeout_error", "loop_detected": "api_error", "internal": "api_error", "upstream": "rate_limit_error",
	}
	for _, c := range every {
		rec := httptest.NewRecorder()
		Anthropic.Write(rec, c.err, "req-1")
		e := readAnthropic(t, rec.Body.String())
		h := rec.Header()
		if rec.Code != c.err.Status || e.Error.Type != want[c.name] || e.RequestID != "req-1" || h.Get("Request-Id") != "req-1" || h.Get("X-Request-Id") != "req-1" || h.Get("Content-Type") != "application/json" {
			t.Errorf("%s: got %d %s with %v, want type %s", c.name, rec.Code, rec.Body, h, want[c.name])
		}
		if c.err.RetryAfter > 0 && h.Get("Retry-After") == "" || c.err.NoRetry && h.Get("X-Should-Retry") != "false" {
			t.Errorf("%s: got %v", c.name, h)
		}
	}
}

func TestATypeOfTheAnthropicAPIIsKept(t *testing.T) {
	for _, c := range []struct {
		status     int
		kind, want string
	}{
		{400, "invalid_request_error", "invalid_request_error"}, {404, "invalid_request_error", "not_found_error"}, {403, "permission_error", "permission_error"},
		{409, "conflict_error", "conflict_error"}, {529, "overloaded_error", "overloaded_error"}, {402, "", "billing_error"}, {403, "server_error", "permission_error"},
		{400, "BadRequestError", "invalid_request_error"}, {529, "", "overloaded_error"}, {599, "x", "api_error"}, {418, "requests", "invalid_request_error"},
	} {
		if got := anthropicType(Error{Status: c.status, Type: c.kind}); got != c.want {
			t.Errorf("%d %q: got %q, want %q", c.status, c.kind, got, c.want)
		}
	}
}

func TestAnErrorInsideAStreamIsInTheWordsOfItsDialect(t *testing.T) {
	e := Error{Status: http.StatusBadGateway, Type: TypeServer, Code: "upstream_cut", Message: "a\"b", RetryAfter: time.Second}
	for _, c := range []struct {
		dialect Dialect
		at      Place
		want    string
	}{
		{OpenAI, Place{"r", 7}, "data: {\"error\":{\"message\":\"a\\\"b\",\"type\":\"server_error\",\"param\":null,\"code\":\"upstream_cut\"}}\n\n"},
		{Responses, Place{"r", 7}, "event: error\ndata: {\"type\":\"error\",\"code\":\"upstream_cut\",\"message\":\"a\\\"b\",\"param\":null,\"sequence_number\":7}\n\n"},
		{Anthropic, Place{"r", 7}, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"a\\\"b\"},\"request_id\":\"r\"}\n\n"},
		{Anthropic, Place{}, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"a\\\"b\"}}\n\n"},
	} {
		if got := string(c.dialect.AppendEvent([]byte("x"), e, c.at)); got != "x"+c.want {
			t.Errorf("dialect %d: got %q, want %q", c.dialect, got, c.want)
		}
	}
}
