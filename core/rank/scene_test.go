package rank

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// cases is how many cases a property is tried with.
const cases = 10_000

// policy is a score policy with these weights and all defaults, but never probes.
func policy(o core.Optimize) *core.ScorePolicy {
	p := &core.ScorePolicy{Weights: [core.Dimensions]float64{o.Latency, o.Health, o.Cost, o.Quota, o.Priority}}
	var sum float64
	for _, w := range p.Weights {
		sum += w
	}
	for d := range p.Weights {
		p.Weights[d] /= sum
		p.Missing[d] = core.MissingPrior
	}
	return p
}

// randomPolicy draws weights, rules, and at times limits and preferences.
func randomPolicy(r *rand.Rand) *core.ScorePolicy {
	var w [core.Dimensions]float64
	for d := range w {
		if r.IntN(3) > 0 {
			w[d] = r.Float64()
		}
	}
	w[r.IntN(len(w))] += 0.1
	p := policy(core.Optimize{Latency: w[0], Health: w[1], Cost: w[2], Quota: w[3], Priority: w[4]})
	for d := range p.Missing[:core.DimensionPriority] {
		p.Missing[d] = []core.MissingRule{core.MissingPrior, core.MissingPrior, core.MissingPenalize, core.MissingExclude}[r.IntN(4)]
	}
	if r.IntN(3) == 0 {
		p.MaxCost, p.MaxLatency = r.Float64()*2, time.Duration(r.Float64()*float64(2*time.Second))
	}
	if r.IntN(3) == 0 {
		p.P50, p.P99, p.MinThroughput = time.Duration(r.Float64()*float64(time.Second)), time.Second, r.Float64()*100
	}
	if r.IntN(4) == 0 {
		p.Capabilities, p.ContextWindow = core.CapabilitiesOf(core.CapabilityTools), 1000
	}
	return p
}

// scene is a fixture with random knowledge of the targets t0, t1, ….
type scene struct {
	*fixture
	r       *rand.Rand
	targets []*core.Target
}

func newScene(t testing.TB, seed uint64) *scene {
	s := &scene{newFixture(t), seeded(seed), nil}
	for i := range 2 + s.r.IntN(5) {
		x := target(fmt.Sprint("t", i))
		if s.r.IntN(2) == 0 {
			x.Capabilities = core.CapabilitiesOf([]core.Capability{core.CapabilityTools, core.CapabilityVision}[s.r.IntN(2)])
		}
		x.ContextWindow = []int{0, 500, 5000}[s.r.IntN(3)]
		s.targets = append(s.targets, x)
	}
	s.view.Dry = true
	s.view.Price = s.sometimes(func() float64 { return []float64{0, 1, s.r.Float64() * 3, math.NaN(), math.Inf(1), -1}[s.r.IntN(6)] })
	s.view.Quota = s.sometimes(func() float64 { return []float64{0, 1, s.r.Float64(), s.r.Float64(), math.NaN(), 7}[s.r.IntN(6)] })
	s.view.Throughput = s.sometimes(func() float64 { return s.r.Float64() * 200 })
	p50 := s.sometimes(func() float64 { return s.r.Float64() * 2 })
	s.view.Spread = func(t *core.Target) (float64, float64, float64, bool) {
		x, known := p50(t)
		return x, 2 * x, 4 * x, known
	}
	return s
}

// sometimes draws a figure, or none, for every target once.
func (s *scene) sometimes(draw func() float64) func(*core.Target) (float64, bool) {
	figures := map[*core.Target]float64{}
	for _, t := range s.targets {
		if s.r.IntN(3) > 0 {
			figures[t] = draw()
		}
	}
	return func(t *core.Target) (float64, bool) {
		x, known := figures[t]
		return x, known
	}
}

// measure records answers and, if it may, failures at random.
func (s *scene) measure(failures bool) {
	for _, t := range s.targets {
		base := 20 + s.r.Float64()*2000
		for range s.r.IntN(4) {
			s.answer(t.Model, base*(0.5+s.r.Float64()), 1+s.r.IntN(4))
			if failures && s.r.IntN(3) == 0 {
				s.fail(t.Model, s.r.Float64()*500, 1+s.r.IntN(3))
			}
			s.wait(s.r.Float64() * 20)
		}
		if failures && s.r.IntN(6) == 0 {
			s.fail(t.Model, 5, 1)
		}
	}
	if s.r.IntN(8) == 0 {
		s.wait(s.r.Float64() * 600)
	}
}

func (s *scene) group(p *core.ScorePolicy, order []int) *core.Group {
	var members []core.Member
	for _, i := range order {
		members = append(members, member(s.targets[i], 1, 0))
	}
	g := group("g", core.StrategyScored, members...)
	g.Score = p
	return g
}

// try checks a property on as many seeds as there are cases.
func try(t *testing.T, property func(seed uint64) error) {
	t.Helper()
	for seed := range uint64(cases) {
		if err := property(seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%d cases", cases)
}
