package scenario

import (
	"fmt"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/traffic"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// bases are the mean times of service of the upstreams, the best first.
func bases() []float64 { return []float64{1, 1.25, 2, 4} }

// boundless returns upstreams that serve any number of requests at once.
func boundless(bases ...float64) []upstream.Spec {
	var out []upstream.Spec
	for i, b := range bases {
		out = append(out, upstream.Spec{Name: fmt.Sprintf("target-%d", i+1), Start: upstream.State{Base: b}})
	}
	return out
}

// bounded returns upstreams that each serve equally many requests at once, so many that the rate is that share of
// what all of them can serve.
func bounded(rate, load float64, bases ...float64) []upstream.Spec {
	var speed float64
	for _, b := range bases {
		speed += 1 / b
	}
	out := boundless(bases...)
	for i := range out {
		out[i].Start.Servers = int(rate/load/speed + 0.5)
	}
	return out
}

// change gives an upstream another state at that time.
func change(s *upstream.Spec, at time.Duration, alter func(*upstream.State)) {
	state := s.At(at)
	alter(&state)
	s.Steps = append(s.Steps, upstream.Step{At: at, State: state})
}

// steady is S1.
func steady() *Scenario {
	return &Scenario{
		ID: "S1", Title: "elastic, steady", Load: traffic.Load{Rate: 100}, Split: []float64{1, 0, 0, 0}, Upstreams: boundless(bases()...), Warm: minute, Length: 5 * minute, Sweep: true, Closely: true,
		Gates: []Gate{
			atMost(MeanRatio, elasticLimit), atMost(P99Ratio, p99Limit), atMost(Oscillation, calmLimit), atLeast(BestShare, 0.70),
			atMost(SizeRatio, sizeLimit), atMost(Quiet, quietLimit), atMost(Staleness, staleLimit),
		},
	}
}

// several returns the times of service of two to eight upstreams.
func several(targets int) []float64 { return []float64{1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4}[:targets] }

// steadyOf is S1 with another number of targets.
func steadyOf(targets int) *Scenario {
	return &Scenario{
		ID: fmt.Sprintf("S1-of-%d", targets), Title: fmt.Sprintf("elastic, steady, %d targets", targets), Load: traffic.Load{Rate: 100}, Upstreams: boundless(several(targets)...),
		Split: append([]float64{1}, make([]float64, targets-1)...), Warm: minute, Length: 5 * minute, Own: true,
		Gates: []Gate{atMost(MeanRatio, elasticLimit), atMost(P99Ratio, p99Limit), atMost(Oscillation, calmLimit)},
	}
}

// slowed is S2.
func slowed() *Scenario {
	s := &Scenario{
		ID: "S2", Title: "elastic, the best 5 times slower for two minutes", Load: traffic.Load{Rate: 100}, Split: []float64{0, 1, 0, 0}, Upstreams: boundless(bases()...),
		Warm: minute, Length: 8 * minute, Slowed: 1, Slow: 3 * minute, Healed: 5 * minute, Closely: true,
		Gates: []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit), atMost(Oscillation, calmLimit), atMost(Leave, leaveLimit), atMost(Return, returnLimit)},
	}
	change(&s.Upstreams[0], s.Slow, func(u *upstream.State) { u.Base *= 5 })
	change(&s.Upstreams[0], s.Healed, func(u *upstream.State) { u.Base /= 5 })
	return s
}

// limited is S3 at one load.
func limited(percent int) *Scenario {
	s := &Scenario{
		ID: fmt.Sprintf("S3-%d", percent), Title: fmt.Sprintf("limited capacity, %d %% of it used", percent), Load: traffic.Load{Rate: 200},
		Upstreams: bounded(200, float64(percent)/100, bases()...), Warm: minute, Length: 5 * minute, Sweep: percent == 75, Closely: percent == 75, Own: percent == 50 || percent == 95,
		Gates: []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit), atMost(Oscillation, calmLimit)},
	}
	if s.Sweep {
		s.Gates = append(s.Gates, atMost(SizeRatio, sizeLimit), atMost(Quiet, quietLimit))
	}
	return s
}

// limitedOf is S3 at 75 % with another number of targets.
func limitedOf(targets int) *Scenario {
	s := limited(75)
	s.ID, s.Title = fmt.Sprintf("S3-of-%d", targets), fmt.Sprintf("limited capacity 75 %%, %d targets", targets)
	s.Upstreams, s.Sweep, s.Closely = bounded(200, 0.75, several(targets)...), false, false
	s.Own = true
	return s
}

// lost is S4.
func lost() *Scenario {
	s := &Scenario{
		ID: "S4", Title: "limited capacity, half of the best's lost for two minutes", Load: traffic.Load{Rate: 200},
		Upstreams: bounded(200, 0.7, bases()...), Warm: minute, Length: 8 * minute, Slow: 3 * minute, Healed: 5 * minute,
		Gates: []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit), atMost(Oscillation, calmLimit)},
	}
	change(&s.Upstreams[0], s.Slow, func(u *upstream.State) { u.Servers /= 2 })
	change(&s.Upstreams[0], s.Healed, func(u *upstream.State) { u.Servers *= 2 })
	return s
}
