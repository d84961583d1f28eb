package rank

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"github.com/sluice-gateway/sluice/core"
)

func (f *fixture) explain(g *core.Group) (*Trace, []Choice) {
	trace := new(Trace)
	f.view.Trace = trace
	choices := f.order(g)
	f.view.Trace = nil
	return trace, choices
}

func (r *Trace) of(name string) *Candidate {
	at := slices.IndexFunc(r.Candidates, func(c Candidate) bool { return c.Target+c.Routing == name })
	return &r.Candidates[at]
}

func TestTraceTellsWhyALatencyOrderIsAsItIs(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 20)
	f.answer("b", 200, 20)
	f.fail("b", 50, 3)
	f.begin("a", 4)
	g := latencyGroup("a", "b", "new")
	g.Latency.Selection = core.SelectionBalanced
	f.view.Session = 5
	r, _ := f.explain(g)
	if r.Routing != "g" || r.Time != "ttft" || r.Tagging != TaggingAll || len(r.Tiers) != 1 || len(r.Candidates) != 3 {
		t.Fatalf("got %+v", r)
	}
	l := r.Tiers[0].Latency
	if l.Rule != RuleBalanced || *l.Sharpness != 6 || !near(l.BestKnown, 0.1) || !near(l.MeanInflight, 4.0/3) {
		t.Errorf("got %+v", l)
	}
	a, b, fresh := r.of("a"), r.of("b"), r.of("new")
	if !fresh.Probe || fresh.Position != 1 || fresh.Class != "unmeasured" || fresh.Evidence[0].Source != "prior" {
		t.Errorf("the unmeasured one: got %+v, want it to be the probe", fresh)
	}
	if a.Evidence[0].Inflight != 4 || a.Evidence[0].Source != "measured" || !near(*a.Share+*b.Share, 1) {
		t.Errorf("got %+v and %+v, want four in flight at a, and shares that sum up to 1", a, b)
	}
	if !near(math.Pow(*a.Score / *b.Score, -6), *a.Share / *b.Share) {
		t.Errorf("scores %v and %v do not give the shares %v and %v", *a.Score, *b.Score, *a.Share, *b.Share)
	}
}

// What a trace says can be worked out again from what it says it is made of.
func TestTraceHoldsWhatItsFiguresAreMadeOf(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 20)
	f.answer("b", 200, 20)
	f.fail("b", 50, 3)
	f.begin("a", 4)
	g := latencyGroup("a", "b")
	g.Latency.Selection = core.SelectionBalanced
	r, _ := f.explain(g)
	l := r.Tiers[0].Latency
	for _, c := range r.Candidates {
		e := c.Evidence[0]
		withPrior := (e.Samples*e.Latency + l.BestKnown) / (e.Samples + 1)
		expected := e.WithPrior + e.Failures*(1+e.Failures)*l.Charge/(1-e.Failures)
		a0 := 1 + l.MeanInflight/2
		score := e.Expected * math.Sqrt((float64(e.Inflight)+a0)/(e.Usual+a0))
		if !near(withPrior, e.WithPrior) || !near(expected, e.Expected) || !near(score, e.Score) || !near(e.Score, *c.Score) {
			t.Errorf("%s: worked out %v, %v and %v from %+v", c.Target, withPrior, expected, score, e)
		}
	}
}

func TestTraceTellsWhatOtherStrategiesGoBy(t *testing.T) {
	f := newFixture(t)
	f.view.Hash = 7
	f.begin("b", 3)
	for s, figure := range map[core.Strategy]func(*Candidate) *float64{
		core.StrategyConsistentHash: func(c *Candidate) *float64 { return c.HashScore },
		core.StrategyLeastCost:      func(c *Candidate) *float64 { return c.Price },
		core.StrategyLeastBusy:      func(c *Candidate) *float64 { return c.Load },
		core.StrategyRoundRobin:     func(c *Candidate) *float64 { return c.Turn },
	} {
		r, order := f.explain(group("g", s, member(priced("a", 2, 2), 1, 0), member(priced("b", 1, 1), 2, 0)))
		first, second := r.of(order[0].Target.Model), r.of(order[1].Target.Model)
		x, y := figure(first), figure(second)
		if x == nil || y == nil {
			t.Errorf("%s: got no figure in %+v", s, r.Candidates)
			continue
		}
		ascends := s == core.StrategyLeastCost || s == core.StrategyLeastBusy
		if ascends && *x > *y || !ascends && *x < *y {
			t.Errorf("%s: got %v before %v", s, *x, *y)
		}
		if r.of("b").Evidence[0].Inflight != 3 {
			t.Errorf("%s: got no evidence of b in %+v", s, r.of("b"))
		}
	}
}

func TestTraceTellsOfNestedRoutingsAndFilters(t *testing.T) {
	f := newFixture(t)
	x, y, z := member(target("x"), 1, 0), bears(member(target("y"), 1, 0), "eu"), member(target("z"), 1, 0)
	z.Target.Capabilities = core.CapabilitiesOf()
	inner := tagged(x, y, z)
	inner.ID = "inner"
	lost := tagged(y)
	lost.ID = "lost"
	g := tagged(member(target("a"), 1, 0), nested(inner, 1, 0), nested(lost, 1, 0), x)
	f.view.Need.Capabilities = core.CapabilitiesOf(core.CapabilityTools)
	r, order := f.explain(g)
	if show(order) != "a x" {
		t.Fatalf("got %q", show(order))
	}
	var got []string
	for _, c := range r.Candidates {
		got = append(got, strings.Join(append(slices.Clone(c.Path), c.Target+c.Routing, string(c.Excluded)), "/")+string(rune('0'+c.Position)))
	}
	want := []string{"g/a/1", "g/inner/2", "g/lost/y/tag0", "g/x/duplicate0", "g/inner/x/2", "g/inner/y/tag0", "g/inner/z/capability0"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestTraceIsJSONWithoutEmptyWords(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	g.Latency.Selection = core.SelectionAdaptive
	f.answer("a", 100, 1)
	r, _ := f.explain(g)
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{`"rule":"idle"`, `"position":1`, `"since_sample_s":0`, `"rungs_s":[0.1,0.1,0.1]`, `"tagging":"all"`} {
		if !strings.Contains(string(raw), name) {
			t.Errorf("got %s, want %s in it", raw, name)
		}
	}
	if strings.Contains(string(raw), "sharpness") || strings.Contains(string(raw), "elasticity_error") {
		t.Errorf("got %s, want nothing that is infinite", raw)
	}
}

func TestTraceIsOverwrittenByTheNextOrder(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 1)
	f.view.Trace = new(Trace)
	f.order(latencyGroup("a", "b", "c"))
	f.order(group("h", core.StrategyFailover, member(target("a"), 1, 0)))
	again := told(t, f.view.Trace)
	want, _ := f.explain(group("h", core.StrategyFailover, member(target("a"), 1, 0)))
	if want := told(t, want); again != want {
		t.Errorf("got %s, want %s", again, want)
	}
}

func told(t testing.TB, r *Trace) string {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestATraceThatIsUsedAgainAllocatesNothing(t *testing.T) {
	for _, c := range benchCases() {
		f, g, _ := benchSetup(t, c, 8)
		g = group("g", c.Strategy, append(g.Members, nested(group("inner", c.Strategy, member(target("x"), 1, 0), g.Members[0]), 1, 0))...)
		f.view.Trace, g.Latency.Selection = new(Trace), c.Selection
		dst := make([]Choice, 0, g.Leaves)
		least := math.Inf(1) // of many: a pool may be emptied at any time, and is at random under the race detector
		for range 50 {
			least = min(least, testing.AllocsPerRun(1, func() { f.ranker.Order(dst, g, f.view) }))
		}
		if least != 0 {
			t.Errorf("%s: got %v allocations, want 0", c.name, least)
		}
	}
}

// A dry order is the order that the next request will have, and leaves no trace.
func TestADryOrderChangesNothing(t *testing.T) {
	for _, c := range benchCases() {
		f, g, _ := benchSetup(t, c, 4)
		g.Members = append(g.Members, member(target("new"), 1, 0), member(target("newer"), 1, 0))
		f.view.Rand = func() uint64 { return 7 }
		dry := func() string {
			f.view.Dry, f.view.Trace = true, new(Trace)
			defer func() { f.view.Dry, f.view.Trace = false, nil }()
			return show(f.order(g)) + told(t, f.view.Trace)
		}
		for round := range 5 {
			first := dry()
			if again := dry(); again != first {
				t.Fatalf("%s, round %d: got %s, then %s", c.name, round, first, again)
			}
			got := f.order(g)
			if !strings.HasPrefix(first, show(got)+"{") {
				t.Errorf("%s, round %d: the dry order was %s, the order is %s", c.name, round, first, show(got))
			}
			if c.Strategy == core.StrategyLeastLatency && round == 0 && !got[0].Probe {
				t.Errorf("%s: got %s, want a probe first", c.name, show(got))
			}
			if held := dry(); got[0].Probe && strings.HasPrefix(held, got[0].Target.Model+"?") {
				t.Errorf("%s: %s is probed twice", c.name, got[0].Target.Model)
			}
			f.release(got)
		}
	}
	if f := newFixture(t); true {
		f.view.Dry, f.view.Trace = true, new(Trace)
		f.order(ring("g", 1, 1))
		if len(f.ranker.wheels) > 0 {
			t.Errorf("a dry order leaves %d wheels", len(f.ranker.wheels))
		}
	}
}

// The trace of any order tells that order, and asking for it changes nothing.
func TestTraceAgreesWithTheOrder(t *testing.T) {
	property := func(seed uint64) bool {
		g, targets := randomGroup(seed)
		r, f, twin := seeded(seed), newFixture(t), newFixture(t)
		twin.view.Board = f.view.Board
		for range 10 {
			k := targets[r.IntN(len(targets))]
			switch r.IntN(3) {
			case 0:
				f.answer(k.Model, 10+r.Float64()*1000, 1)
			case 1:
				f.fail(k.Model, r.Float64()*1000, 1)
			}
			f.view.Hash, f.view.Session = r.Uint64(), r.Uint64()|1
			twin.view.Hash, twin.view.Session = f.view.Hash, f.view.Session
			trace, order := f.explain(g)
			f.release(order)
			plain := twin.order(g)
			f.release(plain)
			if show(order) != show(plain) {
				t.Logf("seed %d: got %q with a trace, %q without", seed, show(order), show(plain))
				return false
			}
			for i, c := range order {
				at := slices.IndexFunc(trace.Candidates, func(x Candidate) bool { return x.Position == i+1 && x.Target == c.Target.Model })
				if at < 0 || trace.Candidates[at].Probe != c.Probe {
					t.Logf("seed %d: %s is at %d in %q, but not in %+v", seed, c.Target.Model, i+1, show(order), trace.Candidates)
					return false
				}
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}
