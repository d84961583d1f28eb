package dispatch_test

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// slowly answers after d.
func slowly(d time.Duration, then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(d)
		then(w, r)
	}
}

func (h *harness) mustAnswer(n int) {
	h.t.Helper()
	for i := range n {
		if got := h.post(question); got.StatusCode != 200 {
			h.t.Errorf("request %d: client got %d %s", i, got.StatusCode, got.body)
		}
	}
}

func TestADeadTargetCostsNoClientAnAnswer(t *testing.T) {
	for _, c := range []struct {
		strategy string
		weights  []int
		model    string
		requests int
	}{
		{"round_robin", []int{50, 50}, "", 200},
		{"round_robin", []int{50, 50}, `,"cooldown":{"duration":"0s"}`, 200},
		{"round_robin", []int{1000, 1}, `,"cooldown":{"duration":"0s"}`, 20},
		{"round_robin", []int{1, 0}, "", 20}, // the last resort
		{"failover", []int{1, 1}, `,"cooldown":{"duration":"0s"}`, 20},
		{"least_latency", []int{1, 1}, `,"cooldown":{"duration":"0s"}`, 20},
	} {
		bubble(t, func(t *testing.T, n *network) {
			h := n.gateway(t, options{strategy: c.strategy, weights: c.weights, model: c.model, routing: `,"retries":0`}, n.at("http://dead"), n.upstream("b", answer("from b")))
			h.mustAnswer(c.requests)
			if h.hits()[1] != c.requests {
				t.Errorf("%+v: the living target had %d requests", c, h.hits()[1])
			}
		})
	}
}

func TestSharesFollowTheWeightsThroughRealRequests(t *testing.T) {
	for _, weights := range [][]int{{50, 50}, {0, 1}, {1, 1000}, {3, 2, 1}, {1, 1, 1, 0}} {
		bubble(t, func(t *testing.T, n *network) {
			const requests = 200
			var ups []*upstream
			total := 0
			for i, w := range weights {
				ups = append(ups, n.upstream(fmt.Sprint("host", i), answer("ok")))
				total += w
			}
			h := n.gateway(t, options{strategy: "round_robin", weights: weights}, ups...)
			h.mustAnswer(requests)
			for i, got := range h.hits() {
				if want := float64(requests*weights[i]) / float64(total); math.Abs(float64(got)-want) > 0.02*requests || weights[i] == 0 && got != 0 {
					t.Errorf("weights %v: target %d had %d of %d requests, want about %.0f", weights, i, got, requests, want)
				}
			}
		})
	}
}

// TestFastFailuresDrawNoRequests: without any cooldown the estimate alone keeps requests away from a target
// that fails in two milliseconds.
func TestFastFailuresDrawNoRequests(t *testing.T) {
	for name, fail := range map[string]http.HandlerFunc{"500": status(500, "{}"), "cut": cut, "empty": status(200, ""), "429": status(429, "{}")} {
		bubble(t, func(t *testing.T, n *network) {
			h := n.gateway(t, options{strategy: "least_latency", routing: `,"retries":0`, model: `,"cooldown":{"duration":"0s"}`},
				n.upstream("a", slowly(2*time.Millisecond, fail)), n.upstream("b", slowly(300*time.Millisecond, answer("from b"))))
			h.mustAnswer(200) // one minute
			if a := h.hits()[0]; a > 5 {
				t.Errorf("%s: the failing target had %d requests of 200", name, a)
			}
		})
	}
}

func TestTimeoutsAreAsSlowAsTheyAre(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		// a is faster as long as it answers; every fourth request to it hangs until its timeout.
		a := []http.HandlerFunc{slowly(100*time.Millisecond, answer("from a"))}
		a = slices.Concat(slices.Repeat(a, 3), []http.HandlerFunc{hang})
		h := n.gateway(t, options{strategy: "least_latency", model: `,"cooldown":{"duration":"0s"},"timeouts":{"attempt":"10s"}`},
			n.upstream("a", slices.Repeat(a, 100)...), n.upstream("b", slowly(300*time.Millisecond, answer("from b"))))
		h.mustAnswer(200)
		if hits := h.hits(); hits[0] > 20 || hits[1] < 180 {
			t.Errorf("hits %v, want nearly all on the slower one that answers", hits)
		}
	})
}

// TestANewTargetThatIsDeadIsTriedOnce, though a hundred requests come at the same time and nothing cools.
func TestANewTargetThatIsDeadIsTriedOnce(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		tries := 0
		h := n.gateway(t, options{strategy: "least_latency", routing: `,"retries":0`, model: `,"cooldown":{"duration":"0s"}`},
			n.at("http://dead"), n.upstream("b", slowly(100*time.Millisecond, answer("b"))), n.upstream("c", slowly(200*time.Millisecond, answer("c"))))
		for _, id := range []string{"b", "c"} {
			h.board.Succeed(h.target(id).Signal, signal.Total, 100*time.Millisecond, 0, time.Now())
		}
		for range 10 {
			var clients sync.WaitGroup
			for range 10 {
				clients.Go(func() { h.mustAnswer(1) })
			}
			clients.Wait()
		}
		for _, a := range h.attempts.list {
			if a.Target.Model == "a" {
				tries++
			}
		}
		if tries != 1 {
			t.Errorf("the dead target was tried %d times in 100 requests, want once", tries)
		}
	})
}

func TestAColdStampedeIsSharedOut(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{strategy: "least_latency"}, n.upstream("a", slowly(time.Second, answer("a"))), n.upstream("b", slowly(time.Second, answer("b"))))
		var clients sync.WaitGroup
		for range 1000 {
			clients.Go(func() { h.mustAnswer(1) })
		}
		clients.Wait()
		if hits := h.hits(); hits[0] != 500 || hits[1] != 500 {
			t.Errorf("hits %v of a thousand requests at once, nothing being known: want half each", hits)
		}
	})
}

func TestARecoveredTargetLeadsAgain(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		slow := true
		h := n.gateway(t, options{strategy: "least_latency"}, n.upstream("a", func(w http.ResponseWriter, r *http.Request) {
			if slow {
				time.Sleep(5 * time.Second)
			}
			answer("from a")(w, r)
		}), n.upstream("b", slowly(300*time.Millisecond, answer("from b"))))
		for began := time.Now(); time.Since(began) < time.Hour; time.Sleep(10 * time.Second) {
			h.mustAnswer(1)
		}
		slow = false
		recovered := time.Now()
		for inARow := 0; inARow < 2; time.Sleep(2 * time.Second) { // a probe alone is one
			inARow++
			if !strings.Contains(h.post(question).body, "from a") {
				inARow = 0
			}
			if time.Since(recovered) > 5*time.Minute {
				t.Fatalf("five minutes after its recovery the target has had nothing but probes; hits %v", h.hits())
			}
		}
	})
}

// TestEverySignalIsFedForWholeAnswersAndStreams: while a request is open it is in flight, until its last
// byte; and its end counts.
func TestEverySignalIsFedForWholeAnswersAndStreams(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		class signal.Class
		hold  func(then http.HandlerFunc) http.HandlerFunc
		ok    http.HandlerFunc
	}{
		"whole":  {question, signal.Total, func(then http.HandlerFunc) http.HandlerFunc { return slowly(time.Second, then) }, answer("ok")},
		"stream": {streamed, signal.TTFT, func(then http.HandlerFunc) http.HandlerFunc { return eventsThen(slowly(time.Second, then), token("a")) }, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(stop + done)) }},
	} {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprint(name, fails), func(t *testing.T) {
				bubble(t, func(t *testing.T, n *network) {
					end := c.ok
					if fails {
						end = cut
					}
					h := n.gateway(t, options{routing: `,"retries":0`}, n.upstream("a", c.hold(end)))
					inFlight := func() int {
						return h.board.Estimate(h.target("a").Signal, c.class, time.Now()).Inflight
					}
					go func() {
						if resp, err := h.ask(t.Context(), c.body); err == nil {
							readAll(resp)
						}
					}()
					time.Sleep(time.Second / 2)
					synctest.Wait()
					if inFlight() != 1 {
						t.Errorf("in flight: %d while the answer is on its way", inFlight())
					}
					time.Sleep(time.Second)
					synctest.Wait()
					e := h.board.Estimate(h.target("a").Signal, c.class, time.Now())
					if e.Inflight != 0 || (e.Failures > 0) != fails || !e.Tried {
						t.Errorf("afterwards: %+v, want a failure: %v", e, fails)
					}
				})
			})
		}
	}
}
