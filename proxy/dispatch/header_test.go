package dispatch_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// unsized hides a body's length, so that it is sent in chunks.
type unsized struct{ io.Reader }

// TestLengthsAreOfWhatIsSent: neither side's framing is the other's, whatever it was.
func TestLengthsAreOfWhatIsSent(t *testing.T) {
	hopByHop := func(then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength <= 0 || len(r.TransferEncoding) != 0 || r.Header.Get("Connection")+r.Header.Get("Te")+r.Header.Get("Trailer")+r.Header.Get("Keep-Alive") != "" {
				t.Errorf("upstream got length %d, transfer encoding %v, headers %v", r.ContentLength, r.TransferEncoding, r.Header)
			}
			h := w.Header()
			h.Set("Keep-Alive", "timeout=5")
			h.Set("Proxy-Authenticate", "Basic")
			h.Set("Trailer", "X-Trailer")
			h.Set("X-Ratelimit-Private", "1")
			h.Add("Connection", "X-Ratelimit-Private")
			then(w, r)
		}
	}
	chunked := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		http.NewResponseController(w).Flush()
		answer("ok")(w, r)
	}
	for name, c := range map[string]struct {
		script http.HandlerFunc
		body   string
		sized  bool
	}{
		"a whole answer with a length": {answer("ok"), question, true},
		"a whole answer in chunks":     {chunked, question, true},
		"a compressed answer":          {gzipped(answer("ok")), question, true},
		"an error with a length":       {status(400, `{"error":{"message":"no"}}`), question, true},
		"a stream":                     {events(token("a"), stop, done), streamed, false},
	} {
		for _, inChunks := range []bool{false, true} {
			h := gateway(t, options{}, newUpstream(t, hopByHop(c.script)))
			var body io.Reader = strings.NewReader(c.body)
			if inChunks {
				body = unsized{body}
			}
			req, err := http.NewRequest(http.MethodPost, h.URL+"/v1/chat/completions", body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Connection", "Keep-Alive, Te")
			req.Header.Set("Te", "trailers")
			req.Header.Set("Keep-Alive", "timeout=5")
			got := h.do(req)
			if sized := got.ContentLength == int64(len(got.body)) && len(got.TransferEncoding) == 0; sized != c.sized || got.err != nil {
				t.Errorf("%s: length %d of %d bytes, transfer encoding %v (%v)", name, got.ContentLength, len(got.body), got.TransferEncoding, got.err)
			}
			for _, header := range []string{"Keep-Alive", "Proxy-Authenticate", "Trailer", "X-Ratelimit-Private", "Connection", "Content-Encoding"} {
				if got.Header.Get(header) != "" {
					t.Errorf("%s: the client got %s: %s", name, header, got.Header.Get(header))
				}
			}
		}
	}
}

// TestARequestCanBeFollowedThrough: the caller's id goes through to upstreams and back on every answer,
// and the log has the upstreams' own beside it.
func TestARequestCanBeFollowedThrough(t *testing.T) {
	ups := func(id string, then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Request-Id") != "caller-1" {
				t.Errorf("upstream got id %q", r.Header.Get("X-Request-Id"))
			}
			w.Header().Set("X-Request-Id", id)
			then(w, r)
		}
	}
	for name, c := range map[string]struct {
		first http.HandlerFunc
		body  string
	}{
		"answered": {answer("ok"), question}, "streamed": {events(token("a"), stop, done), streamed}, "refused": {status(422, "{}"), question},
		"failed": {status(500, "{}"), question}, "broken": {events(token("a")), streamed}, "unknown model": {answer("ok"), `{"model":"none"}`},
	} {
		h := gateway(t, options{routing: `,"retries":0`}, newUpstream(t, ups("up-7", c.first)))
		req := httptest.NewRequest(http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(c.body))
		req.RequestURI = ""
		req.Header.Set("X-Request-Id", "caller-1")
		got := h.do(req)
		if ids := got.Header["X-Request-Id"]; !slices.Equal(ids, []string{"caller-1"}) {
			t.Errorf("%s: the client got ids %q", name, ids)
		}
		h.eventually("the request is logged", func() bool { return strings.Contains(h.log.String(), `"msg":"request"`) })
		if asked := h.hits()[0] > 0; asked != strings.Contains(h.log.String(), `"upstream_request_id":"up-7"`) || !strings.Contains(h.log.String(), `"request_id":"caller-1"`) {
			t.Errorf("%s: the log lacks an id: %s", name, h.log)
		}
	}
	h := gateway(t, options{}, newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "\t"+strings.Repeat("x", 1000))
		answer("ok")(w, r)
	}))
	h.post(question)
	if strings.Contains(h.log.String(), strings.Repeat("x", 129)) {
		t.Error("an upstream's id of a thousand bytes is in the log")
	}
}

// TestNothingInARequestChoosesItsUpstream: members and headers that other gateways obey are the caller's
// text here.
func TestNothingInARequestChoosesItsUpstream(t *testing.T) {
	trap := newUpstream(t, answer("trapped"))
	a := newUpstream(t, answer("from a"))
	h := gateway(t, options{provider: `,"auth":{"secret":"sk-upstream"}`}, a)
	var members []string
	for _, m := range []string{"api_base", "base_url", "api_url", "endpoint", "url", "custom_llm_provider", "provider", "target", "proxy", "host"} {
		members = append(members, fmt.Sprintf("%q:%q", m, trap.URL))
	}
	body := `{"model":"r",` + strings.Join(members, ",") + `,"api_key":"k","fallbacks":[{"model":"x","api_base":"` + trap.URL + `"}],"messages":[]}`
	req := httptest.NewRequest(http.MethodPost, h.URL+"/v1/chat/completions?api_base="+trap.URL, strings.NewReader(body))
	req.RequestURI = ""
	for _, name := range []string{"X-Target-Url", "X-Api-Base", "X-Base-Url", "X-Forwarded-Host", "Forwarded", "X-Original-Url", "X-Upstream", "X-Rewrite-Url", "Host"} {
		req.Header.Set(name, trap.URL)
	}
	req.Host = strings.TrimPrefix(trap.URL, "http://")
	if got := h.do(req); got.StatusCode != 200 || !strings.Contains(got.body, "from a") {
		t.Errorf("client got %d %s", got.StatusCode, got.body)
	}
	if trap.count() != 0 {
		t.Error("the request went where its sender said")
	}
	if want := strings.Replace(body, `"r"`, `"up-a"`, 1); a.bodies[0] != want {
		t.Errorf("upstream got %s, want the members as they were: %s", a.bodies[0], want)
	}
}

func TestNoRedirectIsFollowed(t *testing.T) {
	for _, code := range []int{300, 301, 302, 303, 304, 307, 308} {
		for _, body := range []string{question, streamed} {
			trap := newUpstream(t, answer("trapped"))
			h := gateway(t, options{provider: `,"auth":{"secret":"sk-upstream"}`}, newUpstream(t, status(code, "", "Location", trap.URL+"/v1/chat/completions")))
			got := h.post(body)
			if _, slug, _ := got.apiError(t); got.StatusCode != 502 || slug != "upstream_error" || got.Header.Get("Location") != "" || strings.Contains(got.body, trap.URL) {
				t.Errorf("%d: client got %d %s, headers %v", code, got.StatusCode, got.body, got.Header)
			}
			if trap.count() != 0 {
				t.Errorf("%d was followed", code)
			}
		}
	}
}

// TestOnlyWhatTheCallerWroteIsSent: nothing of a routing, whatever its strategy and settings, is in the
// body that a strict upstream gets.
func TestOnlyWhatTheCallerWroteIsSent(t *testing.T) {
	const body = `{ "model" : "r" ,"messages":[{"role":"user","content":"hi"}],"n":1.0,"enable_thinking":false}`
	const settings = `,"description":"d","labels":{"team":"x"},"retries":0,"max_fallbacks":3,"retry_on_429":true,"fallback_on_statuses":[404],"when_all_unavailable":"fail","deadline":"30s","timeouts":{"attempt":"20s"}`
	for _, strategy := range []string{"failover", "round_robin", "least_latency"} {
		more := settings
		if strategy == "least_latency" {
			more += `,"latency":{"probe_after":"5s"}`
		}
		a, b := newUpstream(t, status(500, "{}")), newUpstream(t, answer("ok"))
		h := gateway(t, options{strategy: strategy, weights: []int{2, 1}, routing: more, model: `,"description":"d","labels":{"a":"b"},"cost":{"input_per_1m":1,"output_per_1m":2},"cooldown":{"failures":9}`}, a, b)
		for range 3 {
			h.post(body)
		}
		for name, u := range map[string]*upstream{"up-a": a, "up-b": b} {
			for _, got := range u.bodies {
				if want := strings.Replace(body, `"r"`, `"`+name+`"`, 1); got != want {
					t.Errorf("%s: %s got %s, want %s", strategy, name, got, want)
				}
			}
		}
		if b.count() == 0 {
			t.Errorf("%s: the second target was never asked", strategy)
		}
	}
}
