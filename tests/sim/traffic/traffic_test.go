package traffic_test

import (
	"math"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
)

// until returns the requests of the first length of a load.
func until(load traffic.Load, length time.Duration) (all []*traffic.Request) {
	s := traffic.New(load, 7)
	for r := s.Next(); r.At < length; r = s.Next() {
		all = append(all, r)
	}
	return all
}

func TestEveryKindOfLoadHasItsMeanRate(t *testing.T) {
	for name, load := range map[string]traffic.Load{
		"steady": {Rate: 50},
		"wave":   {Rate: 50, Wave: time.Minute, Swing: 0.8},
		"bursts": {Rate: 50, Burst: 10},
	} {
		got := float64(len(until(load, 20*time.Minute))) / 1200
		if math.Abs(got-50) > 2 {
			t.Errorf("%s: %v requests a second, want 50", name, got)
		}
	}
}

func TestTheWaveGoesUpFirst(t *testing.T) {
	up, down := 0, 0
	for _, r := range until(traffic.Load{Rate: 100, Wave: time.Minute, Swing: 0.8}, time.Minute) {
		if r.At < 30*time.Second {
			up++
		} else {
			down++
		}
	}
	if float64(up) < 2*float64(down) {
		t.Errorf("%d requests in the first half of the wave, %d in the second; want more than twice as many", up, down)
	}
}

func TestLongPromptsLeaveTheMeanWorkAsItIs(t *testing.T) {
	var size, streams, left float64
	all := until(traffic.Load{Rate: 1000, Streams: 0.5, Long: 0.2, Leaves: 0.1}, time.Minute)
	for _, r := range all {
		size += r.Size
		if r.Class == signal.TTFT {
			streams++
		}
		if r.Patience > 0 {
			left++
		}
	}
	n := float64(len(all))
	if math.Abs(size/n-1) > 0.02 || math.Abs(streams/n-0.5) > 0.02 || math.Abs(left/n-0.1) > 0.02 {
		t.Errorf("mean size %v, streams %v, leaving %v; want 1, 0.5, 0.1", size/n, streams/n, left/n)
	}
}

func TestTheWorkOfARequestDependsOnTheAttemptAndOnNothingElse(t *testing.T) {
	one, two := until(traffic.Load{Rate: 10}, time.Minute), until(traffic.Load{Rate: 10}, time.Minute)
	if one[5].Work(0) != two[5].Work(0) {
		t.Error("the same request had two works")
	}
	if one[5].Work(0) == one[5].Work(1) || one[5].Work(0) == one[6].Work(0) {
		t.Error("two attempts had the same luck")
	}
}
