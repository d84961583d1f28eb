package scenario

import (
	"fmt"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/traffic"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// bases are the mean times of service of the upstreams, the best first.
func bases() []float64 { return []float64{1, 1.25, 2, 4} }

// elastic returns upstreams that serve any number of requests at once.
func elastic(bases ...float64) []upstream.Spec {
	var out []upstream.Spec
	for i, b := range bases {
		out = append(out, upstream.Spec{Name: fmt.Sprintf("target-%d", i+1), Start: upstream.State{Base: b}})
	}
	return out
}

// limited returns upstreams of which each serves as many requests at once that the rate is that share of what all
// of them can serve.
func limited(rate, load float64, bases ...float64) []upstream.Spec {
	var speed float64
	for _, b := range bases {
		speed += 1 / b
	}
	out := elastic(bases...)
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

// minute keeps the tables below short.
const minute = time.Minute

// Steady is S1.
func Steady() *Scenario {
	return &Scenario{ID: "S1", Title: "elastic, steady", Load: traffic.Load{Rate: 100}, Upstreams: elastic(bases()...), Warm: minute, Length: 5 * minute, Sweep: true}
}

// Step is S2.
func Step() *Scenario {
	s := &Scenario{
		ID: "S2", Title: "elastic, the best 5 times slower for two minutes", Load: traffic.Load{Rate: 100}, Upstreams: elastic(bases()...),
		Warm: minute, Length: 8 * minute, Slowed: 1, Slow: 3 * minute, Healed: 5 * minute,
	}
	change(&s.Upstreams[0], s.Slow, func(u *upstream.State) { u.Base *= 5 })
	change(&s.Upstreams[0], s.Healed, func(u *upstream.State) { u.Base /= 5 })
	return s
}

// Limited is S3 at one load.
func Limited(percent int) *Scenario {
	return &Scenario{
		ID: fmt.Sprintf("S3-%d", percent), Title: fmt.Sprintf("limited capacity, %d %% of it used", percent), Load: traffic.Load{Rate: 200},
		Upstreams: limited(200, float64(percent)/100, bases()...), Warm: minute, Length: 5 * minute,
	}
}

// Lost is S4.
func Lost() *Scenario {
	s := &Scenario{
		ID: "S4", Title: "limited capacity, half of the best's lost for two minutes", Load: traffic.Load{Rate: 200},
		Upstreams: limited(200, 0.7, bases()...), Warm: minute, Length: 8 * minute, Slow: 3 * minute, Healed: 5 * minute,
	}
	change(&s.Upstreams[0], s.Slow, func(u *upstream.State) { u.Servers /= 2 })
	change(&s.Upstreams[0], s.Healed, func(u *upstream.State) { u.Servers *= 2 })
	return s
}

// All returns every scenario in the order of SIGNALS.md §7.
func All() []*Scenario {
	return []*Scenario{
		Steady(), Step(), Limited(50), Limited(75), Limited(90), Limited(95), Lost(),
	}
}

// Find returns the scenario of that id.
func Find(id string) (*Scenario, error) {
	for _, s := range All() {
		if s.ID == id {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no scenario is called %q", id)
}
