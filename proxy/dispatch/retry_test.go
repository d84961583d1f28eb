package dispatch_test

import (
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// limited answers 429 with these values of Retry-After, the last for ever, and notes when it was asked.
func limited(asked *[]time.Duration, seconds ...int) http.HandlerFunc {
	var mu sync.Mutex
	began := time.Now()
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		s := seconds[min(len(*asked), len(seconds)-1)]
		*asked = append(*asked, time.Since(began))
		mu.Unlock()
		status(429, `{"error":{"message":"slow down"}}`, "Retry-After", strconv.Itoa(s))(w, r)
	}
}

func TestEachWaitIsThatOfTheLatestAnswer(t *testing.T) {
	for _, c := range []struct {
		name, routing string
		seconds       []int
		asked         []time.Duration
		told          string
	}{
		{"until the deadline is too near", `,"retries":9,"deadline":"20s"`, []int{1, 5, 30}, []time.Duration{0, time.Second, 6 * time.Second}, "30"},
		{"until a wait is longer than a cooldown may last", `,"retries":9`, []int{1, 5, 3600}, []time.Duration{0, time.Second, 6 * time.Second}, "3600"},
		{"until the retries are used up", `,"retries":2`, []int{30, 1, 5}, []time.Duration{0, 30 * time.Second, 31 * time.Second}, "5"},
		{"not at all", `,"retries":9,"deadline":"20s"`, []int{21}, []time.Duration{0}, "21"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				var asked []time.Duration
				h := n.gateway(t, options{routing: `,"retry_on_429":true` + c.routing}, n.upstream("a", limited(&asked, c.seconds...)))
				began := time.Now()
				got := h.post(question)
				if !slices.Equal(asked, c.asked) || time.Since(began) != c.asked[len(c.asked)-1] {
					t.Errorf("asked at %v, answered after %v, want %v and no longer", asked, time.Since(began), c.asked)
				}
				if got.StatusCode != 429 || got.Header.Get("Retry-After") != c.told {
					t.Errorf("client got %d, Retry-After %q, want 429 and %s", got.StatusCode, got.Header.Get("Retry-After"), c.told)
				}
			})
		})
	}
}

// TestLayersOfRetriesDoNotMultiply: a client like an SDK with two retries of its own, which waits as it is
// told, behind a gateway with two retries and two targets that are both limited.
func TestLayersOfRetriesDoNotMultiply(t *testing.T) {
	for _, c := range []struct {
		routing string
		hits    []int // of the three requests together
	}{
		{`,"retries":2`, []int{3, 3}},
		{`,"retries":2,"retry_on_429":true,"deadline":"10s"`, []int{3, 3}},
		{`,"retries":2,"retry_on_429":true`, []int{9, 9}}, // by the operator's word, and 20 s apart
		{`,"retries":2,"max_fallbacks":0`, []int{3, 0}},   // a client that waits as long as it is told finds the first back
	} {
		bubble(t, func(t *testing.T, n *network) {
			var a, b []time.Duration
			h := n.gateway(t, options{routing: c.routing}, n.upstream("a", limited(&a, 20)), n.upstream("b", limited(&b, 20)))
			for range 3 {
				got := h.post(question)
				wait, err := strconv.Atoi(got.Header.Get("Retry-After"))
				if got.StatusCode != 429 || err != nil || wait != 20 {
					t.Fatalf("%s: client got %d, Retry-After %q", c.routing, got.StatusCode, got.Header.Get("Retry-After"))
				}
				time.Sleep(time.Duration(wait) * time.Second)
			}
			if got := h.hits(); !slices.Equal(got, c.hits) {
				t.Errorf("%s: hits %v, want %v", c.routing, got, c.hits)
			}
			for _, asked := range [][]time.Duration{a, b} {
				for i := 1; i < len(asked); i++ {
					if gap := asked[i] - asked[i-1]; gap < 20*time.Second {
						t.Errorf("%s: asked again after %v, told to wait 20 s", c.routing, gap)
					}
				}
			}
		})
	}
}

func TestClientsAreToldWhenARetryIsPointless(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   string
	}{
		{429, `{"error":{"message":"pay first","type":"insufficient_quota","code":"insufficient_quota"}}`, "false"},
		{429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, ""},
		{503, `{"error":{"message":"busy"}}`, ""},
	} {
		h := gateway(t, options{}, newUpstream(t, status(c.status, c.body)))
		if got := h.post(question); got.StatusCode != c.status || got.Header.Get("X-Should-Retry") != c.want {
			t.Errorf("%s: %d with x-should-retry %q, want %q", c.body, got.StatusCode, got.Header.Get("X-Should-Retry"), c.want)
		}
	}
}

func TestWaitsGrowBetweenRetriesAndStayShort(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{routing: `,"retries":20`, model: `,"cooldown":{"duration":"0s"}`}, n.upstream("a", status(500, "{}")))
		began := time.Now()
		h.post(question)
		// 50 ms doubling up to 2 s, with full jitter: below the sum of the caps, and not all of it in no time.
		if took := time.Since(began); h.hits()[0] != 21 || took > 40*time.Second || took < time.Second {
			t.Errorf("%d attempts in %v", h.hits()[0], took)
		}
	})
}
