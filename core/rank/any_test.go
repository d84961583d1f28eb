package rank

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// randomMeaning draws scores for each semantic group once.
func (s *scene) randomMeaning() func(*core.Group) Meaning {
	seed := s.r.Uint64()
	return func(g *core.Group) Meaning {
		r := seeded(seed ^ hash(0, g.ID))
		state := []MeaningState{MeaningScored, MeaningScored, MeaningScored, MeaningNoText, MeaningFailed, ""}[r.IntN(6)]
		m := Meaning{State: state}
		for range g.Members {
			m.Scores = append(m.Scores, []float64{r.Float64()*2 - 1, .5, math.NaN()}[r.IntN(3)])
		}
		if r.IntN(8) == 0 {
			m.Scores = m.Scores[:r.IntN(len(m.Scores))]
		}
		return m
	}
}

// anyGroup nests groups of all strategies over the scene's targets.
func (s *scene) anyGroup(depth int, id *int) *core.Group {
	r := s.r
	*id++
	name := fmt.Sprint("g", *id)
	var members []core.Member
	for _, i := range r.Perm(len(s.targets))[:1+r.IntN(min(4, len(s.targets)))] {
		m := member(s.targets[i], r.IntN(3), r.IntN(3))
		if depth < core.MaxDepth && r.IntN(3) == 0 {
			m.Group, m.Target = s.anyGroup(depth+1, id), nil
		}
		if r.IntN(4) == 0 {
			m.Tags = []string{[]string{"eu", "us", core.TagDefault}[r.IntN(3)]}
		}
		m = alike(m, []float64{math.Inf(-1), .2, .5}[r.IntN(3)])
		members = append(members, m)
	}
	members[0].Weight = 1
	all := append(slices.Clone(strategies), core.StrategySemantic, core.StrategySemantic, core.StrategyScored)
	g := group(name, all[r.IntN(len(all))], members...)
	for _, m := range members {
		g.Tagged = g.Tagged || len(m.Tags) > 0 || m.Group != nil && m.Group.Tagged
	}
	if g.Score != nil {
		g.Score = randomPolicy(r)
		g.Score.Exploration = []float64{0, 0, .5}[r.IntN(3)]
		g.Score.ProbeAfter = []time.Duration{0, time.Second}[r.IntN(2)]
	}
	if g.Semantic != nil {
		g.Semantic.Fallback, g.Semantic.Catchall = r.IntN(len(members)), r.IntN(2) == 0
		g.Semantic.Failover = []core.SemanticFailover{core.FailoverCleared, core.FailoverNone}[r.IntN(2)]
	}
	return g
}

// anyOrder orders a random group in a random view twice, the second time with a trace, and says what is wrong.
func anyOrder(t testing.TB, seed uint64) error {
	s := newScene(t, seed)
	s.measure(true)
	for _, x := range s.targets {
		if s.r.IntN(6) == 0 {
			s.board().Cool(x.Signal, s.view.Now.Add(time.Minute), s.view.Now)
		}
	}
	id := 0
	g := s.anyGroup(1, &id)
	s.view.Meaning = s.randomMeaning()
	s.view.Rand = func() uint64 { return seed * golden }
	s.view.Hash, s.view.Tokens = s.r.Uint64(), []int{0, 0, 600}[s.r.IntN(3)]
	if s.r.IntN(3) == 0 {
		s.view.Need.Tags = []string{"eu"}
	}
	if s.r.IntN(3) == 0 {
		s.view.Need.Capabilities = core.CapabilitiesOf(core.CapabilityVision)
	}
	plain := s.order(g)
	r, choices := s.explain(g)
	if show(plain) != show(choices) {
		return fmt.Errorf("got %q, and %q with a trace", show(plain), show(choices))
	}
	seen := map[*core.Target]bool{}
	probes := 0
	for i, c := range choices {
		if c.Probe {
			probes++
		}
		told := slices.ContainsFunc(r.Candidates, func(x Candidate) bool {
			return x.Target == c.Target.Model && x.Eligible && x.Position == i+1
		})
		if seen[c.Target] || !told || probes > 1 {
			return fmt.Errorf("got %q, with %s twice, not in the trace or one more probe", show(choices), c.Target.Model)
		}
		seen[c.Target] = true
		if c.Target.ContextWindow > 0 && c.Target.ContextWindow < s.view.Tokens {
			return fmt.Errorf("got %q, with a context window of %d", show(choices), c.Target.ContextWindow)
		}
	}
	for _, x := range r.Candidates {
		if x.Eligible == (x.Excluded != "") || x.Target != "" && x.Eligible != (x.Position > 0) {
			return fmt.Errorf("got %q and the candidate %+v", show(choices), x)
		}
	}
	return nil
}

func TestAnyOrderYieldsEachTargetOnceAndIsToldAsItIs(t *testing.T) {
	try(t, func(seed uint64) error { return anyOrder(t, seed) })
}

func FuzzOrder(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := anyOrder(t, seed); err != nil {
			t.Error(err)
		}
	})
}

// What an outer profile leaves out is out of the routings inside, too.
func TestNoTargetBeyondALimitIsInTheOrder(t *testing.T) {
	out := 0
	try(t, func(seed uint64) error {
		s := newScene(t, seed)
		id := 0
		g := group("outer", core.StrategyScored, nested(s.anyGroup(2, &id), 1, 0), nested(s.anyGroup(2, &id), 1, 0))
		for _, m := range g.Members {
			g.Tagged = g.Tagged || m.Group.Tagged
		}
		g.Score.MaxCost = 1
		s.view.Meaning = s.randomMeaning()
		for _, c := range s.order(g) {
			if usd, known := s.view.Price(c.Target); known && usd > 1 && !math.IsInf(usd, 1) {
				return fmt.Errorf("%s is in the order at %v", c.Target.Model, usd)
			}
		}
		r, _ := s.explain(g)
		if slices.ContainsFunc(r.Candidates, func(c Candidate) bool { return c.Excluded == ExcludedByCost }) {
			out++
		}
		return nil
	})
	t.Logf("%d orders without somebody", out)
	if out < cases/20 {
		t.Errorf("only %d orders left somebody out", out)
	}
}
