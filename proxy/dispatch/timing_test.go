package dispatch_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// each writes the part once an interval, that many times.
func each(interval time.Duration, times int, part string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for range times {
			time.Sleep(interval)
			io.WriteString(w, part)
			http.NewResponseController(w).Flush()
		}
	}
}

func then(steps ...http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, s := range steps {
			s(w, r)
		}
	}
}

func say(parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, p := range parts {
			io.WriteString(w, p)
		}
		http.NewResponseController(w).Flush()
	}
}

func TestWhatIsNoContentDoesNotPutOffTheFirstTokenTimeout(t *testing.T) {
	for name, part := range map[string]string{"roles": role, "comments": ": ping\n\n", "empty chunks": "data: {}\n\n"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				a := n.upstream("a", eventsThen(then(each(400*time.Millisecond, 20, part), say(token("late"), stop, done))))
				h := n.gateway(t, options{model: `,"timeouts":{"first_token":"1s"}`}, a, n.upstream("b", events(token("from b"), stop, done)))
				began := time.Now()
				if got := h.post(streamed); !strings.Contains(got.body, "from b") || time.Since(began) != time.Second {
					t.Errorf("after %v the client got %q, want b's answer after 1s", time.Since(began), got.body)
				}
			})
		})
	}
}

func TestCommentsKeepACommittedStreamAlive(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a := n.upstream("a", eventsThen(then(each(time.Second, 30, ": keep\n\n"), say(token("b"), stop, done)), token("a")))
		h := n.gateway(t, options{model: `,"timeouts":{"idle":"2s"}`}, a)
		if got := h.post(streamed); got.body != token("a")+token("b")+stop+done {
			t.Errorf("client got %q", got.body)
		}
	})
}

func TestStreamsThatBreakAfterTheirFirstTokenCoolTheTarget(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a := n.upstream("a", eventsThen(cut, token("a")))
		h := n.gateway(t, options{}, a, n.upstream("b", events(token("from b"), stop, done)))
		for range 3 {
			h.post(streamed)
		}
		if got := h.post(streamed); !strings.Contains(got.body, "from b") || a.count() != 3 {
			t.Errorf("client got %q, hits %v, want b: three streams in a row broke", got.body, h.hits())
		}
	})
}

func TestATargetIsNotBlamedForTimeThatAnotherUsedUp(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		slowly := func(d time.Duration, h http.HandlerFunc) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { time.Sleep(d); h(w, r) }
		}
		a, b := n.upstream("a", slowly(900*time.Millisecond, status(500, "{}"))), n.upstream("b", slowly(500*time.Millisecond, answer("ok")))
		h := n.gateway(t, options{routing: `,"retries":0,"deadline":"1s"`}, a, b)
		for range 2 {
			if got := h.post(question); got.StatusCode != 504 {
				t.Errorf("client got %d", got.StatusCode)
			}
		}
		if e := h.board.Estimate(h.target("b").Signal, signal.Total, time.Now()); e.Failures != 0 {
			t.Errorf("b is blamed: %+v", e)
		}
		if !h.cooldowns.Standing(h.target("b"), time.Now()).Ready() {
			t.Error("b cools")
		}
	})
}

func TestNoAttemptBeginsAfterTheDeadline(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a := n.upstream("a", func(w http.ResponseWriter, r *http.Request) { time.Sleep(time.Second); status(500, "{}")(w, r) })
		h := n.gateway(t, options{routing: `,"retries":5,"deadline":"2s"`}, a, n.upstream("b", hang), n.upstream("c", answer("late")))
		got := h.post(question)
		if got.StatusCode != 504 || h.hits()[2] != 0 || got.Header.Get("X-Sluice-Target") == "c" {
			t.Errorf("client got %d from %q, hits %v, want 504 and no attempt on c", got.StatusCode, got.Header.Get("X-Sluice-Target"), h.hits())
		}
	})
}

func TestARequestThatWasWorkedOnIsNotTakenForAStaleConnection(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a := n.upstream("a", answer("ok"), func(w http.ResponseWriter, r *http.Request) { time.Sleep(3 * time.Second); cut(w, r) })
		h := n.gateway(t, options{routing: `,"retries":0`}, a)
		h.post(question) // leaves a connection to be used again
		if got := h.post(question); got.StatusCode != 502 || a.count() != 2 {
			t.Errorf("client got %d, hits %v, want 502 and no resend", got.StatusCode, h.hits())
		}
	})
}

func TestAWholeAnswerToAStreamIsNoFirstToken(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a := n.upstream("a", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			http.NewResponseController(w).Flush()
			time.Sleep(5 * time.Second)
			answer("whole")(w, r)
		})
		h := n.gateway(t, options{model: `,"timeouts":{"first_token":"2s"}`}, a)
		if got := h.post(streamed); !strings.Contains(got.body, "whole") {
			t.Errorf("client got %d %q", got.StatusCode, got.body)
		}
		if e := h.board.Estimate(h.target("a").Signal, signal.TTFT, time.Now()); !e.Borrowed {
			t.Errorf("a first token was measured: %+v", e)
		}
	})
}

func TestContentAfterALongPreludeIsMeasured(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		prelude := slices.Repeat([]string{role}, 1000)
		a := n.upstream("a", eventsThen(then(each(time.Second, 1, token("a")), say(stop, done)), prelude...))
		h := n.gateway(t, options{}, a)
		h.post(streamed)
		if got := h.attempts.list[0].FirstToken; got != time.Second {
			t.Errorf("first token after %v, want 1s", got)
		}
	})
}
