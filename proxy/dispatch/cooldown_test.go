package dispatch_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// TestABurstOfFailuresIsOneCooldownThatEndsByItself: fifty requests fail at the same moment.
func TestABurstOfFailuresIsOneCooldownThatEndsByItself(t *testing.T) {
	for name, c := range map[string]struct {
		fail http.HandlerFunc
		opts options
		cool time.Duration
	}{
		"429 with Retry-After": {status(429, "{}", "Retry-After", "5"), options{}, 5 * time.Second},
		"429 without":          {status(429, "{}"), options{}, 10 * time.Second},
		"500":                  {status(500, "{}"), options{routing: `,"retries":0`}, 10 * time.Second},
		"503 with Retry-After": {status(503, "{}", "Retry-After", "7"), options{}, 7 * time.Second},
		"reset":                {cut, options{routing: `,"retries":0`}, 10 * time.Second},
		"no first token":       {hang, options{model: `,"timeouts":{"attempt":"1s"}`}, 10 * time.Second},
		"a refused credential": {status(401, "{}"), options{provider: `,"auth":{"secret":"sk-upstream"}`}, 10 * time.Second},
		"a redirect":           {status(302, "", "Location", "/"), options{}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				const burst = 50
				wait := func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(time.Second) // until all of them are there
					c.fail(w, r)
				}
				a := n.upstream("a", append(slices.Repeat([]http.HandlerFunc{wait}, burst), answer("from a"))...)
				b := n.upstream("b", answer("from b"))
				h := n.gateway(t, c.opts, a, b)
				var clients sync.WaitGroup
				for range burst {
					clients.Go(func() {
						if got := h.post(question); !strings.Contains(got.body, "from b") {
							t.Errorf("client got %d from %s", got.StatusCode, got.Header.Get("X-Sluice-Target"))
						}
					})
				}
				clients.Wait()
				if a.count() != burst {
					t.Errorf("a was asked %d times by %d requests, want once by each: it cools", a.count(), burst)
				}
				if got := h.cooldowns.Standing(h.target("a"), time.Now()).Remaining; got != c.cool {
					t.Errorf("a cools for %v, want %v", got, c.cool)
				}
				time.Sleep(c.cool - time.Nanosecond)
				if got := h.post(question); !strings.Contains(got.body, "from b") || a.count() != burst {
					t.Errorf("while a cools: %s, hits %v", got.body, h.hits())
				}
				time.Sleep(time.Nanosecond)
				if got := h.post(question); !strings.Contains(got.body, "from a") || !h.cooldowns.Standing(h.target("a"), time.Now()).Ready() {
					t.Errorf("after the cooldown: %s, standing %+v", got.body, h.cooldowns.Standing(h.target("a"), time.Now()))
				}
			})
		})
	}
}

// TestTheGatewaysOwnErrorsAreNobodysFailure: refusals are no attempts, and prolong nothing.
func TestTheGatewaysOwnErrorsAreNobodysFailure(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a, b := n.upstream("a", status(429, "{}", "Retry-After", "40"), answer("from a")), n.upstream("b", status(429, "{}", "Retry-After", "100"))
		h := n.gateway(t, options{routing: `,"when_all_unavailable":"fail"`}, a, b)
		for _, body := range []string{``, `{`, `{"model":"none"}`, `{"model":"r","model":"r"}`, `{"model":"r","stream":1}`, `{"model":"r","x":"` + strings.Repeat("x", 2<<20) + `"}`} {
			if got := h.post(body); got.StatusCode < 400 || got.StatusCode > 499 {
				t.Errorf("%.40s: %d", body, got.StatusCode)
			}
		}
		stranger, err := h.Client().Post(h.URL+"/v1/chat/completions", "application/json", strings.NewReader(question))
		if err != nil {
			t.Fatal(err)
		}
		readAll(stranger)
		for _, target := range h.snapshot.Targets() {
			if e := h.board.Estimate(target.Signal, signal.Total, time.Now()); e.Tried || e.Attempts != 0 {
				t.Errorf("refusals count as attempts on %s: %+v", target.Model, e)
			}
		}
		began := time.Now()
		h.post(question)
		before := h.board.Estimate(h.target("a").Signal, signal.Total, time.Now())
		for i := range 20 { // every second of the cooldown
			time.Sleep(time.Second)
			got := h.post(question)
			if left := got.Header.Get("Retry-After"); got.StatusCode != 503 || left != (time.Duration(39-i) * time.Second).String()[:len(left)] {
				t.Errorf("after %v: %d, Retry-After %q", time.Since(began), got.StatusCode, left)
			}
		}
		if after := h.board.Estimate(h.target("a").Signal, signal.Total, time.Now()); after.Attempts > before.Attempts || !slices.Equal(h.hits(), []int{1, 1}) {
			t.Errorf("refusals count as attempts: %+v after %+v, hits %v", after, before, h.hits())
		}
		time.Sleep(40*time.Second - time.Since(began))
		if got := h.post(question); !strings.Contains(got.body, "from a") {
			t.Errorf("after exactly the 40 s that a asked for: %d %s", got.StatusCode, got.body)
		}
		synctest.Wait()
		h.checkQuiet()
	})
}

// TestOnlyTheProbeGivesItsSlotBack: a request that was under way before the cooldown, and whose client
// leaves while another request probes the target, opens no way for a second probe.
func TestOnlyTheProbeGivesItsSlotBack(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a := n.upstream("a", hang, status(429, "{}", "Retry-After", "5"), hang, answer("from a"))
		h := n.gateway(t, options{}, a, n.upstream("b", answer("from b")))
		go func() {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			h.ask(ctx, question)
		}()
		synctest.Wait()
		h.post(question) // cools a
		time.Sleep(6 * time.Second)
		go func() { h.ask(t.Context(), question) }() // probes it
		time.Sleep(5 * time.Second)                  // the first client has left
		if got := h.post(question); !strings.Contains(got.body, "from b") || a.count() != 3 {
			t.Errorf("while a is probed: client got %s, hits %v", got.body, h.hits())
		}
		h.stop() // the probe's client leaves: now another request may find out
		synctest.Wait()
		if got := h.post(question); !strings.Contains(got.body, "from a") {
			t.Errorf("after the probe was given back: client got %s, hits %v", got.body, h.hits())
		}
	})
}
