package rank

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

func scoredGroup(o core.Optimize, names ...string) *core.Group {
	g := latencyGroup(names...)
	g.Strategy, g.Latency, g.Score = core.StrategyScored, core.LatencyPolicy{}, policy(o)
	return g
}

// The defect that scored replaces: weight of what was not known went to the declared order.
func TestTheReportedDefect(t *testing.T) {
	slowAndFast := func(f *fixture) {
		f.answer("slow", 40_000, 20)
		f.answer("fast", 800, 20)
	}
	healthOnly := func(f *fixture) { // failures have no latency
		f.fail("sick", 5, 9)
		f.fail("well", 5, 1)
	}
	nothing := func(*fixture) {}
	for _, c := range []struct {
		name     string
		optimize core.Optimize
		know     func(*fixture)
		names    []string
		want     string
		decided  Decision
	}{
		{"0.8 s and 40 s, the fast one declared first", core.Optimize{Latency: 1}, slowAndFast, []string{"fast", "slow"}, "fast slow", DecidedByTotal},
		{"0.8 s and 40 s, the slow one declared first", core.Optimize{Latency: 1}, slowAndFast, []string{"slow", "fast"}, "fast slow", DecidedByTotal},
		{"only health is known, the sick one declared first", core.DefaultOptimize, healthOnly, []string{"sick", "well"}, "well sick", DecidedByTotal},
		{"only health is known, the well one declared first", core.DefaultOptimize, healthOnly, []string{"well", "sick"}, "well sick", DecidedByTotal},
		{"nothing is known", core.Optimize{Latency: 1}, nothing, []string{"b", "a"}, "b a", DecidedDeclaration},
	} {
		f, g := newFixture(t), scoredGroup(c.optimize, c.names...)
		c.know(f)
		r, order := f.explain(g)
		if got := show(order); got != c.want || r.Tiers[0].Scored.DecidedBy != c.decided {
			t.Errorf("%s: got %q by %s, want %q by %s", c.name, got, r.Tiers[0].Scored.DecidedBy, c.want, c.decided)
		}
		for _, x := range r.Candidates {
			for d, y := range x.Dimensions {
				if y.Weight != g.Score.Weights[d] || d == int(core.DimensionPriority) && y.Contribution != 0 {
					t.Errorf("%s: %s has %+v, want the weight %v, and none of priority", c.name, x.Target, y, g.Score.Weights[d])
				}
			}
		}
		if !strings.HasPrefix(c.name, "0.8") {
			continue
		}
		if first, margin := *r.of("fast").Total, *r.Tiers[0].Scored.Margin; !near(first, 1) || math.Abs(margin-0.98) > 0.001 {
			t.Errorf("%s: got a total of %v and a margin of %v, want 1 and 0.98", c.name, first, margin)
		}
	}
}

func TestOneGoodSampleRaisesAScore(t *testing.T) {
	f, g := newFixture(t), scoredGroup(core.Optimize{Health: 1}, "a", "b")
	f.answer("a", 100, 1)
	f.answer("b", 100, 1)
	before, _ := f.explain(g)
	f.answer("b", 100, 1)
	after, order := f.explain(g)
	if was, is := *before.of("b").Total, *after.of("b").Total; is <= was || show(order) != "b a" {
		t.Errorf("one more answer takes the score from %v to %v and makes the order %q", was, is, show(order))
	}
	if got := *before.of("b").Total; !near(got, (1+1.9)/3) {
		t.Errorf("one answer makes the score %v, want %v", got, (1+1.9)/3)
	}
}

func TestReorderingChangesNothingButTies(t *testing.T) {
	ties := 0
	try(t, func(seed uint64) error {
		s := newScene(t, seed)
		s.measure(true)
		p := randomPolicy(s.r)
		if p.Weights[core.DimensionPriority] == 1 {
			return nil
		}
		rest := 1 - p.Weights[core.DimensionPriority]
		p.Weights[core.DimensionPriority] = 0
		for d := range p.Weights {
			p.Weights[d] /= rest
		}
		n := len(s.targets)
		r, got := s.explain(s.group(p, upTo(n)))
		again, order := s.explain(s.group(p, s.r.Perm(n)))
		one, two := r.Tiers[0].Scored, again.Tiers[0].Scored
		if one.Margin != nil && *one.Margin == 0 {
			ties++
		}
		if one.Leader != two.Leader && (one.DecidedBy != DecidedDeclaration || two.DecidedBy != DecidedDeclaration) {
			return fmt.Errorf("%s leads by %s, and in another order of declaration %s by %s", one.Leader, one.DecidedBy, two.Leader, two.DecidedBy)
		}
		for i := range s.targets {
			a, b := r.of(s.targets[i].Model), again.of(s.targets[i].Model)
			if *a.Total != *b.Total || a.Excluded != b.Excluded || a.Class != b.Class {
				return fmt.Errorf("got %s with %v, then with %v", a.Target, *a.Total, *b.Total)
			}
		}
		if len(got) != len(order) {
			return fmt.Errorf("got %q, then %q", show(got), show(order))
		}
		return nil
	})
	t.Logf("%d exact ties", ties)
}

func upTo(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i)
	}
	return all
}

// What others are expected to take is drawn to the best known latency, which may be the one that is lowered. There are no
// failures here: what one costs is the median latency, so that a lower latency of one makes another's failures cheaper.
func TestALowerLatencyNeverLowersARankOnTheBoard(t *testing.T) {
	try(t, func(seed uint64) error {
		place := func(factor float64) int {
			s := newScene(t, seed)
			p := randomPolicy(s.r)
			p.MaxLatency = 0
			for i, x := range s.targets {
				millis := 100 + s.r.Float64()*2000
				if i == 0 {
					millis *= factor
				}
				s.answer(x.Model, millis, 1+s.r.IntN(20))
				s.wait(s.r.Float64() * 5)
			}
			order := s.order(s.group(p, s.r.Perm(len(s.targets))))
			return slices.IndexFunc(order, func(c Choice) bool { return c.Target == s.targets[0] })
		}
		if was, is := place(1), place(seeded(seed+cases).Float64()); is > was {
			return fmt.Errorf("went from place %d to %d", was, is)
		}
		return nil
	})
}

func TestWhatAlwaysFailsNeverBeatsWhatAnswers(t *testing.T) {
	try(t, func(seed uint64) error {
		s := newScene(t, seed)
		for i, x := range s.targets {
			if i == 0 {
				s.fail(x.Model, s.r.Float64()*1000, 1+s.r.IntN(20))
				continue
			}
			s.answer(x.Model, 10+s.r.Float64()*60_000, 1+s.r.IntN(4))
			if s.r.IntN(2) == 0 {
				s.fail(x.Model, 10, s.r.IntN(4))
			}
		}
		p := randomPolicy(s.r)
		p.Exploration = s.r.Float64() / 2
		order := s.order(s.group(p, s.r.Perm(len(s.targets))))
		at := slices.IndexFunc(order, func(c Choice) bool { return c.Target == s.targets[0] })
		if at >= 0 && at != len(order)-1 {
			return fmt.Errorf("got %q, want t0 last", show(order))
		}
		return nil
	})
}

// The total is worked out again from what the trace says, of some cases in JSON.
func TestTotalCanBeWorkedOutFromTheTraceAlone(t *testing.T) {
	imputed := 0
	try(t, func(seed uint64) error {
		s := newScene(t, seed)
		s.measure(true)
		r, order := s.explain(s.group(randomPolicy(s.r), upTo(len(s.targets))))
		read := *r
		if seed%50 == 0 {
			read = Trace{}
			if err := json.Unmarshal([]byte(told(t, r)), &read); err != nil {
				return err
			}
		}
		tier := read.Tiers[0].Scored
		totals := map[string]float64{}
		for _, c := range read.Candidates {
			var total, weights float64
			for d, x := range c.Dimensions {
				if x.Weight != read.Candidates[0].Dimensions[d].Weight {
					return fmt.Errorf("%s weighs %s by %v, another by %v", c.Target, x.Dimension, x.Weight, read.Candidates[0].Dimensions[d].Weight)
				}
				if x.Imputed {
					imputed++
				}
				want := reckon(tier, &x)
				if math.Abs(want-x.Score) > 1e-12 || x.Contribution != x.Weight*x.Score {
					return fmt.Errorf("%s: worked out a score of %v from %+v", c.Target, want, x)
				}
				total += x.Contribution
				weights += x.Weight
			}
			if !near(weights, 1) || total != *c.Total {
				return fmt.Errorf("%s: the weights sum up to %v, and the total is %v, want 1 and %v", c.Target, weights, *c.Total, total)
			}
			totals[c.Target] = total
		}
		if len(order) == 0 && tier.Eligible > 0 || tier.Margin != nil && *tier.Margin != totals[tier.Leader]-totals[tier.RunnerUp] {
			return fmt.Errorf("got %q with %+v", show(order), tier)
		}
		return nil
	})
	t.Logf("%d values were imputed", imputed)
}

// reckon works out the score of a dimension.
func reckon(s *ScoreTrace, x *DimensionTrace) float64 {
	inverse := func(best *float64) float64 {
		if best == nil || *x.Raw <= *best {
			return 1
		}
		return *best / *x.Raw
	}
	switch {
	case x.Imputed && x.Source == string(core.MissingPenalize):
		return 0
	case x.Raw == nil:
		return 1
	}
	switch x.Dimension {
	case "latency":
		return inverse(s.BestLatency)
	case "cost":
		return inverse(s.BestPrice)
	case "health":
		return (*x.Raw**x.Samples + s.HealthPrior*s.HealthSamples) / (*x.Samples + s.HealthSamples)
	case "priority":
		return (float64(s.Places) - *x.Raw + 1) / float64(s.Places)
	}
	return *x.Raw
}

func TestLimitsLeaveOut(t *testing.T) {
	price := map[string]float64{"a": 1, "b": 2}
	for _, c := range []struct {
		name string
		set  func(*core.ScorePolicy)
		want string
		why  map[string]Exclusion
	}{
		{"max_cost", func(p *core.ScorePolicy) { p.MaxCost = 1 }, "a c", map[string]Exclusion{"b": ExcludedByCost}},
		{"max_latency", func(p *core.ScorePolicy) { p.MaxLatency = 150 * time.Millisecond }, "a", map[string]Exclusion{"b": ExcludedByLatency, "c": ExcludedByLatency}},
		{"everybody is beyond", func(p *core.ScorePolicy) { p.MaxLatency = time.Millisecond }, "", map[string]Exclusion{"a": ExcludedByLatency, "b": ExcludedByLatency, "c": ExcludedByLatency}},
		{"a capability must be declared", func(p *core.ScorePolicy) { p.Capabilities = core.CapabilitiesOf(core.CapabilityVision) }, "a", map[string]Exclusion{"b": ExcludedByCapability, "c": ExcludedByCapability}},
		{"a context window must be declared", func(p *core.ScorePolicy) { p.ContextWindow = 8000 }, "b", map[string]Exclusion{"a": ExcludedByContext, "c": ExcludedByContext}},
		{"an unknown price leaves out", func(p *core.ScorePolicy) { p.Missing[core.DimensionCost] = core.MissingExclude }, "a b", map[string]Exclusion{"c": "missing_cost"}},
		{"an unknown quota leaves out", func(p *core.ScorePolicy) { p.Missing[core.DimensionQuota] = core.MissingExclude }, "", map[string]Exclusion{"a": "missing_quota", "b": "missing_quota", "c": "missing_quota"}},
	} {
		f := newFixture(t)
		for i, name := range []string{"a", "b", "c"} {
			f.answer(name, float64(100*(i+1)), 20)
		}
		f.view.Price = func(t *core.Target) (float64, bool) { usd, known := price[t.Model]; return usd, known }
		g := scoredGroup(core.Optimize{Latency: 1}, "a", "b", "c")
		g.Members[0].Target.Capabilities, g.Members[1].Target.Capabilities = core.CapabilitiesOf(core.CapabilityVision), core.CapabilitiesOf()
		g.Members[0].Target.ContextWindow, g.Members[1].Target.ContextWindow = 4000, 8000
		c.set(g.Score)
		r, order := f.explain(g)
		if got := show(order); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		for _, x := range r.Candidates {
			if x.Excluded != c.why[x.Target] || x.Eligible == (x.Excluded != "") {
				t.Errorf("%s: %s is excluded by %q, want %q", c.name, x.Target, x.Excluded, c.why[x.Target])
			}
		}
		outer := group("outer", core.StrategyScored, nested(group("inner", core.StrategyFailover, g.Members...), 1, 0))
		outer.Score = g.Score
		f.want(outer, c.want, c.name+", in a nested routing")
		g.Members[2].Weight = 0
		spare := group("outer", core.StrategyScored, nested(group("inner", core.StrategyRoundRobin, g.Members...), 1, 0))
		spare.Score = g.Score
		r, order = f.explain(spare)
		if got := strings.Fields(show(order)); len(got) != len(strings.Fields(c.want)) {
			t.Errorf("%s, in a nested routing with a spare: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestUnknownPriceAndLatencyAreNotBeyondLimits(t *testing.T) {
	f, g := newFixture(t), scoredGroup(core.Optimize{Latency: 1}, "a")
	g.Score.MaxCost, g.Score.MaxLatency = 1e-9, time.Nanosecond
	f.want(g, "a", "nothing is known")
	g.Members[0].Target.Cost, g.Members[0].Target.Priced = core.Cost{InputPer1M: 9}, true
	f.want(g, "a", "only the price of a million tokens is known")
}

func TestPreferencesOnlyDemote(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*core.ScorePolicy)
		want string
		why  []string
	}{
		{"none", func(*core.ScorePolicy) {}, "a b c dead", nil},
		{"p50", func(p *core.ScorePolicy) { p.P50 = 500 * time.Millisecond }, "b c a dead", []string{"p50"}},
		{"p90", func(p *core.ScorePolicy) { p.P90 = 1500 * time.Millisecond }, "b c a dead", []string{"p90"}},
		{"p99", func(p *core.ScorePolicy) { p.P99 = 2999 * time.Millisecond }, "b c a dead", []string{"p99"}},
		{"p99 as it is", func(p *core.ScorePolicy) { p.P99 = 3 * time.Second }, "a b c dead", nil},
		{"throughput", func(p *core.ScorePolicy) { p.MinThroughput = 11 }, "b c a dead", []string{"min_throughput"}},
		{"all of it", func(p *core.ScorePolicy) { p.P50, p.MinThroughput = 500*time.Millisecond, 11 }, "b c a dead", []string{"p50", "min_throughput"}},
	} {
		f := newFixture(t)
		for i, name := range []string{"a", "b", "c"} {
			f.answer(name, float64(100*(i+1)), 20)
		}
		f.fail("dead", 1, 3)
		f.view.Spread = func(t *core.Target) (float64, float64, float64, bool) { return 1, 2, 3, t.Model == "a" }
		f.view.Throughput = func(t *core.Target) (float64, bool) { return 10, t.Model == "a" }
		g := scoredGroup(core.Optimize{Latency: 1}, "a", "b", "c", "dead")
		c.set(g.Score)
		r, order := f.explain(g)
		if got := show(order); got != c.want || !slices.Equal(r.of("a").Demoted, c.why) {
			t.Errorf("%s: got %q for %q, want %q for %q", c.name, got, r.of("a").Demoted, c.want, c.why)
		}
	}
}

func TestScoredProbesWhatIsUnmeasuredAndWhatIsStale(t *testing.T) {
	f, g := newFixture(t), scoredGroup(core.Optimize{Latency: 1}, "new", "a", "b")
	f.answer("a", 100, 20)
	f.answer("b", 200, 20)
	first := f.order(g)
	if got := show(first); got != "new? a b" {
		t.Errorf("got %q, want the unmeasured one first", got)
	}
	f.want(g, "a b new", "while its probe slot is taken")
	f.release(first)
	f.answer("new", 5000, 1)
	f.want(g, "a b new", "measured")
	g.Score.ProbeAfter = time.Minute
	f.wait(61)
	f.answer("a", 100, 1)
	f.want(g, "b? a new", "unheard of for a minute")
}

func TestADearTargetThatIsFastGetsNoProbesForBeingFast(t *testing.T) {
	f, g := newFixture(t), scoredGroup(core.Optimize{Cost: 1}, "dear", "cheap")
	f.view.Price = func(t *core.Target) (float64, bool) { return float64(len(t.Model) % 5), true }
	g.Score.ProbeAfter = time.Minute
	f.answer("dear", 100, 1)
	f.answer("cheap", 900, 500)
	f.want(g, "cheap dear", "the cheap one is slow")
}

func TestExplorationDrawsTheFirst(t *testing.T) {
	f, g := newFixture(t), scoredGroup(core.Optimize{Latency: 1}, "a", "b", "c", "dead", "new", "cools")
	for i, name := range []string{"a", "b", "c", "cools"} {
		f.answer(name, float64(100*(i+1)), 20)
	}
	f.fail("dead", 1, 3)
	f.board().Cool(key("cools"), f.view.Now.Add(time.Minute), f.view.Now)
	f.board().Claim(key("new"))
	g.Score.Exploration = 0.3
	r, first, explored := seeded(1), map[string]int{}, 0
	f.view.Rand = r.Uint64
	const n = 10_000
	for range n {
		trace, order := f.explain(g)
		first[order[0].Target.Model]++
		s := trace.Tiers[0].Scored
		if s.Exploration != 0.3 || s.Leader != "a" || s.Explored != "" && s.Explored != order[0].Target.Model {
			t.Fatalf("got %+v for %q", s, show(order))
		}
		if c := trace.of(order[0].Target.Model); c.Explored != (s.Explored != "") {
			t.Fatalf("got %+v where %q was drawn", c, s.Explored)
		}
		if s.Explored != "" {
			explored++
		}
	}
	for name, want := range map[string]float64{"a": .8, "b": .1, "c": .1, "dead": 0, "new": 0, "cools": 0} {
		if got := float64(first[name]) / n; math.Abs(got-want) > 0.01 {
			t.Errorf("%s comes first for %.3f of the requests, want %.1f", name, got, want)
		}
	}
	if got := float64(explored) / n; math.Abs(got-0.3) > 0.01 {
		t.Errorf("the trace tells of %.3f that were drawn, want 0.3", got)
	}
}

func TestScoredJudgesARoutingByTheBestOfItsTargets(t *testing.T) {
	f := newFixture(t)
	f.answer("slow", 900, 20)
	f.answer("best", 100, 20)
	f.answer("mid", 300, 20)
	inner := group("inner", core.StrategyFailover, member(target("slow"), 1, 0), member(target("best"), 1, 0))
	g := group("g", core.StrategyScored, member(target("mid"), 1, 0), nested(inner, 1, 0))
	g.Score = policy(core.Optimize{Latency: 1})
	r, order := f.explain(g)
	if got := show(order); got != "slow best mid" {
		t.Errorf("got %q, want the routing first, in its own order", got)
	}
	if c := r.of("inner"); c.JudgedBy != "best" || !near(*c.Total, 1) || c.Position != 1 {
		t.Errorf("got %+v, want it to be judged by its best target", c)
	}
}

// A target beyond a limit takes its prompts with it: they go to no fallback that nobody has judged.
func TestALimitIsNotPassedByWhereAPromptLeadsInstead(t *testing.T) {
	f := newFixture(t)
	prices := map[string]float64{"a": 5, "b": 5, "mid": .5}
	f.view.Price = func(t *core.Target) (float64, bool) { usd, known := prices[t.Model]; return usd, known }
	for _, depth := range []int{1, 2} {
		inner := semanticGroup(false, .5, .5)
		inner.ID = "inner"
		around := group("around", core.StrategyFailover, nested(inner, 1, 0), member(target("mid"), 1, 0))
		for range depth - 1 {
			around = group("further", core.StrategyRoundRobin, nested(around, 1, 0))
		}
		g := group("g", core.StrategyScored, nested(around, 1, 0))
		g.Score.MaxCost = 1
		f.likes(.1, .9)
		f.want(g, "mid", "the prompt leads to b, which is too dear, as is the fallback a")
		f.likes(.9, .9)
		f.want(g, "mid", "the prompt leads to both")
		prices["b"] = .6
		f.want(g, "b mid", "one of both is cheap enough")
		prices["b"] = 5
		g.Members = append([]core.Member{member(inner.Members[0].Target, 1, 0)}, g.Members...)
		f.likes(.1, .9)
		f.want(g, "mid", "the fallback is a target of the outer routing, too")
		r, _ := f.explain(g)
		if n := len(r.Candidates); n == 0 || slices.ContainsFunc(r.Candidates, func(c Candidate) bool { return c.Target == "a" && c.Eligible }) {
			t.Errorf("got the candidates %+v", r.Candidates)
		}
	}
}

// How long whole answers take says nothing of the time to a first token: were it held against the limit, a target that gets
// whole answers by another way would get no stream by which its time to a first token could be learnt.
func TestATimeThatIsBorrowedIsNotBeyondALimit(t *testing.T) {
	f, g := newFixture(t), scoredGroup(core.Optimize{Latency: 1}, "a", "b")
	g.Score.MaxLatency = 2 * time.Second
	f.view.Class = signal.Total
	f.answer("a", 20_000, 20)
	f.want(g, "b", "whole answers")
	f.view.Class = signal.TTFT
	f.answer("b", 500, 20)
	f.want(g, "b a", "streams, of which a has had none")
	f.answer("a", 3000, 20)
	f.want(g, "b", "streams, of which a has had slow ones")
}
