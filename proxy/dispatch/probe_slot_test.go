package dispatch_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestAStreamHoldsNoProbeSlotOfAnotherTarget: the ranking sends the request to b for a sample, but b is half-open and
// somebody else is finding out, so a answers. That stream may last for minutes, in which b can be probed.
func TestAStreamHoldsNoProbeSlotOfAnotherTarget(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a := n.upstream("a", answer("from a"), answer("from a"), answer("from a"), eventsThen(hang, role, token("from a")))
		b := n.upstream("b", status(429, "{}"), answer("from b"))
		h := n.gateway(t, options{strategy: "least_latency", routing: `,"retries":0,"latency":{"probe_after":"15s"}`}, a, b)
		h.mustAnswer(2) // each is tried once; b cools
		time.Sleep(20 * time.Second)
		h.mustAnswer(1) // of a, which is known well; b is not asked yet
		time.Sleep(time.Second)
		key := h.target("b").Signal
		if !h.cooldowns.Claim(key, time.Now()) {
			t.Fatal("b is not half-open")
		}
		go func() { h.ask(t.Context(), streamed) }()
		synctest.Wait()
		if a.count() != 4 {
			t.Fatalf("hits %v, want the stream at a", h.hits())
		}
		if !h.board.Claim(key) {
			t.Error("the probe slot of b is held for as long as the stream of a lasts")
		}
		h.board.Release(key)
		h.stop()
	})
}
