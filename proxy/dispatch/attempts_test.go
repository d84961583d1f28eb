package dispatch_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

func TestBudgetsBoundTheAttempts(t *testing.T) {
	fail := status(500, `{"error":{"message":"from upstream"}}`)
	for name, c := range map[string]struct {
		routing string
		want    []int
	}{
		"one retry each by default":       {``, []int{2, 2, 2}},
		"retries 0":                       {`,"retries":0`, []int{1, 1, 1}},
		"failures in a row end the retry": {`,"retries":9`, []int{3, 3, 3}},
		"max_fallbacks 1":                 {`,"max_fallbacks":1`, []int{2, 2, 0}},
		"max_fallbacks 0":                 {`,"max_fallbacks":0`, []int{2, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			h := gateway(t, options{routing: c.routing}, newUpstream(t, fail), newUpstream(t, fail), newUpstream(t, fail))
			got := h.post(question)
			if !slices.Equal(h.hits(), c.want) {
				t.Errorf("hits %v, want %v", h.hits(), c.want)
			}
			if message, _, _ := got.apiError(t); got.StatusCode != 500 || message != "from upstream" {
				t.Errorf("client got %d %q, want the last upstream's error", got.StatusCode, message)
			}
			total := 0
			for _, n := range c.want {
				total += n
			}
			if got.Header.Get("X-Sluice-Attempts") != strconv.Itoa(total) {
				t.Errorf("x-sluice-attempts %q, want %d", got.Header.Get("X-Sluice-Attempts"), total)
			}
		})
	}
}

func TestTheDeadlineCoversAllAttempts(t *testing.T) {
	h := gateway(t, options{routing: `,"deadline":"80ms"`}, newUpstream(t, hang), newUpstream(t, answer("late")))
	got := h.post(question)
	if _, code, _ := got.apiError(t); got.StatusCode != http.StatusGatewayTimeout || code != "upstream_timeout" {
		t.Errorf("client got %d %q, want 504", got.StatusCode, got.body)
	}
	if !slices.Equal(h.hits(), []int{1, 0}) {
		t.Errorf("hits %v, want no attempt after the deadline", h.hits())
	}
	h.checkQuiet()
}

func TestAWaitLongerThanTheDeadlineEndsTheRequestAtOnce(t *testing.T) {
	h := gateway(t, options{routing: `,"retry_on_429":true,"deadline":"20s"`}, newUpstream(t, status(429, `{}`, "Retry-After", "30", "X-Ratelimit-Remaining-Requests", "0")))
	got := h.post(question)
	if got.StatusCode != 429 || got.Header.Get("Retry-After") != "30" || got.Header.Get("X-Ratelimit-Remaining-Requests") != "0" {
		t.Errorf("client got %d, headers %v, want the upstream's 429 with its headers", got.StatusCode, got.Header)
	}
	if h.hits()[0] != 1 {
		t.Errorf("hits %v", h.hits())
	}
}

func TestAWaitLongerThanTheLongestCooldownEndsTheRequestAtOnce(t *testing.T) {
	h := gateway(t, options{routing: `,"retry_on_429":true,"deadline":"0s"`, model: `,"cooldown":{"max":"20s"}`}, newUpstream(t, status(429, `{}`, "Retry-After", "30")))
	if got := h.post(question); got.StatusCode != 429 || got.Header.Get("Retry-After") != "30" {
		t.Errorf("client got %d, headers %v, want the upstream's 429 with its headers", got.StatusCode, got.Header)
	}
}

func TestTheFirstFailureIsToldWhenAFallbackOnlyObjects(t *testing.T) {
	h := gateway(t, options{}, newUpstream(t, status(429, `{"error":{"message":"slow down"}}`, "Retry-After", "2")),
		newUpstream(t, status(400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`)))
	got := h.post(question)
	if message, _, _ := got.apiError(t); got.StatusCode != 429 || message != "slow down" || got.Header.Get("Retry-After") != "2" {
		t.Errorf("client got %d %q, want the 429", got.StatusCode, got.body)
	}
	if !slices.Equal(h.hits(), []int{1, 1}) {
		t.Errorf("hits %v", h.hits())
	}
}

func TestACoolingTargetUsesUpNoFallback(t *testing.T) {
	a, b, c := newUpstream(t, status(429, `{}`)), newUpstream(t, status(500, `{}`)), newUpstream(t, answer("from c"))
	h := gateway(t, options{routing: `,"max_fallbacks":1,"retries":0`}, a, b, c)
	if got := h.post(question); got.StatusCode != 500 {
		t.Fatalf("first request: %d", got.StatusCode)
	}
	if got := h.post(question); got.StatusCode != 200 || !strings.Contains(got.body, "from c") {
		t.Errorf("second request: %d %q, want c's answer: a cools and may not count", got.StatusCode, got.body)
	}
	if !slices.Equal(h.hits(), []int{1, 2, 1}) {
		t.Errorf("hits %v", h.hits())
	}
}

func TestWhenEveryTargetCools(t *testing.T) {
	limited := func(seconds string) http.HandlerFunc { return status(429, `{}`, "Retry-After", seconds) }
	t.Run("fail answers with the least remaining time", func(t *testing.T) {
		h := gateway(t, options{routing: `,"when_all_unavailable":"fail"`}, newUpstream(t, limited("100")), newUpstream(t, limited("40")))
		h.post(question)
		got := h.post(question)
		left, _ := strconv.Atoi(got.Header.Get("Retry-After"))
		if got.StatusCode != 503 || left < 30 || left > 40 {
			t.Errorf("client got %d, Retry-After %q, want 503 and about 40", got.StatusCode, got.Header.Get("Retry-After"))
		}
		if !slices.Equal(h.hits(), []int{1, 1}) {
			t.Errorf("hits %v, want none while cooling", h.hits())
		}
	})
	t.Run("try_anyway tries the soonest first", func(t *testing.T) {
		h := gateway(t, options{}, newUpstream(t, limited("100")), newUpstream(t, limited("40"), answer("from b")))
		h.post(question)
		if got := h.post(question); got.StatusCode != 200 || !strings.Contains(got.body, "from b") {
			t.Errorf("client got %d %q", got.StatusCode, got.body)
		}
		if !slices.Equal(h.hits(), []int{1, 2}) {
			t.Errorf("hits %v", h.hits())
		}
	})
	t.Run("a sole target is tried even then", func(t *testing.T) {
		h := gateway(t, options{routing: `,"when_all_unavailable":"fail"`}, newUpstream(t, limited("100"), answer("from a")))
		if got := h.post(question); got.StatusCode != 429 {
			t.Errorf("client got %d, want the upstream's own 429", got.StatusCode)
		}
		if got := h.post(question); got.StatusCode != 200 {
			t.Errorf("client got %d", got.StatusCode)
		}
	})
}

func TestOneOfManyRequestsProbesAHalfOpenTarget(t *testing.T) {
	release := make(chan struct{})
	a := newUpstream(t, status(429, `{}`, "Retry-After", "1"), func(w http.ResponseWriter, r *http.Request) {
		<-release
		answer("from a")(w, r)
	})
	h := gateway(t, options{}, a, newUpstream(t, answer("from b")))
	h.post(question)
	h.eventually("a is half-open", func() bool { return h.cooldowns.Standing(h.target("a"), time.Now()).HalfOpen })
	var wg sync.WaitGroup
	probe := make(chan reply, 1)
	go func() { probe <- h.post(question) }()
	h.eventually("a is probed", func() bool { return a.count() == 2 })
	for range 20 {
		wg.Go(func() {
			if got := h.post(question); !strings.Contains(got.body, "from b") {
				t.Errorf("client got %q while a is probed", got.body)
			}
		})
	}
	wg.Wait()
	close(release)
	if got := <-probe; !strings.Contains(got.body, "from a") {
		t.Errorf("the probe got %q", got.body)
	}
	if a.count() != 2 {
		t.Errorf("a was asked %d times, want the first and one probe", a.count())
	}
	if !h.cooldowns.Standing(h.target("a"), time.Now()).Ready() {
		t.Error("a is not back after its probe")
	}
}

func TestAStaleKeptConnectionIsReplacedWithoutBlame(t *testing.T) {
	a := newUpstream(t, answer("from a"))
	h := gateway(t, options{routing: `,"retries":0`}, a)
	for range 5 {
		if got := h.post(question); got.StatusCode != 200 {
			t.Fatalf("client got %d; log: %s", got.StatusCode, h.log)
		}
		a.CloseClientConnections()
	}
	for _, at := range h.attempts.list {
		if at.Outcome != "ok" {
			t.Errorf("attempt ended %q", at.Outcome)
		}
	}
}

func TestEachAttemptIsBuiltForItsTarget(t *testing.T) {
	const body = `{"model":"r", "seed":9007199254740993,"temperature":0.10,"x_vendor":{"a":[1,null]},"x":1e400,"y":-0,"messages":[{"role":"user","content":"\u00e9 \/ é"}]}`
	var auth []string
	var mu sync.Mutex
	note := func(then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			auth = append(auth, r.Header.Get("Authorization"))
			mu.Unlock()
			if r.ContentLength <= 0 || len(r.TransferEncoding) > 0 {
				t.Errorf("length %d, transfer encoding %v", r.ContentLength, r.TransferEncoding)
			}
			then(w, r)
		}
	}
	a, b := newUpstream(t, note(status(500, `{}`))), newUpstream(t, note(answer("ok")))
	h := gateway(t, options{routing: `,"retries":0`, provider: `,"auth":{"secret":"sk-upstream"}`}, a, b)
	h.post(body)
	for _, u := range []struct {
		up   *upstream
		name string
	}{{a, "up-a"}, {b, "up-b"}} {
		if want := strings.Replace(body, `"r"`, `"`+u.name+`"`, 1); u.up.bodies[0] != want {
			t.Errorf("upstream got %s, want %s", u.up.bodies[0], want)
		}
	}
	for _, got := range auth {
		if got != "Bearer sk-upstream" {
			t.Errorf("Authorization %q", got)
		}
	}
}

func TestNoCredentialLeavesOrComesBack(t *testing.T) {
	seen := make(chan *http.Request, 1)
	a := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		seen <- r
		w.Header().Set("Set-Cookie", "session=1")
		w.Header().Set("Openai-Processing-Ms", "12")
		answer("ok")(w, r)
	})
	h := gateway(t, options{provider: `,"auth":{"secret":"sk-upstream"}`}, a)
	req := httptest.NewRequest(http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(question))
	req.RequestURI = ""
	for _, name := range []string{"X-Api-Key", "Api-Key"} {
		req.Header.Set(name, callerKey)
	}
	for _, name := range []string{"X-Goog-Api-Key", "Cookie", "Proxy-Authorization", "X-Target-Url"} {
		req.Header.Set(name, "private-"+callerKey)
	}
	got := h.do(req)
	var sent strings.Builder
	(<-seen).Header.Write(&sent)
	if strings.Contains(sent.String(), callerKey) {
		t.Errorf("the caller's key left:\n%s", sent.String())
	}
	if got.Header.Get("Set-Cookie") != "" || got.Header.Get("Openai-Processing-Ms") != "12" {
		t.Errorf("answer headers %v", got.Header)
	}
	if strings.Contains(h.log.String(), "sk-upstream") || strings.Contains(h.log.String(), callerKey) {
		t.Error("a key is in the log")
	}
}

func TestErrorsNameNoInternalAddress(t *testing.T) {
	a := newUpstream(t, reset)
	h := gateway(t, options{}, a)
	a.Close()
	got := h.post(question)
	message, code, _ := got.apiError(t)
	if got.StatusCode != 502 || code != "upstream_error" || strings.Contains(got.body, "127.0.0.1") {
		t.Errorf("client got %d %q", got.StatusCode, message)
	}
}

func TestACompressedAnswerIsDecoded(t *testing.T) {
	h := gateway(t, options{}, newUpstream(t, gzipped(answer("zipped"))))
	got := h.post(question)
	if !strings.Contains(got.body, "zipped") || got.Header.Get("Content-Encoding") != "" {
		t.Errorf("client got %q, headers %v", got.body, got.Header)
	}
	h = gateway(t, options{}, newUpstream(t, gzipped(events(token("a"), stop, done))))
	if got := h.post(streamed); got.body != token("a")+stop+done {
		t.Errorf("client got %q", got.body)
	}
}

func TestTheStatusOfAFailureCanBeChosen(t *testing.T) {
	for name, c := range map[string]struct {
		script http.HandlerFunc
		opts   options
		want   int
	}{
		"unreachable":       {reset, options{}, 503},
		"too slow":          {hang, options{model: `,"timeouts":{"attempt":"30ms"}`}, 503},
		"an upstream's 502": {status(502, "{}"), options{}, 503},
		"an upstream's 500": {status(500, "{}"), options{}, 500},
		"an upstream's 429": {status(429, "{}"), options{}, 429},
		"a good answer":     {answer("ok"), options{}, 200},
	} {
		c.opts.failedStatus = 503
		h := gateway(t, c.opts, newUpstream(t, c.script))
		got := h.post(question)
		if got.StatusCode != c.want || h.attempts.requests()[0].Result.Status != c.want {
			t.Errorf("%s: client got %d, want %d", name, got.StatusCode, c.want)
		}
		if got.StatusCode != 200 {
			got.apiError(t)
		}
	}
}

func TestTheSumOfWholeAnswersIsBounded(t *testing.T) {
	for name, script := range map[string]http.HandlerFunc{
		"of known length": status(200, `{"x":"`+strings.Repeat("a", 600<<10)+`"}`, "Content-Length", strconv.Itoa(600<<10+8)),
		"in chunks": func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			answer(strings.Repeat("a", 600<<10))(w, r)
		},
	} {
		h := gateway(t, options{}, newUpstream(t, script))
		if got := h.post(question); got.StatusCode != 200 {
			t.Errorf("%s: %d %.100s", name, got.StatusCode, got.body)
		}
		const room = 500 << 10
		h.eventually("the first answer's room is given back", func() bool { return h.budget.Take(4<<20 - room) }) // as other answers would
		got := h.post(question)
		if _, code, _ := got.apiError(t); got.StatusCode != 503 || code != "unavailable" || got.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %.100s, want 503 with Retry-After", name, got.StatusCode, got.body)
		}
		if taken := h.budget.Taken(); taken != 4<<20-room {
			t.Errorf("%s: %d bytes are not given back", name, taken-(4<<20-room))
		}
		if e := h.board.Estimate(h.target("a").Signal, signal.Total, time.Now()); e.Failures != 0 {
			t.Errorf("%s: the upstream is blamed", name)
		}
	}
}
