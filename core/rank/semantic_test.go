package rank

import (
	"math"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

var none = math.NaN()

// alike is a member with examples and a threshold of its own.
func alike(m core.Member, threshold float64) core.Member {
	m.Examples, m.Threshold = []string{"an example"}, threshold
	return m
}

// likes makes the prompt have these scores with every semantic group's members.
func (f *fixture) likes(scores ...float64) {
	f.view.Meaning = func(g *core.Group) Meaning { return Meaning{scores[:len(g.Members)], MeaningScored} }
}

// semanticGroup is a group over fresh targets with a threshold each; its last member is the catchall, unless there is none.
func semanticGroup(catchall bool, thresholds ...float64) *core.Group {
	var ms []core.Member
	for i, bar := range thresholds {
		m := alike(member(target(string(rune('a'+i))), 1, 0), bar)
		if catchall && i == len(thresholds)-1 {
			m.Examples, m.Target.Model = nil, "rest"
		}
		ms = append(ms, m)
	}
	g := group("g", core.StrategySemantic, ms...)
	if catchall {
		g.Semantic.Fallback, g.Semantic.Catchall = len(ms)-1, true
	}
	return g
}

func TestThePromptPicksTheTarget(t *testing.T) {
	every := math.Inf(-1)
	for _, c := range []struct {
		name   string
		group  *core.Group
		scores []float64
		want   string
	}{
		{"best first, then the catchall", semanticGroup(true, .5, .5, .5, 0), []float64{.6, .9, .7, none}, "b c a rest"},
		{"below the bar there is no place", semanticGroup(true, .5, .5, 0), []float64{.49, .8, none}, "b rest"},
		{"at the bar it is cleared", semanticGroup(true, .5, .5, 0), []float64{.5, .8, none}, "b a rest"},
		{"each has its own bar", semanticGroup(true, .95, .1, 0), []float64{.9, .2, none}, "b rest"},
		{"ties keep the order of declaration", semanticGroup(true, .5, .5, .5, 0), []float64{.7, .8, .7, none}, "b a c rest"},
		{"without a bar all with a score clear", semanticGroup(true, every, every, every, every), []float64{-.9, none, -.2, none}, "c a rest"},
		{"nothing cleared and there is a catchall", semanticGroup(true, .5, .5, 0), []float64{.4, .3, none}, "rest"},
		{"nothing cleared and there is none", semanticGroup(false, .5, .5, .5), []float64{.4, .45, .3}, "a"},
		{"nothing can be compared", semanticGroup(false, every, every), []float64{none, none}, "a"},
		{"no catchall follows if there is none", semanticGroup(false, .5, .5, .5), []float64{.1, .7, .6}, "b c"},
		{"a catchall with examples that cleared stands where they put it, once", semanticGroup(true, .5, .5, .5), []float64{.6, .7, .9}, "rest b a"},
		{"a catchall with examples that did not is last, once", semanticGroup(true, .1, .1, .5), []float64{.2, .3, .4}, "b a rest"},
	} {
		f := newFixture(t)
		f.likes(c.scores...)
		f.want(c.group, c.want, c.name)
		f.view.Trace = new(Trace)
		f.want(c.group, c.want, c.name+", traced")
	}
}

func TestWithoutScoresTheFallbackServesAlone(t *testing.T) {
	for _, state := range []MeaningState{"", MeaningNoText, MeaningNotReady, MeaningFailed} {
		for want, g := range map[string]*core.Group{"rest": semanticGroup(true, .1, .1, 0), "a": semanticGroup(false, .1, .1, 0)} {
			for _, failover := range []core.SemanticFailover{core.FailoverCleared, core.FailoverNone} {
				f := newFixture(t)
				g.Semantic.Failover = failover
				f.view.Meaning = func(*core.Group) Meaning { return Meaning{State: state} }
				f.want(g, want, string(state))
				f.view.Meaning = nil
				f.want(g, want, "no prompt was compared")
			}
		}
	}
}

func TestFallbackThatAFilterLeavesOutOpensNoOtherWay(t *testing.T) {
	f, g := newFixture(t), semanticGroup(true, .5, .5, 0)
	g.Members[2].Target.ContextWindow, f.view.Tokens = 100, 200
	f.likes(.1, .1, none)
	f.want(g, "", "the catchall's context window is too small")
	f.likes(.6, .1, none)
	f.want(g, "a", "one cleared")
}

func TestFailoverNoneKeepsToTheMatch(t *testing.T) {
	f, g := newFixture(t), semanticGroup(true, .5, .5, .5, 0)
	g.Semantic.Failover = core.FailoverNone
	f.likes(.6, .9, .7, none)
	f.want(g, "b", "three cleared")
	g.Members[1].Tags, g.Tagged = []string{"eu"}, true
	f.view.Need.Tags = []string{"eu"}
	f.want(g, "b", "the match bears the tag")
	g.Members[0].Tags, g.Members[1].Tags = []string{"eu"}, nil
	f.want(g, "", "only another bears the tag")
	f.view.Need.Tags, g.Members[0].Tags, g.Tagged = nil, nil, false
	g.Members[1].Target.Capabilities = core.CapabilitiesOf()
	f.view.Need.Capabilities = core.CapabilitiesOf(core.CapabilityTools)
	f.want(g, "", "the match lacks a capability")
	g.Semantic.Failover = core.FailoverCleared
	f.want(g, "c a rest", "the match lacks a capability, and others may serve")
	g.Semantic.Failover = core.FailoverNone
	f.likes(.1, .1, .1, none)
	f.want(g, "rest", "nothing cleared")
}

func TestPriorityComesBeforeLikenessAndTheCatchallLast(t *testing.T) {
	f, g := newFixture(t), semanticGroup(true, .5, .5, .5, .5, 0)
	g.Members[1].Priority, g.Members[2].Priority, g.Members[4].Priority = 5, 5, 9
	g.Members[3].Weight = 0
	f.likes(.9, .6, .7, .99, none)
	f.want(g, "c b a d rest", "tiers, the spare one behind them")
	g.Semantic.Failover = core.FailoverNone
	f.want(g, "c", "the match is what would come first")
}

func TestSemanticOverRoutings(t *testing.T) {
	f := newFixture(t)
	f.answer("x", 900, 5)
	f.answer("y", 100, 5)
	y := target("y")
	code := group("code", core.StrategyLeastLatency, member(target("x"), 1, 0), member(y, 1, 0))
	rest := group("rest", core.StrategyFailover, member(target("z"), 1, 0), member(y, 1, 0))
	g := group("g", core.StrategySemantic, alike(nested(code, 1, 0), .5), alike(member(target("w"), 1, 0), .5), nested(rest, 1, 0))
	g.Semantic.Fallback, g.Semantic.Catchall = 2, true
	f.likes(.8, .6, none)
	f.want(g, "y x w z", "both cleared")
	f.likes(.1, .6, none)
	f.want(g, "w z y", "one cleared")
	f.likes(.1, .1, none)
	f.want(g, "z y", "none cleared")
}

// A routing of semantic is judged by the targets to which it would send this prompt.
func TestSemanticWithinOtherStrategies(t *testing.T) {
	for _, s := range []core.Strategy{core.StrategyLeastLatency, core.StrategyScored} {
		f := newFixture(t)
		f.answer("a", 100, 20)
		f.answer("b", 900, 20)
		f.answer("mid", 300, 20)
		f.answer("rest", 950, 20)
		inner := semanticGroup(true, .5, .5, 0)
		inner.ID = "inner"
		inner.Members[2].Target = target("rest")
		g := group("g", s, nested(inner, 1, 0), member(target("mid"), 1, 0))
		if g.Score != nil {
			g.Score = policy(core.Optimize{Latency: 1})
		}
		f.likes(.9, .1, none)
		f.want(g, "a rest mid", string(s)+": the prompt leads to the fast one")
		f.likes(.1, .9, none)
		f.want(g, "mid b rest", string(s)+": the prompt leads to the slow one")
		inner.Semantic.Failover = core.FailoverNone
		inner.Members[1].Target.Capabilities = core.CapabilitiesOf()
		f.view.Need.Capabilities = core.CapabilitiesOf(core.CapabilityTools)
		f.want(g, "mid", string(s)+": what the prompt leads to lacks a capability")
		r, _ := f.explain(g)
		if a, b := r.of("a"), r.of("b"); a.Excluded != ExcludedByThreshold || b.Excluded != ExcludedByCapability {
			t.Errorf("%s: a is excluded by %q and b by %q, want %q and %q", s, a.Excluded, b.Excluded, ExcludedByThreshold, ExcludedByCapability)
		}
	}
}

func TestTraceTellsWhatAPromptIsLike(t *testing.T) {
	f, g := newFixture(t), semanticGroup(true, .5, math.Inf(-1), .5, 0)
	f.likes(.6, -.2, .4, none)
	r, order := f.explain(g)
	if got := show(order); got != "a b rest" || len(r.Tiers) != 2 {
		t.Fatalf("got %q in %d tiers, want %q in two", got, len(r.Tiers), "a b rest")
	}
	first, last := r.Tiers[0].Semantic, r.Tiers[1].Semantic
	if first.State != MeaningScored || first.Fallback || first.Catchall || !last.Catchall {
		t.Errorf("got %+v and %+v, want a tier of what cleared and one of the catchall", first, last)
	}
	a, b, c, rest := r.of("a"), r.of("b"), r.of("c"), r.of("rest")
	if *a.Semantic.Score != .6 || *a.Semantic.Threshold != .5 || !a.Semantic.Cleared || a.Position != 1 {
		t.Errorf("got %+v, want 0.6 that cleared 0.5", a.Semantic)
	}
	if *b.Semantic.Score != -.2 || b.Semantic.Threshold != nil || !b.Semantic.Cleared {
		t.Errorf("got %+v, want -0.2 that cleared without a threshold", b.Semantic)
	}
	if *c.Semantic.Score != .4 || c.Semantic.Cleared || c.Eligible || c.Excluded != ExcludedByThreshold {
		t.Errorf("got %+v, want 0.4 that is excluded", c)
	}
	if rest.Semantic.Score != nil || rest.Semantic.Cleared || !rest.Eligible || rest.Position != 3 {
		t.Errorf("got %+v, want the catchall in the third place", rest)
	}
	g.Semantic.Failover = core.FailoverNone
	r, _ = f.explain(g)
	if got := r.of("b").Excluded; got != ExcludedByFailover {
		t.Errorf("what is not the match is excluded by %q, want %q", got, ExcludedByFailover)
	}
	f.view.Meaning = nil
	r, _ = f.explain(g)
	if s := r.Tiers[0].Semantic; !s.Fallback || r.of("a").Excluded != ExcludedUncompared || !r.of("rest").Eligible {
		t.Errorf("got %+v and %+v, want the fallback alone", s, r.of("a"))
	}
}
