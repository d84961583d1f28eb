package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/engine"
)

func TestEventsRunInOrderOfTimeAndThoseOfOneMomentInOrderOfScheduling(t *testing.T) {
	var e engine.Engine
	var got []int
	note := func(i int) func() { return func() { got = append(got, i) } }
	for i, at := range []time.Duration{5, 3, 9, 3, 1, 9, 0} {
		e.At(at, note(i))
	}
	e.At(3, func() { e.After(0, note(7)) })
	e.Run(8)
	if want := []int{6, 4, 1, 3, 7, 0}; !slices.Equal(got, want) {
		t.Errorf("ran %v, want %v", got, want)
	}
	if e.Now() != 8 {
		t.Errorf("the clock shows %v, want 8ns", e.Now())
	}
}

func TestAnEventThatIsLateRunsNow(t *testing.T) {
	var e engine.Engine
	e.Run(time.Second)
	var at time.Duration
	e.At(0, func() { at = e.Now() })
	e.Run(2 * time.Second)
	if at != time.Second {
		t.Errorf("ran at %v, want 1s", at)
	}
}

func TestRunWhileStopsAtTheLimitAndWhenNothingIsLeft(t *testing.T) {
	var e engine.Engine
	count := 0
	var tick func()
	tick = func() { count++; e.After(time.Second, tick) }
	tick()
	if e.RunWhile(func() bool { return true }, 10*time.Second) || count != 11 {
		t.Errorf("%d ticks in 10 s, want 11 and false", count)
	}
	if !e.RunWhile(func() bool { return count < 20 }, time.Hour) || count != 20 {
		t.Errorf("%d ticks, want 20 and true", count)
	}
}

func TestStreamsDependOnSeedNameAndNumberOnly(t *testing.T) {
	first := engine.Stream(1, "a", 2).Uint64()
	if again := engine.Stream(1, "a", 2).Uint64(); again != first {
		t.Error("one stream gave two sequences")
	}
	for _, other := range []uint64{engine.Stream(2, "a", 2).Uint64(), engine.Stream(1, "b", 2).Uint64(), engine.Stream(1, "a", 3).Uint64()} {
		if other == first {
			t.Error("two streams began alike")
		}
	}
}
