package probe_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/probe"
)

// world is a fleet's upstreams and what is known of them.
type world struct {
	mu     sync.Mutex
	status map[string]int // by path; 0: unreachable
	asked  map[string]int
	sick   map[signal.Key]time.Time
	owned  bool
	target []*core.Target
	hang   bool
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.asked[r.URL.Path]++
	status, hang := w.status[r.URL.Path], w.hang
	w.mu.Unlock()
	if hang {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	if status == 0 {
		return nil, errors.New("refused")
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

func (w *world) Sicken(k signal.Key, until, _ time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sick[k] = until
}

func (w *world) Heal(k signal.Key, _ time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, was := w.sick[k]
	delete(w.sick, k)
	return was
}

func (w *world) isSick(k signal.Key) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, sick := w.sick[k]
	return sick
}

// aside returns how long the target is set aside yet.
func (w *world) aside(k signal.Key) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Until(w.sick[k])
}

func (w *world) count(path string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asked[path]
}

func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func checked(k signal.Key, path string) *core.Target {
	return &core.Target{
		Model: path, Signal: k, Upstream: &core.Upstream{BaseURL: &url.URL{Scheme: "http", Host: "up"}},
		Health: &core.HealthPolicy{Path: path, Interval: 10 * time.Second, Timeout: 2 * time.Second, Failures: 2},
	}
}

func run(t *testing.T, w *world, body func()) {
	synctest.Test(t, func(t *testing.T) {
		w.asked, w.sick = map[string]int{}, map[signal.Key]time.Time{}
		p := probe.New(probe.Config{
			Targets:   func() []*core.Target { w.mu.Lock(); defer w.mu.Unlock(); return w.target },
			Owns:      func(signal.Key) bool { w.mu.Lock(); defer w.mu.Unlock(); return w.owned },
			Transport: func(*core.Upstream) http.RoundTripper { return w },
			Wards:     w, Changed: func() {}, Logger: slog.New(slog.DiscardHandler),
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { p.Run(ctx); close(done) }()
		body()
		cancel()
		<-done
	})
}

// look is how often the test looks at what the prober has done.
const look = 100 * time.Millisecond

// pass lets fake time go by.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestATargetIsSetAsideAfterFailuresInARowAndIsBackAtTheFirstSuccess(t *testing.T) {
	w := &world{owned: true, target: []*core.Target{checked(1, "/a")}, status: map[string]int{"/a": 200}}
	run(t, w, func() {
		pass(time.Second)
		if w.count("/a") != 1 || w.isSick(1) {
			t.Fatalf("asked %d times, sick %v", w.count("/a"), w.isSick(1))
		}
		w.set(func() { w.status["/a"] = 503 })
		pass(10 * time.Second)
		if w.isSick(1) {
			t.Error("one failure set the target aside")
		}
		pass(10 * time.Second)
		if !w.isSick(1) {
			t.Error("two failures did not set the target aside")
		}
		w.set(func() { w.status["/a"] = 404 }) // there, though it knows no such path
		pass(10 * time.Second)
		if w.isSick(1) {
			t.Error("a success did not bring the target back")
		}
	})
}

func TestWhatCountsAsHealthy(t *testing.T) {
	for status, healthy := range map[int]bool{200: true, 204: true, 301: true, 400: true, 404: true, 405: true, 401: false, 403: false, 429: false, 500: false, 503: false, 0: false} {
		w := &world{owned: true, target: []*core.Target{checked(1, "/a")}, status: map[string]int{"/a": status}}
		run(t, w, func() {
			pass(25 * time.Second)
			if w.isSick(1) == healthy {
				t.Errorf("status %d: sick %v, want %v", status, w.isSick(1), !healthy)
			}
		})
	}
}

func TestACheckThatHangsIsAFailureAndHoldsUpNoOther(t *testing.T) {
	w := &world{owned: true, hang: true, target: []*core.Target{checked(1, "/a"), checked(2, "/b")}}
	run(t, w, func() {
		pass(25 * time.Second)
		if !w.isSick(1) || !w.isSick(2) || w.count("/a") != 3 || w.count("/b") != 3 {
			t.Errorf("sick %v and %v, asked %d and %d times", w.isSick(1), w.isSick(2), w.count("/a"), w.count("/b"))
		}
	})
}

func TestATargetThatKeepsFailingStaysSetAsideWhateverTheTimes(t *testing.T) {
	for _, c := range []struct{ interval, timeout time.Duration }{
		{10 * time.Second, 2 * time.Second}, {time.Second, time.Second}, {time.Second, 10 * time.Second}, {time.Second, time.Minute},
	} {
		for _, hang := range []bool{false, true} {
			target := checked(1, "/a")
			target.Health.Interval, target.Health.Timeout = c.interval, c.timeout
			w := &world{owned: true, hang: hang, target: []*core.Target{target}}
			run(t, w, func() {
				start := time.Now()
				pass(3 * (c.interval + c.timeout))
				if !w.isSick(1) {
					t.Fatalf("%+v, hangs %v: never set aside", c, hang)
				}
				for time.Since(start) < 10*(c.interval+c.timeout) {
					if left := w.aside(1); left <= 0 {
						t.Fatalf("%+v, hangs %v: back after %v for want of a check", c, hang, time.Since(start))
					}
					pass(look)
				}
				if left, most := w.aside(1), 3*max(c.interval, c.timeout)+c.timeout; left > most {
					t.Errorf("%+v, hangs %v: set aside for %v, want %v at most", c, hang, left, most)
				}
			})
		}
	}
}

func TestOnlyTheOwnerAsks(t *testing.T) {
	w := &world{target: []*core.Target{checked(1, "/a")}, status: map[string]int{"/a": 200}}
	run(t, w, func() {
		pass(time.Minute)
		if w.count("/a") != 0 {
			t.Errorf("asked %d times without owning the target", w.count("/a"))
		}
		w.set(func() { w.owned = true })
		pass(time.Second)
		if w.count("/a") != 1 {
			t.Errorf("asked %d times after taking over", w.count("/a"))
		}
	})
}

func TestAModelWithoutAHealthCheckIsNeverAsked(t *testing.T) {
	plain := checked(1, "/a")
	plain.Health = nil
	w := &world{owned: true, target: []*core.Target{plain}, status: map[string]int{"/a": 200}}
	run(t, w, func() {
		pass(time.Minute)
		if w.count("/a") != 0 {
			t.Errorf("asked %d times", w.count("/a"))
		}
	})
}

func TestTwoModelsOfOneUpstreamModelAreAskedOnce(t *testing.T) {
	w := &world{owned: true, target: []*core.Target{checked(1, "/a"), checked(1, "/a")}, status: map[string]int{"/a": 200}}
	run(t, w, func() {
		pass(time.Second)
		if w.count("/a") != 1 {
			t.Errorf("asked %d times", w.count("/a"))
		}
	})
}
