package dispatch_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// hashing is a consistent_hash routing over n targets that answer.
func (n *network) hashing(t *testing.T, on string, targets int) *harness {
	t.Helper()
	var ups []*upstream
	for i := range targets {
		ups = append(ups, n.upstream(fmt.Sprint("host", i), answer("ok")))
	}
	return n.gateway(t, options{strategy: "consistent_hash", routing: `,"retries":0,"hash_on":` + on}, ups...)
}

// TestTheSameKeyMeetsTheSameTarget, wherever the key is, and different keys meet all targets.
func TestTheSameKeyMeetsTheSameTarget(t *testing.T) {
	for on, header := range map[string]string{
		`{"source":"header","name":"x-user"}`: "X-User: %d",
		`{"source":"header","name":"host"}`:   "", // Go's clients set it apart
		`{"source":"cookie","name":"sid"}`:    "Cookie: a=b; sid=%d",
		`{"source":"api_key"}`:                "",
		`{"source":"client_ip"}`:              "X-Forwarded-For: 10.0.0.%d", // which anybody may write
	} {
		bubble(t, func(t *testing.T, n *network) {
			const keys = 200
			h := n.hashing(t, on, 4)
			share := map[string]int{}
			for key := range keys {
				ask := func() string {
					if header == "" {
						return h.post(question).served(t)
					}
					return h.with(question, strings.ReplaceAll(header, "%d", fmt.Sprint(key))).served(t)
				}
				first := ask()
				share[first]++
				for range 2 {
					if again := ask(); again != first {
						t.Fatalf("%s: key %d met %s, then %s", on, key, first, again)
					}
				}
			}
			if !strings.Contains(on, "x-user") && !strings.Contains(on, "cookie") {
				if len(share) != 1 {
					t.Errorf("%s: requests of one client met %v, want one target", on, share)
				}
				return
			}
			for id, got := range share {
				if math.Abs(float64(got)-keys/4) > 4*math.Sqrt(keys*0.25*0.75) {
					t.Errorf("%s: %s has %d of %d keys, want about a quarter", on, id, got, keys)
				}
			}
		})
	}
}

func TestRequestsWithoutTheKeyTakeTurns(t *testing.T) {
	for on, header := range map[string]string{
		`{"source":"header","name":"X-User"}`: "X-User: ",
		`{"source":"cookie","name":"sid"}`:    "Cookie: other=1",
	} {
		bubble(t, func(t *testing.T, n *network) {
			h := n.hashing(t, on, 4)
			for range 20 {
				h.with(question, header).served(t)
			}
			for i, got := range h.hits() {
				if got != 5 {
					t.Errorf("%s absent: target %d had %d of 20 requests, want an even share: %v", on, i, got, h.hits())
				}
			}
		})
	}
}

// TestAKeyWhoseTargetFailsGoesToOneOtherAndComesBack: the others keep theirs.
func TestAKeyWhoseTargetFailsGoesToOneOtherAndComesBack(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var broken atomic.Bool
		sometimes := func(w http.ResponseWriter, r *http.Request) {
			if broken.Load() {
				status(500, "{}")(w, r)
				return
			}
			answer("ok")(w, r)
		}
		h := n.gateway(t, options{strategy: "consistent_hash", routing: `,"retries":0,"hash_on":{"source":"header","name":"X-User"}`},
			n.upstream("a", answer("ok")), n.upstream("b", answer("ok")), n.upstream("c", sometimes), n.upstream("d", answer("ok")))
		where := func() (out []string) {
			for key := range 100 {
				out = append(out, h.with(question, fmt.Sprint("X-User: ", key)).served(t))
			}
			return out
		}
		before := where()
		broken.Store(true)
		during := where()
		broken.Store(false)
		time.Sleep(time.Hour) // whatever was set aside is back
		after := where()
		moved := map[string]bool{}
		for i := range before {
			if before[i] == "c" {
				moved[during[i]] = true
			} else if during[i] != before[i] {
				t.Errorf("key %d moved from %s to %s although its target is well", i, before[i], during[i])
			}
			if after[i] != before[i] {
				t.Errorf("key %d is at %s after the recovery, want %s again", i, after[i], before[i])
			}
		}
		if moved["c"] || len(moved) != 3 {
			t.Errorf("the keys of the target that fails went to %v, want them shared by the three others", moved)
		}
	})
}
