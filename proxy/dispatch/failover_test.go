package dispatch_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// raw answers with these bytes and closes the connection.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(conn, text)
		conn.Close()
	}
}

// TestNoWayOfBeingUnreachableReachesTheClient: with a second target the client gets its answer, and without
// one an error that names no host and no cause.
func TestNoWayOfBeingUnreachableReachesTheClient(t *testing.T) {
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	for name, c := range map[string]struct {
		url    string
		broken error        // dialling
		serve  http.Handler // over TLS with an unknown certificate if url says so
		status int
	}{
		"refused":                     {url: "http://internal-a", status: 502},
		"no route":                    {url: "http://internal-a", broken: errors.New("no route to host internal-a 10.1.2.3"), status: 502},
		"no such name":                {url: "http://internal-a", broken: &net.DNSError{Err: "no such host", Name: "internal-a", Server: "10.0.0.53:53", IsNotFound: true}, status: 502},
		"a name server that is slow":  {url: "http://internal-a", broken: &net.DNSError{Err: "i/o timeout", Name: "internal-a", IsTimeout: true}, status: 504},
		"a connect that hangs":        {url: "http://internal-a", broken: errHang, status: 504},
		"plain HTTP where TLS is due": {url: "https://internal-a", serve: answer("unsafe"), status: 502},
		"an unknown certificate":      {url: "https://internal-a", serve: answer("unsafe"), status: 502},
		"closed at once":              {url: "http://internal-a", serve: http.HandlerFunc(cut), status: 502},
		"half a head":                 {url: "http://internal-a", serve: raw("HTTP/1.1 200 OK\r\nContent-"), status: 502},
		"no HTTP":                     {url: "http://internal-a", serve: raw("SSH-2.0-OpenSSH internal-a\r\n"), status: 502},
		"half a whole answer":         {url: "http://internal-a", serve: raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"choices\":["), status: 502},
		"a head that never ends":      {url: "http://internal-a", serve: raw("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2<<20)), status: 502},
	} {
		t.Run(name, func(t *testing.T) {
			for _, body := range []string{question, streamed} {
				for _, alone := range []bool{false, true} {
					bubble(t, func(t *testing.T, n *network) {
						if c.broken != nil {
							n.broken["internal-a"] = func(ctx context.Context) error {
								if c.broken == errHang {
									<-ctx.Done()
									return ctx.Err()
								}
								return c.broken
							}
						}
						if c.serve != nil {
							l := n.listen("internal-a")
							if name == "an unknown certificate" {
								l = tls.NewListener(l, &tls.Config{Certificates: secure.TLS.Certificates})
							}
							n.serve(l, c.serve)
						}
						ups := []*upstream{n.at(c.url), n.upstream("b", answer("from b"))}
						if alone {
							ups = ups[:1]
						}
						h := n.gateway(t, options{}, ups...)
						got := h.post(body)
						if !alone {
							if got.StatusCode != 200 || !strings.Contains(got.body, "from b") {
								t.Errorf("client got %d %s", got.StatusCode, got.body)
							}
							return
						}
						if _, _, kind := got.apiError(t); got.StatusCode != c.status || kind != "server_error" {
							t.Errorf("alone: client got %d %s, want %d", got.StatusCode, got.body, c.status)
						}
						for _, word := range []string{"internal", "10.", "dial", "tls", "x509", "SSH"} {
							if strings.Contains(got.body, word) {
								t.Errorf("the client is told of %q: %s", word, got.body)
							}
						}
					})
				}
			}
		})
	}
}

var errHang = errors.New("hang")

func TestARefusedRequestNamesItsTargetAndStays(t *testing.T) {
	const body = `{"error":{"message":"The model nope does not exist","code":"model_not_found"}}`
	for _, code := range []int{400, 404, 405, 409, 413, 415, 422, 499} {
		h := gateway(t, options{}, newUpstream(t, status(code, body)), newUpstream(t, answer("from b")))
		got := h.post(question)
		if message, slug, _ := got.apiError(t); got.StatusCode != code || !strings.Contains(message, "nope") || slug != "model_not_found" {
			t.Errorf("%d: client got %d %s", code, got.StatusCode, got.body)
		}
		if got.Header.Get("X-Sluice-Target") != "a" || !slices.Equal(h.hits(), []int{1, 0}) {
			t.Errorf("%d: target %q, hits %v", code, got.Header.Get("X-Sluice-Target"), h.hits())
		}
		if log := h.log.String(); !strings.Contains(log, `"target":"a"`) || !strings.Contains(log, `"reason":"refused"`) {
			t.Errorf("%d: the log does not say what to mend: %s", code, log)
		}
	}
}

func TestTheLogListsEveryAttempt(t *testing.T) {
	h := gateway(t, options{}, newUpstream(t, status(429, `{}`)), newUpstream(t, status(503, `{}`)), newUpstream(t, status(400, `{}`)))
	h.post(question)
	lines := strings.Count(h.log.String(), `"msg":"attempt failed"`)
	if want := h.hits(); !slices.Equal(want, []int{1, 2, 1}) || lines != 4 {
		t.Errorf("%d attempts are in the log, hits %v: %s", lines, want, h.log)
	}
}

// TestTheStatusOfAnErrorInsideA200IsTheClients: it counts as that status counts, and the client is told of
// it as of any other.
func TestTheStatusOfAnErrorInsideA200IsTheClients(t *testing.T) {
	openAI, anthropic := `data: {"error":{"message":"told","code":%}}`+"\n\n", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"%\",\"message\":\"told\"}}\n\n"
	for _, c := range []struct {
		form, says string
		status     int
		blamed     bool
	}{
		{openAI, "429", 429, true}, {openAI, "503", 503, true}, {openAI, "500", 500, true}, {openAI, `"rate_limit_exceeded"`, 429, true}, {openAI, "400", 400, false}, {openAI, "404", 404, false},
		{anthropic, "overloaded_error", 503, true}, {anthropic, "rate_limit_error", 429, true}, {anthropic, "invalid_request_error", 400, false},
	} {
		event := strings.Replace(c.form, "%", c.says, 1)
		for _, before := range []string{"", role, ": ping\n\n"} {
			h := gateway(t, options{routing: `,"retries":0`}, newUpstream(t, events(before, event)))
			got := h.post(streamed)
			if message, _, _ := got.apiError(t); got.StatusCode != c.status || message != "told" || got.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%q after %q: client got %d %s", event, before, got.StatusCode, got.body)
			}
			if e := h.board.Estimate(h.target("a").Signal, signal.TTFT, time.Now()); (e.Failures > 0) != c.blamed || e.Measured {
				t.Errorf("%q after %q: estimate %+v, want blamed %v and no latency", event, before, e, c.blamed)
			}
			h = gateway(t, options{routing: `,"retries":0`}, newUpstream(t, events(before, event)), newUpstream(t, events(token("from b"), stop, done)))
			if got := h.post(streamed); c.blamed != strings.Contains(got.body, "from b") {
				t.Errorf("%q after %q, with a second target: %q", event, before, got.body)
			}
		}
	}
}

// TestAnythingOfTheAnswerIsTheCommitPoint: half a tool call from one target and half from another is worse
// than none.
func TestAnythingOfTheAnswerIsTheCommitPoint(t *testing.T) {
	delta := func(d string) string {
		return `data: {"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}` + "\n\n"
	}
	for name, c := range map[string]struct {
		first   string
		commits bool
	}{
		"text":              {delta(`{"content":"a"}`), true},
		"a blank":           {delta(`{"content":" "}`), true},
		"reasoning":         {delta(`{"reasoning_content":"a"}`), true},
		"a refusal":         {delta(`{"refusal":"a"}`), true},
		"a tool call":       {delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}`), true},
		"a function call":   {delta(`{"function_call":{"name":"f"}}`), true},
		"a role":            {delta(`{"role":"assistant","content":""}`), false},
		"null content":      {delta(`{"role":"assistant","content":null,"tool_calls":[]}`), false},
		"an empty delta":    {delta(`{}`), false},
		"pings":             {": ping\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n", false},
		"no choices":        {`data: {"id":"","choices":[],"prompt_filter_results":[]}` + "\n\n", false},
		"nothing but usage": {`data: {"choices":[],"usage":{"prompt_tokens":1}}` + "\n\n", false},
	} {
		for _, break_ := range []http.HandlerFunc{reset, nil, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, failed) }} {
			h := gateway(t, options{routing: `,"retries":0`}, newUpstream(t, eventsThen(break_, c.first)), newUpstream(t, events(token("from b"), stop, done)))
			got := h.post(streamed)
			if fell := got.body == token("from b")+stop+done; fell == c.commits || fell == (h.upstreams[1].count() == 0) {
				t.Errorf("%s: client got %q, hits %v", name, got.body, h.hits())
			}
			if c.commits && (strings.Count(got.body, `"error":{`) != 1 || strings.Contains(got.body, "[DONE]") || !strings.HasPrefix(got.body, c.first)) {
				t.Errorf("%s: client got %q, want the beginning, one error and no end", name, got.body)
			}
		}
	}
}

func TestAWholeAnswerToAStreamRequestIsPassedAsWhatItIs(t *testing.T) {
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", ""} {
		h := gateway(t, options{}, newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = nil
			rec := httptest.NewRecorder()
			answer("whole")(rec, r)
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			}
			w.Write(rec.Body.Bytes())
		}))
		got := h.post(streamed)
		want := contentType
		if want == "" {
			want = "application/json"
		}
		if got.StatusCode != 200 || !strings.Contains(got.body, `"content":"whole"`) || got.Header.Get("Content-Type") != want || strings.Contains(got.body, "data:") {
			t.Errorf("%q: client got %d %q as %q", contentType, got.StatusCode, got.body, got.Header.Get("Content-Type"))
		}
	}
}

func TestAStreamOfNothingAloneIsAnError(t *testing.T) {
	for name, script := range map[string]http.HandlerFunc{
		"no event": events(), "comments": events(": a\n\n: b\n\n"), "a role": events(role), "half an event": events(`data: {"choices":[{"del`),
		"an empty body": status(200, "", "Content-Type", "text/event-stream"), "no body": status(200, ""),
	} {
		h := gateway(t, options{routing: `,"retries":0`}, newUpstream(t, script))
		got := h.post(streamed)
		if _, _, kind := got.apiError(t); got.StatusCode != 502 || kind != "server_error" {
			t.Errorf("%s: client got %d %s, want 502", name, got.StatusCode, got.body)
		}
	}
}
