package dispatch_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// checkQuiet holds what is true after every request, however it ended: nothing is in flight.
func (h *harness) checkQuiet() {
	h.t.Helper()
	h.eventually("requests end", func() bool { return h.attempts.open.Load() == 0 })
	for _, target := range h.snapshot.Targets() {
		if n := h.board.Estimate(target.Signal, signal.Total, time.Now()).Inflight; n != 0 {
			h.t.Errorf("%s has %d in flight after the request", target.Model, n)
		}
	}
}

// eventually waits for something that another goroutine is about to do.
func (h *harness) eventually(what string, ok func() bool) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			h.t.Fatalf("%s: did not happen", what)
		case <-tick.C:
		}
	}
}

func TestAStreamPassesEventForEvent(t *testing.T) {
	parts := []string{role, token("a"), `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n", stop, done}
	h := gateway(t, options{}, newUpstream(t, events(parts...)))
	got := h.post(streamed)
	if want := strings.Join(parts, ""); got.body != want {
		t.Errorf("client got %q, want %q", got.body, want)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "X-Sluice-Target": "a", "X-Sluice-Attempts": "1", "X-Sluice-Revision": "7",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
		}
	}
	if u := h.attempts.list[0].Usage; u.Prompt != 1 || u.Completion != 2 {
		t.Errorf("usage %+v", u)
	}
	h.checkQuiet()
}

func TestEventsReachTheClientAsTheyCome(t *testing.T) {
	next := make(chan struct{})
	h := gateway(t, options{}, newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range []string{token("1"), token("2"), token("3"), stop + done} {
			io.WriteString(w, p)
			http.NewResponseController(w).Flush()
			<-next // until the client has it
		}
	}))
	req, _ := http.NewRequest(http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(streamed))
	req.Header.Set("Authorization", "Bearer "+callerKey)
	resp, err := h.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for i := 1; i <= 3; i++ {
		for lines.Scan() && !strings.Contains(lines.Text(), `"content":"`) {
		}
		next <- struct{}{}
	}
	close(next)
}

// TestAfterTheFirstContentNothingIsTriedAgain: whatever breaks then, the client has what came and one error
// event, no terminator, and no second target was asked.
func TestAfterTheFirstContentNothingIsTriedAgain(t *testing.T) {
	for name, break_ := range map[string]http.HandlerFunc{
		"reset":                  eventsThen(reset, role, token("Hello wor")),
		"end without a finish":   events(role, token("Hello wor")),
		"half an event":          events(role, token("Hello wor"), `data: {"choices":[{"ind`),
		"an error event":         events(role, token("Hello wor"), failed),
		"an error in a chunk":    events(role, token("Hello wor"), `data: {"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"Provider disconnected"}}`+"\n\n"),
		"silence":                eventsThen(hang, role, token("Hello wor")),
		"an event over the size": eventsThen(hang, role, token("Hello wor"), token(strings.Repeat("x", 2<<20))),
	} {
		t.Run(name, func(t *testing.T) {
			h := gateway(t, options{model: `,"timeouts":{"idle":"60ms"}`}, newUpstream(t, break_), newUpstream(t, events(token("from b"), stop, done)))
			got := h.post(streamed)
			if !slices.Equal(h.hits(), []int{1, 0}) {
				t.Errorf("hits %v, want the first target only", h.hits())
			}
			if got.StatusCode != 200 || got.err != nil {
				t.Errorf("status %d, error %v", got.StatusCode, got.err)
			}
			if !strings.HasPrefix(got.body, role+token("Hello wor")) || strings.Count(got.body, `"error":{`) != 1 || strings.Contains(got.body, "[DONE]") {
				t.Errorf("client got %q, want the content, one error event and no [DONE]", got.body)
			}
			rest := strings.TrimPrefix(got.body, role+token("Hello wor"))
			reply{got.Response, strings.TrimSuffix(strings.TrimPrefix(rest, "data: "), "\n\n"), nil}.apiError(t)
			if f := h.board.Estimate(h.target("a").Signal, signal.TTFT, time.Now()).Failures; f == 0 {
				t.Error("the break does not count against the target")
			}
			if out := h.attempts.requests()[0].Result.Outcome; out == "ok" {
				t.Errorf("outcome %q", out)
			}
			h.checkQuiet()
		})
	}
}

func TestAStreamThatEndsInOrderIsComplete(t *testing.T) {
	for name, c := range map[string]struct {
		script http.HandlerFunc
		want   string
	}{
		"kept open after [DONE]":      {eventsThen(hang, token("a"), stop, done), token("a") + stop + done},
		"a finish and no [DONE]":      {events(token("a"), stop), token("a") + stop + done},
		"[DONE] without a blank line": {events(token("a"), stop, "data: [DONE]"), token("a") + stop + done},
		"[DONE] only":                 {events(done), done},
		"a malformed chunk inside":    {events(token("a"), "data: {broken\n\n", token("b"), stop, done), token("a") + "data: {broken\n\n" + token("b") + stop + done},
		"pings and CRLF":              {events(": ping\r\n\r\n", strings.ReplaceAll(token("a"), "\n", "\r\n"), "retry: 3000\n\n", stop, done), token("a") + stop + done},
	} {
		t.Run(name, func(t *testing.T) {
			h := gateway(t, options{}, newUpstream(t, c.script), newUpstream(t, status(500, "{}")))
			got := h.post(streamed)
			if got.body != c.want || got.err != nil {
				t.Errorf("client got %q (%v), want %q", got.body, got.err, c.want)
			}
			if r := h.attempts.requests()[0].Result; r.Outcome != "ok" || r.Attempts != 1 {
				t.Errorf("result %+v", r)
			}
		})
	}
}

func TestTheNextTargetGetsAGateOfItsOwn(t *testing.T) {
	next := make(chan struct{})
	h := gateway(t, options{routing: `,"retries":0`}, newUpstream(t, events(role, role)), newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, role+token("now"))
		http.NewResponseController(w).Flush()
		<-next
		io.WriteString(w, stop+done)
	}))
	req, _ := http.NewRequest(http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(streamed))
	req.Header.Set("Authorization", "Bearer "+callerKey)
	resp, err := h.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, len(role)+len(token("now")))
	if _, err := io.ReadFull(resp.Body, first); err != nil { // before the upstream goes on
		t.Fatal(err)
	}
	close(next)
	if rest, err := io.ReadAll(resp.Body); string(rest) != stop+done || err != nil {
		t.Errorf("rest %q (%v)", rest, err)
	}
}

func TestAClientThatLeavesCancelsTheUpstreamAndNobodyIsBlamed(t *testing.T) {
	for name, c := range map[string]struct {
		script http.HandlerFunc
		body   string
		read   int // bytes that the client reads before it leaves
		opts   options
	}{
		"before the first byte of a stream": {hang, streamed, 0, options{}},
		"before a whole answer":             {hang, question, 0, options{}},
		"after the head of a stream":        {eventsThen(hang, role), streamed, 0, options{}},
		"inside a stream":                   {eventsThen(hang, role, token("a")), streamed, len(role), options{}},
	} {
		t.Run(name, func(t *testing.T) {
			a := newUpstream(t, c.script)
			h := gateway(t, c.opts, a, newUpstream(t, answer("from b")))
			ctx, leave := context.WithCancel(t.Context())
			req, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(c.body))
			req.Header.Set("Authorization", "Bearer "+callerKey)
			var asked sync.WaitGroup
			defer asked.Wait()
			asked.Go(func() {
				h.eventually("the upstream is asked", func() bool { return a.count() == 1 })
				if c.read == 0 {
					leave()
				}
			})
			if resp, err := h.Client().Do(req); err == nil {
				io.ReadFull(resp.Body, make([]byte, c.read))
				leave()
				resp.Body.Close()
			}
			defer leave()
			<-a.gone
			h.checkQuiet()
			if !slices.Equal(h.hits(), []int{1, 0}) {
				t.Errorf("hits %v, want one and no fallback", h.hits())
			}
			if e := h.board.Estimate(h.target("a").Signal, signal.TTFT, time.Now()); e.Failures != 0 {
				t.Errorf("the target is blamed: %+v", e)
			}
			if r := h.attempts.requests()[0].Result; r.Outcome != "client_gone" {
				t.Errorf("result %+v", r)
			}
		})
	}
}

func TestAClientThatLeavesInARetryPauseEndsTheRequest(t *testing.T) {
	a := newUpstream(t, status(429, `{}`, "Retry-After", "30"))
	h := gateway(t, options{routing: `,"retry_on_429":true`}, a)
	ctx, leave := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(question))
	req.Header.Set("Authorization", "Bearer "+callerKey)
	go func() {
		h.eventually("the first attempt fails", func() bool { return strings.Contains(h.log.String(), "attempt failed") })
		leave()
	}()
	if _, err := h.Client().Do(req); err == nil {
		t.Error("the client got an answer")
	}
	h.checkQuiet()
	if a.count() != 1 {
		t.Errorf("hits %d, want 1", a.count())
	}
}

func TestAFirstTokenIsKnownBeforeItsStreamEnds(t *testing.T) {
	a := newUpstream(t, eventsThen(hang, token("a")))
	h := gateway(t, options{}, a)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(streamed))
	req.Header.Set("Authorization", "Bearer "+callerKey)
	resp, err := h.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	h.eventually("the first token is measured", func() bool {
		return h.board.Estimate(h.target("a").Signal, signal.TTFT, time.Now()).Measured
	})
	leave()
	h.checkQuiet()
	if e := h.board.Estimate(h.target("a").Signal, signal.TTFT, time.Now()); e.Failures != 0 {
		t.Errorf("estimate %+v", e)
	}
}
