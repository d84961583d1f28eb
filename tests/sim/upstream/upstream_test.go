package upstream_test

import (
	"math"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/engine"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// wait returns the mean time from call to end of n Poisson arrivals at that rate.
func wait(spec *upstream.Spec, rate float64, n int) float64 {
	var e engine.Engine
	u := upstream.New(&e, spec)
	draw := engine.Stream(1, "test", 0)
	var at time.Duration
	var sum float64
	for range n {
		at += time.Duration(draw.ExpFloat64() / rate * float64(time.Second))
		work := upstream.Work{Size: 1, First: 1, Normal: draw.NormFloat64(), Fault: draw.Float64()}
		began := at
		e.At(at, func() {
			u.Call(work, nil, func(upstream.Outcome) { sum += (e.Now() - began).Seconds() })
		})
	}
	e.Run(at + time.Hour)
	return sum / float64(n)
}

func TestAnElasticUpstreamTakesItsBaseOnAverageWhateverTheRate(t *testing.T) {
	for _, rate := range []float64{1, 1000} {
		got := wait(&upstream.Spec{Start: upstream.State{Base: 2}}, rate, 20_000)
		if math.Abs(got-2) > 0.03 {
			t.Errorf("mean %v s at %v/s, want 2", got, rate)
		}
	}
}

// Pollaczek and Khinchine: one server at half its capacity makes callers wait λE[S²]/(2(1−ρ)) on average.
func TestALimitedUpstreamQueuesAsTheoryHasIt(t *testing.T) {
	second := math.Exp(0.5 * 0.5) // E[S²] of a lognormal with mean 1 and σ = 0.5
	want := 1 + 0.5*second/(2*(1-0.5))
	got := wait(&upstream.Spec{Start: upstream.State{Base: 1, Servers: 1}}, 0.5, 50_000)
	if math.Abs(got-want) > 0.03*want {
		t.Errorf("mean %v s, want %v", got, want)
	}
}

func TestCallsAreServedInOrderAndNoMoreAtOnceThanThereAreServers(t *testing.T) {
	var e engine.Engine
	u := upstream.New(&e, &upstream.Spec{Start: upstream.State{Base: 1, Servers: 2}})
	var ends []time.Duration
	for range 4 {
		u.Call(upstream.Work{Size: math.Exp(0.125)}, nil, func(upstream.Outcome) { ends = append(ends, e.Now().Round(time.Millisecond)) })
	}
	e.Run(time.Minute)
	want := []time.Duration{time.Second, time.Second, 2 * time.Second, 2 * time.Second}
	if len(ends) != 4 || ends[0] != want[0] || ends[1] != want[1] || ends[2] != want[2] || ends[3] != want[3] {
		t.Errorf("ended at %v, want %v", ends, want)
	}
	if u.Busy() != 0 {
		t.Errorf("%d still busy", u.Busy())
	}
}

func TestACancelledCallFreesItsServerAndSaysNothing(t *testing.T) {
	var e engine.Engine
	u := upstream.New(&e, &upstream.Spec{Start: upstream.State{Base: 1, Servers: 1}})
	unexpected := func(upstream.Outcome) { t.Error("a cancelled call has ended") }
	serving := u.Call(upstream.Work{Size: 100}, nil, unexpected)
	waiting := u.Call(upstream.Work{Size: 100}, nil, unexpected)
	answered := false
	u.Call(upstream.Work{Size: 1}, nil, func(upstream.Outcome) { answered = true })
	waiting.Cancel()
	serving.Cancel()
	e.Run(10 * time.Second)
	if !answered || u.Busy() != 0 {
		t.Errorf("answered %v, busy %d; want true and 0", answered, u.Busy())
	}
}

func TestStepsAndFaultsTakeEffectWhenTheyAreDue(t *testing.T) {
	var e engine.Engine
	limited := upstream.State{Base: 1, Limited: 1, RetryAfter: time.Second}
	failing := upstream.State{Base: 1, Fails: 1, FailAfter: 50 * time.Millisecond}
	u := upstream.New(&e, &upstream.Spec{Start: upstream.State{Base: 1}, Steps: []upstream.Step{{At: time.Minute, State: limited}, {At: 2 * time.Minute, State: failing}}})
	var got []upstream.Outcome
	for _, at := range []time.Duration{0, time.Minute, 2 * time.Minute} {
		e.At(at, func() { u.Call(upstream.Work{Size: 1}, nil, func(o upstream.Outcome) { got = append(got, o) }) })
	}
	e.Run(time.Hour)
	want := []upstream.Outcome{{}, {Failed: true, RetryAfter: time.Second}, {Failed: true}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
}
