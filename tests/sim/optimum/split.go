package optimum

import (
	"slices"

	"github.com/sluice-gateway/sluice/tests/sim/measure"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// Name is what reports call the best fixed split.
const Name = "best fixed split"

// Split finds the shares with the least mean latency over all of the scenario, by moving ever smaller
// shares from one target to another as long as that helps.
func Split(s *scenario.Scenario, seed uint64) []float64 {
	x := &search{scenario: s, seed: seed}
	x.best = x.start(s.Size())
	x.mean = x.cost(x.best)
	for _, step := range []float64{0.16, 0.08, 0.04, 0.02, 0.01} {
		for x.improve(step) {
		}
	}
	return x.best
}

type search struct {
	scenario *scenario.Scenario
	seed     uint64
	best     []float64
	mean     float64
}

// start is the better of everything to one target and the same to all.
func (x *search) start(targets int) []float64 {
	even := slices.Repeat([]float64{1 / float64(targets)}, targets)
	best, mean := even, x.cost(even)
	for i := range targets {
		one := make([]float64, targets)
		one[i] = 1
		if m := x.cost(one); m < mean {
			best, mean = one, m
		}
	}
	return best
}

// improve moves step between every pair and reports whether anything helped.
func (x *search) improve(step float64) (helped bool) {
	for from := range x.best {
		for to := range x.best {
			for from != to && x.move(from, to, step) {
				helped = true
			}
		}
	}
	return helped
}

func (x *search) move(from, to int, step float64) bool {
	step = min(step, x.best[from])
	if step < 1e-9 {
		return false
	}
	next := slices.Clone(x.best)
	next[from] -= step
	next[to] += step
	mean := x.cost(next)
	if mean >= x.mean {
		return false
	}
	x.best, x.mean = next, mean
	return true
}

func (x *search) cost(shares []float64) float64 {
	return Run(x.scenario, shares, x.seed).All().Mean()
}

// Run simulates the scenario under a fixed split.
func Run(s *scenario.Scenario, shares []float64, seed uint64) *measure.Log {
	return scenario.Cell{Scenario: s, Policy: policy.Fixed(Name, shares), Nodes: 1, Seed: seed}.Run()
}
