package apierror

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// every holds one of each error of the gateway, by the name of its golden file.
var every = []struct {
	name string
	err  Error
}{
	{"invalid_request", InvalidRequest("stream", `The parameter "stream" must be true or false.`)},
	{"invalid_body", InvalidRequest("", "The request body is empty.")},
	{"unauthorized", Unauthorized()},
	{"model_not_found", ModelNotFound("a\"b\r\n\x1b[31m" + strings.Repeat("x", 1000))},
	{"unknown_path", UnknownPath("GET", "/v1/\u202e<x>")},
	{"method_not_allowed", MethodNotAllowed("POST")},
	{"too_large", TooLarge(32 << 20)},
	{"unsupported_media", UnsupportedMedia("Content-Encoding gzip is not supported.")},
	{"rate_limited", RateLimited(1500 * time.Millisecond)},
	{"unavailable", Unavailable(7 * time.Second)},
	{"unavailable_for_unknown_time", Unavailable(0)},
	{"upstream_failed", UpstreamFailed()},
	{"upstream_cut", UpstreamCut()},
	{"upstream_timeout", UpstreamTimeout()},
	{"loop_detected", LoopDetected()},
	{"internal", Internal()},
	{"upstream", Error{
		Status: 429, Type: "requests", Code: "rate_limit_exceeded", Param: "p", Message: "\u2028é😀</script>&\xff\"\\", RetryAfter: 17 * time.Second, NoRetry: true,
		Header: http.Header{"Retry-After": {"16"}, "X-Ratelimit-Remaining-Requests": {"0"}},
	}},
}

func TestAnErrorOnTheWireIsWhatItsGoldenFileSays(t *testing.T) {
	for _, c := range every {
		rec := httptest.NewRecorder()
		rec.Header().Set("X-Request-Id", "an older id")
		OpenAI.Write(rec, c.err, "req-1")
		var wire bytes.Buffer
		fmt.Fprintf(&wire, "%d\n", rec.Code)
		if err := rec.Header().Write(&wire); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&wire, "\n%s--- in a stream\n%s", rec.Body, AppendOpenAIEvent(nil, c.err))
		path := filepath.Join("testdata", c.name+".golden")
		if *update {
			if err := os.WriteFile(path, wire.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(wire.Bytes(), want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, wire.Bytes(), want)
		}
	}
}

func TestAnErrorHasAllMembersInTheTypesThatStrictClientsTake(t *testing.T) {
	for _, c := range every {
		var body map[string]map[string]any
		if err := json.Unmarshal(AppendOpenAI(nil, c.err), &body); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, name := range []string{"message", "type"} {
			if s, ok := body["error"][name].(string); !ok || s == "" {
				t.Errorf("%s: %s is %v, want a string", c.name, name, body["error"][name])
			}
		}
		for _, name := range []string{"param", "code"} {
			v, there := body["error"][name]
			if s, ok := v.(string); !there || v != nil && (!ok || s == "") {
				t.Errorf("%s: %s is %v, want a string or null", c.name, name, v)
			}
		}
		if len(body) != 1 || len(body["error"]) != 4 {
			t.Errorf("%s: got members %v", c.name, body)
		}
		if want := fmt.Sprintf("%d %s: %s", c.err.Status, c.err.Type, c.err.Message); c.err.Error() != want {
			t.Errorf("%s: got %q, want %q", c.name, c.err.Error(), want)
		}
	}
}

func TestAnErrorWithoutARequestIDLeavesTheHeaderAlone(t *testing.T) {
	rec := httptest.NewRecorder()
	rec.Header().Set("X-Request-Id", "set before")
	OpenAI.Write(rec, Internal(), "")
	if got := rec.Header().Get("X-Request-Id"); got != "set before" {
		t.Errorf("got %q", got)
	}
}

func TestAnUpstreamsHeadersAreNotSharedWithTheAnswer(t *testing.T) {
	e := Error{Status: 429, Header: http.Header{"Retry-After": {"1"}}}
	rec := httptest.NewRecorder()
	OpenAI.Write(rec, e, "")
	rec.Header().Add("Retry-After", "2")
	rec.Header().Set("X-Other", "x")
	if len(e.Header) != 1 || len(e.Header["Retry-After"]) != 1 {
		t.Errorf("got %v", e.Header)
	}
}

func TestTheTypeFollowsFromTheStatus(t *testing.T) {
	for status, want := range map[int]string{
		400: "invalid_request_error", 401: "invalid_request_error", 403: "invalid_request_error", 404: "invalid_request_error", 413: "invalid_request_error", 422: "invalid_request_error",
		429: "rate_limit_error", 500: "server_error", 502: "server_error", 529: "server_error", 307: "server_error",
	} {
		if got := TypeOf(status); got != want {
			t.Errorf("%d: got %s, want %s", status, got, want)
		}
	}
}
