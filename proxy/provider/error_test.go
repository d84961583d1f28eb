package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// errorBodies are bodies as servers send them with a 400, and what the caller is told.
var errorBodies = []struct{ name, body, message, kind, code, param string }{
	{"the API's own", `{"error":{"message":"m","type":"invalid_request_error","param":"messages[0].content","code":"context_length_exceeded"}}`, "m", "invalid_request_error", "context_length_exceeded", "messages[0].content"},
	{"nulls", `{"error":{"message":"m","type":null,"param":null,"code":null}}`, "m", "", "", ""},
	{"numeric code", `{"error":{"message":"m","code":400}}`, "m", "", "", ""},
	{"digits as code", `{"error":{"message":"m","code":"400"}}`, "m", "", "", ""},
	{"object as param", `{"error":{"message":"m","param":{},"code":[],"type":1}}`, "m", "", "", ""},
	{"nothing of Python", `{"error":{"message":"m","type":"None","param":"None","code":"None"}}`, "m", "", "", ""},
	{"text as error", `{"error":"text"}`, "text", "", "", ""},
	{"text as error, the rest around it", `{"error":"text","type":"t","code":"c"}`, "text", "t", "c", ""},
	{"error in error", `{"error":{"error":{"message":"m","code":"c"}}}`, "m", "", "c", ""},
	{"error without a message", `{"error":{"code":"c"},"message":"m"}`, "m", "", "c", ""},
	{"detail", `{"detail":"x"}`, "x", "", "", ""},
	{"detail of FastAPI", `{"detail":[{"loc":["body","messages"],"msg":"field required","type":"value_error.missing"}]}`, "field required", "value_error.missing", "", ""},
	{"detail as object", `{"detail":{"message":"m","code":"c"}}`, "m", "", "c", ""},
	{"error of vLLM", `{"object":"error","message":"x","type":"BadRequestError","param":null,"code":400}`, "x", "BadRequestError", "", ""},
	{"error_code", `{"error_code":"BAD_REQUEST","message":"m"}`, "m", "", "BAD_REQUEST", ""},
	{"errors", `{"errors":[{"message":"m"},{"message":"n"}]}`, "m", "", "", ""},
	{"Anthropic", `{"type":"error","error":{"type":"invalid_request_error","message":"m"},"request_id":"r"}`, "m", "invalid_request_error", "", ""},
	{"Gemini", `[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]`, "m", "", "INVALID_ARGUMENT", ""},
	{"problem", `{"title":"Bad","status":400}`, "Bad", "", "", ""},
	{"a string", `"text"`, "text", "", "", ""},
	{"plain text", "no such model\n", "no such model", "", "", ""},
	{"text that is not UTF-8", "bad\xff model", "bad model", "", "", ""},
	{"a message that is not UTF-8", "{\"error\":{\"message\":\"bad\xff model\"}}", "bad\ufffd model", "", "", ""},
	{"terminal codes and lines", "{\"error\":{\"message\":\"a\\r\\nb\\u001b[31mc\\u0000\\u202ed\"}}", "a  b[31mcd", "", "", ""},
	{"page", `<html><body>400 Bad Request at 10.0.0.1</body></html>`, statusText(400), "", "", ""},
	{"page behind a line", "\n<!DOCTYPE html>", statusText(400), "", "", ""},
	{"broken JSON", `{"error":{"message":"m"`, statusText(400), "", "", ""},
	{"empty", ``, statusText(400), "", "", ""},
	{"blanks", " \n", statusText(400), "", "", ""},
	{"null", `null`, statusText(400), "", "", ""},
	{"number", `400`, statusText(400), "", "", ""},
	{"empty object", `{}`, statusText(400), "", "", ""},
	{"empty error", `{"error":{}}`, statusText(400), "", "", ""},
	{"empty list", `[]`, statusText(400), "", "", ""},
	{"no message", `{"error":{"message":17}}`, statusText(400), "", "", ""},
	{"a slug that is a story", `{"error":{"message":"m","code":"not a slug","type":"<b>"}}`, "m", "", "", ""},
	{"names of credentials", `{"error":{"message":"key sk-secret is not for this"}}`, "key [secret] is not for this", "", "", ""},
}

func TestAnErrorKeepsItsStatusWhateverItsBodyIs(t *testing.T) {
	target := compiled(t, provider{secret: "sk-secret"})
	for _, c := range errorBodies {
		got := plain.DecodeError(target, 400, nil, []byte(c.body))
		want := apierror.Error{Status: 400, Type: c.kind, Code: c.code, Param: c.param, Message: c.message}
		if want.Type == "" {
			want.Type = "invalid_request_error"
		}
		if got.Status != want.Status || got.Type != want.Type || got.Code != want.Code || got.Param != want.Param || got.Message != want.Message || got.NoRetry {
			t.Errorf("%s: %s: got %+v, want %+v", c.name, c.body, got, want)
		}
	}
	for _, status := range []int{300, 307, 400, 401, 402, 403, 404, 408, 413, 418, 422, 429, 499, 500, 502, 503, 504, 529, 599} {
		for _, c := range errorBodies {
			if got := plain.DecodeError(target, status, nil, []byte(c.body)); got.Status != status || got.Message == "" {
				t.Errorf("%d with %s: got %+v", status, c.body, got)
			}
		}
	}
}

func TestWhatAServerSaysAboutItselfIsNotPassedOn(t *testing.T) {
	for _, c := range []struct {
		status     int
		body, want string
	}{
		{502, "dial tcp 10.0.0.1:8000: connect: connection refused", statusText(502)},
		{503, "upstream connect error or disconnect/reset before headers", statusText(503)},
		{500, `{"error":{"message":"The server had an error"}}`, "The server had an error"},
		{529, "", "The model's server answered with status 529."},
		{401, `{"error":{"message":"Incorrect API key provided: sk-ab***xyz."}}`, "The model's server refused the gateway's credential."},
	} {
		if got := plain.DecodeError(compiled(t, provider{}), c.status, nil, []byte(c.body)); got.Message != c.want {
			t.Errorf("%d %s: got %q, want %q", c.status, c.body, got.Message, c.want)
		}
	}
}

func TestASecretIsStruckFromMessagesWhereverItWasSent(t *testing.T) {
	for _, p := range []provider{{secret: "sk-secret"}, {secret: "sk-secret", header: "api-key"}, {secret: "sk-secret", query: "key"}} {
		got := plain.DecodeError(compiled(t, p), 403, nil, []byte(`{"error":{"message":"no: Bearer sk-secret, sk-secret?key=sk-secret"}}`))
		if strings.Contains(got.Message, "sk-secret") {
			t.Errorf("%+v: got %q", p, got.Message)
		}
	}
}

func TestALongMessageIsCutBetweenCharacters(t *testing.T) {
	body := `{"error":{"message":"` + strings.Repeat("é", 100_000) + `"}}`
	got := plain.DecodeError(compiled(t, provider{}), 400, nil, []byte(body)).Message
	if want := strings.Repeat("é", maxMessage/2); got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

func TestWhatTellsTheCallerToWaitIsKept(t *testing.T) {
	h := http.Header{"Retry-After": {"17"}, "Retry-After-Ms": {"16500"}, "X-Ratelimit-Remaining-Requests": {"0"}, "Content-Type": {"text/html"}, "Set-Cookie": {"a"}}
	got := plain.DecodeError(compiled(t, provider{}), 429, h, []byte(`{"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}`))
	if got.RetryAfter != 16500*time.Millisecond || got.NoRetry || len(got.Header) != 3 || got.Header.Get("Retry-After") != "17" || got.Header.Get("X-Ratelimit-Remaining-Requests") != "0" {
		t.Errorf("got %+v, want the wait and three headers", got)
	}
	if got := plain.DecodeError(compiled(t, provider{}), 429, h, []byte(`{"error":{"message":"m","code":"insufficient_quota"}}`)); !got.NoRetry {
		t.Errorf("got %+v, want no retry for a quota that is used up", got)
	}
}
