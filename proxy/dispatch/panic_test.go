package dispatch_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// TestAPanicLeavesNothingBehind: its target has nothing in flight, its room is given back, and the next
// request may probe.
func TestAPanicLeavesNothingBehind(t *testing.T) {
	for name, body := range map[string]string{"whole": question, "stream": streamed} {
		bubble(t, func(t *testing.T, n *network) {
			a := n.upstream("a", status(429, "{}", "Retry-After", "1"), events(token("a"), stop, done), answer("ok"))
			if name == "whole" {
				a = n.upstream("a", status(429, "{}", "Retry-After", "1"), answer("ok"))
			}
			h := n.gateway(t, options{strategy: "least_latency"}, a)
			h.post(question)
			time.Sleep(time.Second) // and a is half-open
			large := strings.Replace(body, "hi", strings.Repeat("a", 900<<10), 1)
			for range 5 {
				req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(large))
				req.Header.Set("Authorization", "Bearer "+callerKey)
				req.Header.Set("X-Request-Id", "broken-1")
				func() {
					defer func() { recover() }()
					h.edge.ServeHTTP(&fragile{ResponseRecorder: httptest.NewRecorder()}, req)
				}()
			}
			h.checkQuiet()
			if d := h.decision("broken-1"); d.Outcome != "panic" {
				t.Errorf("%s: the decision says outcome %q", name, d.Outcome)
			}
			if n := h.board.Estimate(h.target("a").Signal, signal.Total, time.Now()).Inflight; n != 0 {
				t.Errorf("%s: %d in flight", name, n)
			}
			if s := h.cooldowns.Standing(h.target("a"), time.Now()); s.Remaining > 0 {
				t.Errorf("%s: standing %+v, as if somebody were still probing", name, s)
			}
			if got := h.post(strings.Replace(question, "hi", strings.Repeat("a", 900<<10), 1)); got.StatusCode != 200 {
				t.Errorf("%s: afterwards the client got %d %s", name, got.StatusCode, got.body)
			}
		})
	}
}

// fragile is a client's writer with a bug in it.
type fragile struct{ *httptest.ResponseRecorder }

func (fragile) WriteHeader(status int) {
	if status == 200 {
		panic("boom")
	}
}
