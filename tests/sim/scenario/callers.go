package scenario

import (
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// scarce is S7: the whole fleet has one request a second.
func scarce() *Scenario {
	return &Scenario{
		ID: "S7", Title: "elastic, one request a second", Load: traffic.Load{Rate: 1}, Split: []float64{1, 0, 0, 0}, Upstreams: boundless(bases()...),
		Warm: 5 * minute, Length: 30 * minute, Sweep: true,
		Gates: []Gate{atMost(MeanRatio, scarceLimit), atMost(SizeRatio, sizeLimit), atLeast(BestShare, 0.9)},
	}
}

// sequential is one caller that asks again when it has its answer: nothing ever queues, and the fastest is best.
func sequential() *Scenario {
	return &Scenario{
		ID: "S7-seq", Title: "limited capacity, one caller, one request at a time", Load: traffic.Load{Callers: 1}, Split: []float64{1, 0, 0, 0}, Upstreams: bounded(200, 0.75, bases()...),
		Warm: 5 * minute, Length: 30 * minute,
		Gates: []Gate{atMost(MeanRatio, scarceLimit), atLeast(BestShare, 0.9)},
	}
}

// collapsed is S2 with callers who wait for their answers: those that a slow target holds ask nobody else, so that it has few
// samples and what is left of the others' is old.
func collapsed(id, title string, callers int, times float64, of ...float64) *Scenario {
	s := slowed()
	s.ID, s.Title, s.Closely = id, title, false
	s.Load = traffic.Load{Callers: callers}
	s.Upstreams, s.Split = boundless(of...), append([]float64{0, 1}, make([]float64, len(of)-2)...)
	change(&s.Upstreams[0], s.Slow, func(u *upstream.State) { u.Base *= times })
	change(&s.Upstreams[0], s.Healed, func(u *upstream.State) { u.Base /= times })
	s.Gates = []Gate{atMost(P99Ratio, p99Limit), atMost(Oscillation, calmLimit), atMost(Leave, leaveLimit), atMost(Return, returnLimit)}
	return s
}

// wave is S13: between a fifth and nine fifths of half the capacity.
func wave() *Scenario {
	s := limited(50)
	s.ID, s.Own, s.Title = "S13", false, "limited capacity 50 %, the rate swings by 80 % in 4 minutes"
	s.Load.Wave, s.Load.Swing, s.Length = 4*minute, 0.8, 9*minute
	s.Gates = []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit)}
	return s
}

// bursts is S14.
func bursts() *Scenario {
	s := limited(75)
	s.ID, s.Title = "S14", "limited capacity 75 %, requests come in bursts of 20"
	s.Sweep, s.Closely = false, false
	s.Load.Burst = 20
	s.Gates = []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit)}
	return s
}

// mixed is S15.
func mixed() *Scenario {
	s := limited(75)
	s.ID, s.Title = "S15", "limited capacity 75 %, half streams, a fifth of the prompts long"
	s.Sweep, s.Closely = false, false
	s.Load.Streams, s.Load.Long = 0.5, 0.2
	s.Gates = []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit)}
	return s
}

// leaving is S16.
func leaving() *Scenario {
	s := limited(75)
	s.ID, s.Title = "S16", "limited capacity 75 %, a fifth of the callers leave"
	s.Sweep, s.Closely = false, false
	s.Load.Leaves, s.Own = 0.2, true
	s.Gates = []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit), atMost(Oscillation, calmLimit)}
	return s
}

// sticky is S17. A conversation should stay where its prompt is cached as long as that costs little.
func sticky() *Scenario {
	s := limited(75)
	s.ID, s.Title = "S17", "limited capacity 75 %, 500 conversations"
	s.Sweep, s.Closely = false, false
	s.Load.Sessions, s.Own = 500, true
	s.Gates = []Gate{atMost(MeanRatio, stickyLimit), atMost(P99Ratio, p99Limit), atMost(Oscillation, calmLimit), atLeast(Kept, keptLimit)}
	return s
}
