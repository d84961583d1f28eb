package measure_test

import (
	"math"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/engine"
	"github.com/sluice-gateway/sluice/tests/sim/measure"
)

// drawn is a log of 100 attempts a second, the first target's share of which is given for every second.
func drawn(length time.Duration, share func(second int) float64) *measure.Log {
	l, draw := measure.NewLog(0, length, 2), engine.Stream(3, "test", 0)
	for at := time.Duration(0); at < length; at += 10 * time.Millisecond {
		target := 1
		if draw.Float64() < share(int(at/time.Second)) {
			target = 0
		}
		l.Attempt(at, target)
	}
	return l
}

func TestDrawingAloneIsNoOscillation(t *testing.T) {
	l := drawn(10*time.Minute, func(int) float64 { return 0.5 })
	if got := l.Oscillation(0, 10*time.Minute); got > 0.01 {
		t.Errorf("OI %v, want nearly 0", got)
	}
}

func TestSharesThatSwingAreOscillation(t *testing.T) {
	l := drawn(10*time.Minute, func(second int) float64 {
		if second/10%2 == 0 {
			return 0.9
		}
		return 0.1
	})
	if got := l.Oscillation(0, 10*time.Minute); math.Abs(got-0.4) > 0.02 {
		t.Errorf("OI %v, want 0.4", got)
	}
}

func TestLeavingAndReturningAreTimedFromTheSteps(t *testing.T) {
	l := drawn(5*time.Minute, func(second int) float64 {
		if second >= 124 && second < 200 {
			return 0
		}
		return 0.8
	})
	// At 124 s the last window of three seconds that holds a quarter is the one that ends 2.25 s later.
	if got := l.Leaves(0, 2*time.Minute, 3*time.Minute); got < 6*time.Second || got > 6500*time.Millisecond {
		t.Errorf("left after %v, want 6.25 s", got)
	}
	if got := l.Returns(0, 2*time.Minute, 3*time.Minute, 5*time.Minute); got < 22*time.Second || got > 23*time.Second {
		t.Errorf("returned after %v, want 22.25 s", got)
	}
	if got := l.Returns(0, 2*time.Minute, 3*time.Minute, 3*time.Minute+10*time.Second); got != measure.Never {
		t.Errorf("returned after %v, want never", got)
	}
	if got := l.Leaves(1, 2*time.Minute, 3*time.Minute); got != measure.Never {
		t.Errorf("the other target left after %v, want never", got)
	}
}

func TestASummaryCountsFromWarmOn(t *testing.T) {
	l := measure.NewLog(time.Minute, 2*time.Minute, 1)
	l.Answer(0, time.Hour, false)
	for i := range 100 {
		l.Answer(time.Minute+time.Duration(i)*time.Millisecond, time.Duration(i+1)*time.Second, false)
	}
	l.Answer(time.Minute, time.Hour, true)
	s := l.Summary(measure.Marks{Slowed: -1, Failing: -1})
	if s.Mean != 50.5 || s.P50 != 51 || s.P99 != 100 {
		t.Errorf("mean %v, p50 %v, p99 %v; want 50.5, 51, 100", s.Mean, s.P50, s.P99)
	}
	if want := 1.0 / 101; math.Abs(s.Errors-want) > 1e-9 {
		t.Errorf("errors %v, want %v", s.Errors, want)
	}
}
