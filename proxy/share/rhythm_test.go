package share

import (
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

func TestTheIntervalGrowsWithTheCell(t *testing.T) {
	const target = 141 // bytes that a value holds for each target
	for _, c := range []struct {
		mode Mode
		n    int
		size int64
		want time.Duration
	}{
		{Flat, 1, 0, time.Second},
		{Flat, 141, 10 * target, time.Second},
		{Flat, 200, 10 * target, 2 * time.Second},
		{Flat, 300, 10 * target, 4500 * time.Millisecond},
		{Flat, 317, 10 * target, maxInterval},
		{Flat, 10_000, 10 * target, maxInterval},
		{Flat, 100, 20_000, 4 * time.Second}, // by what is written, not by what is delivered
		{Flat, 100, 70_000, maxInterval},
		{Tree, 1_000, 0, time.Second},
		{Tree, 1_000, 1_250, 2500 * time.Millisecond},
		{Tree, 4_000, 0, 2 * time.Second},
		{Tree, 10_000, 0, maxInterval},
	} {
		if got := c.mode.interval(c.n, c.size); got != c.want {
			t.Errorf("%d nodes, %s, values of %d bytes: got %v, want %v", c.n, c.mode, c.size, got, c.want)
		}
	}
}

func TestTheIntervalOfRootsGrowsWithWhatIsDelivered(t *testing.T) {
	for _, c := range []struct {
		n    int
		size int64
		want time.Duration
	}{
		{1, 0, time.Second},
		{1_000, 4_000, time.Second},
		{1_000, 60_000, 2 * time.Second},
		{1_000, 560_000, maxInterval},
	} {
		if got := rootInterval(c.n, c.size); got != c.want {
			t.Errorf("%d nodes, a root of %d bytes: got %v, want %v", c.n, c.size, got, c.want)
		}
	}
}

func TestJitterKeepsTheMeanInterval(t *testing.T) {
	var sum time.Duration
	const n = 10_000
	for range n {
		d := jittered(time.Second)
		if d < 900*time.Millisecond || d > 1100*time.Millisecond {
			t.Fatalf("got %v, want a second within a tenth", d)
		}
		sum += d
	}
	if mean := sum / n; mean < 990*time.Millisecond || mean > 1010*time.Millisecond {
		t.Errorf("mean %v, want a second", mean)
	}
}

func TestAFuseThatIsNotClosedSlowsEverything(t *testing.T) {
	sh := still(t, "a", offline(t))
	for state, want := range map[Fuse]time.Duration{FuseClosed: time.Second, FuseSlow: 4 * time.Second, FuseOpen: 4 * time.Second} {
		sh.fuse.now.Store(int32(state))
		if got := sh.Interval(); got != want || sh.Stats().Interval != want {
			t.Errorf("%s: interval %v, want %v", state, got, want)
		}
	}
}

func TestWritesThatFailBecomeRarer(t *testing.T) {
	sh := still(t, "a", offline(t))
	for i, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, maxInterval, maxInterval} {
		if got := sh.pace(); got != want {
			t.Errorf("after %d failures: %v, want %v", i, got, want)
		}
		sh.notWritten(store.ErrUnknownOutcome)
		sh.write(t.Context(), time.Now()) // without a lease, which costs nothing
	}
	if got := sh.gap(); got != maxInterval {
		t.Errorf("urgent writes %v after a failed one, want %v", got, maxInterval)
	}
	sh.failed.Store(0)
	if got := sh.gap(); got != urgentGap {
		t.Errorf("urgent writes %v apart, want %v", got, urgentGap)
	}
	sh.fuse.now.Store(int32(FuseSlow))
	sh.failed.Store(1)
	if got := sh.pace(); got != 5*time.Second {
		t.Errorf("slow and failing: %v", got)
	}
	sh.failed.Store(100)
	sh.view.set(func() { sh.view.roster = names(400) }) // with an interval beyond the bound
	if got := sh.pace(); got != 20*time.Second {
		t.Errorf("slow, failing and large: %v", got)
	}
}

func TestTheFirstWriteUnderANewLeaseIsNoRarer(t *testing.T) {
	sh := still(t, "a", offline(t))
	for range 10 {
		sh.notWritten(store.ErrUnknownOutcome)
	}
	if got := sh.rest(sh.write(t.Context(), time.Now())); got != time.Second { // without a lease
		t.Errorf("%v to the next write, want one interval", got)
	}
	if got := sh.rest(store.ErrUnknownOutcome); got != maxInterval {
		t.Errorf("%v after a write that failed, want %v", got, maxInterval)
	}
}
