package dispatch_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

const onSession = `,"sticky_on":{"source":"header","name":"X-Session"}`

// TestASessionStaysWhereItWas while that target is about as good as the best, be the other a little faster.
func TestASessionStaysWhereItWas(t *testing.T) {
	for _, streams := range []bool{false, true} {
		bubble(t, func(t *testing.T, n *network) {
			body, say := question, answer("ok")
			if streams {
				body, say = streamed, events(token("x"), stop, done)
			}
			h := n.gateway(t, options{strategy: "least_latency", routing: `,"latency":{"selection":"strict","probe_after":"0s"}` + onSession},
				n.upstream("a", slowly(time.Second, say)), n.upstream("b", slowly(1100*time.Millisecond, say)))
			var first [10]string
			for session := range first { // nothing is known at first, and so both are met
				first[session] = h.with(body, fmt.Sprint("X-Session: ", session)).served(t)
			}
			for range 5 {
				for session := range first {
					if got := h.with(body, fmt.Sprint("X-Session: ", session)).served(t); got != first[session] && session < 2 {
						t.Errorf("streams %t: session %d moved from %s to %s", streams, session, first[session], got)
					}
				}
			}
			if first[0] == first[1] {
				t.Errorf("streams %t: both first sessions met %s; the test tests nothing", streams, first[0])
			}
			if got := h.with(body).served(t); got != "a" {
				t.Errorf("streams %t: a request in no session met %s, want the fastest", streams, got)
			}
		})
	}
}

func TestASessionLeavesATargetThatFailsOrFallsBehind(t *testing.T) {
	for name, worse := range map[string]http.HandlerFunc{
		"fails": status(500, "{}"), "cut": cut, "slow": slowly(20*time.Second, answer("late")),
	} {
		bubble(t, func(t *testing.T, n *network) {
			bad := false
			script := func(w http.ResponseWriter, r *http.Request) {
				if bad {
					worse(w, r)
					return
				}
				slowly(time.Second, answer("ok"))(w, r)
			}
			h := n.gateway(t, options{strategy: "least_latency", routing: `,"latency":{"selection":"strict"}` + onSession}, n.upstream("a", script), n.upstream("b", slowly(1500*time.Millisecond, answer("ok"))))
			for range 4 {
				h.with(question, "X-Session: s").served(t)
				h.with(question, "X-Session: other").served(t)
			}
			synctest.Wait()
			bad = true
			for range 12 {
				h.with(question, "X-Session: s").served(t)
			}
			if got := h.with(question, "X-Session: s").served(t); got != "b" {
				t.Errorf("%s: the session is at %s still", name, got)
			}
		})
	}
}

func TestSessionsOnIdleTargetsAreSpreadAndStay(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{strategy: "least_busy", routing: onSession}, n.upstream("a", answer("ok")), n.upstream("b", answer("ok")))
		share := map[string]int{}
		for session := range 40 {
			first := h.with(question, fmt.Sprint("X-Session: ", session)).served(t)
			share[first]++
			for range 2 {
				if got := h.with(question, fmt.Sprint("X-Session: ", session)).served(t); got != first {
					t.Fatalf("session %d moved from %s to %s between equally idle targets", session, first, got)
				}
			}
		}
		if share["a"] != 20 || share["b"] != 20 {
			t.Errorf("new sessions met %v, want half each", share)
		}
	})
}
