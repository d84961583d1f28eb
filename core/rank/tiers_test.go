package rank

import (
	"math"
	"slices"
	"testing"
	"testing/quick"

	"github.com/sluice-gateway/sluice/core"
)

// strategies are those that order every target, whatever is asked.
var strategies = []core.Strategy{
	core.StrategyFailover, core.StrategyRoundRobin, core.StrategyConsistentHash, core.StrategyLeastCost, core.StrategyLeastBusy,
	core.StrategyLeastLatency, core.StrategyScored,
}

func TestFailoverKeepsDeclarationOrder(t *testing.T) {
	f := newFixture(t)
	f.answer("c", 1, 5)
	g := group("g", core.StrategyFailover, member(target("a"), 1, 0), member(target("b"), 9, 0), member(target("c"), 1, 0))
	for range 3 {
		f.want(g, "a b c", "always")
	}
}

func TestTiersOfHigherPriorityComeFirst(t *testing.T) {
	for _, s := range strategies {
		f := newFixture(t)
		for i, name := range []string{"a", "b", "c", "d", "e"} {
			f.answer(name, float64(100*(i+1)), 5)
		}
		g := group("g", s, member(target("a"), 1, math.MinInt), member(target("b"), 1, -1), member(target("c"), 1, 7), member(target("d"), 1, math.MaxInt), member(target("e"), 1, 7))
		if got := f.peek(g); got != "d c e b a" && (s == core.StrategyFailover || got != "d e c b a") {
			t.Errorf("%s: got %q, want tiers d, then c and e, then b, then a", s, got)
		}
	}
}

func TestWeightZeroComesAfterAllOthers(t *testing.T) {
	for _, s := range strategies {
		f := newFixture(t)
		f.answer("z", 1, 5)
		f.answer("a", 500, 5)
		g := group("g", s, member(target("z"), 0, 99), member(target("a"), 1, 0), member(target("y"), 0, 100))
		for range 5 {
			f.want(g, "a y z", string(s))
		}
	}
}

func TestNestedGroupStandsInItsMembersPlace(t *testing.T) {
	inner := group("inner", core.StrategyFailover, member(target("x"), 1, 0), member(target("y"), 1, 5))
	for _, s := range strategies {
		f := newFixture(t)
		for i, name := range []string{"a", "x", "y", "b"} {
			f.answer(name, float64(100+i), 5)
		}
		g := group("g", s, member(target("a"), 1, 2), nested(inner, 1, 1), member(target("b"), 1, 0))
		f.want(g, "a y x b", string(s))
	}
}

func TestTargetThatComesUpTwiceStandsOnce(t *testing.T) {
	a, b := target("a"), target("b")
	inner := group("inner", core.StrategyFailover, member(a, 1, 0), member(b, 1, 0))
	for _, s := range strategies {
		f := newFixture(t)
		f.answer("a", 100, 5)
		f.answer("b", 200, 5)
		g := group("g", s, member(b, 1, 9), nested(inner, 1, 5), member(a, 1, 0))
		f.want(g, "b a", string(s))
	}
}

func TestNestedGroupRanksAsItsBestTarget(t *testing.T) {
	f := newFixture(t)
	f.answer("slow", 900, 5)
	f.answer("best", 100, 5)
	f.answer("mid", 300, 5)
	for _, s := range strategies {
		inner := group("inner", s, member(target("slow"), 1, 1), member(target("best"), 1, 0))
		f.want(group("g", core.StrategyLeastLatency, member(target("mid"), 1, 0), nested(inner, 1, 0)), "slow best mid", string(s))
	}
}

func TestSpareTargetDoesNotSpeakForItsGroup(t *testing.T) {
	f := newFixture(t)
	f.answer("spare", 1, 5)
	f.answer("slow", 900, 5)
	f.answer("mid", 300, 5)
	inner := group("inner", core.StrategyLeastLatency, member(target("spare"), 0, 0), member(target("slow"), 1, 0))
	f.want(group("g", core.StrategyLeastLatency, nested(inner, 1, 0), member(target("mid"), 1, 0)), "mid slow spare", "the group's fastest has weight 0")
}

func TestOrderAppendsToWhatIsThere(t *testing.T) {
	f := newFixture(t)
	a := target("a")
	have := []Choice{{Target: a}}
	got := f.ranker.Order(have, group("g", core.StrategyFailover, member(a, 1, 0), member(target("b"), 1, 0)), f.view)
	if show(got) != "a a b" {
		t.Errorf("got %q, want %q: what the caller has put there is not part of the order", show(got), "a a b")
	}
}

// randomGroup nests groups of every strategy over a few shared targets.
func randomGroup(seed uint64) (*core.Group, []*core.Target) {
	r := seeded(seed)
	targets := []*core.Target{target("a"), target("b"), target("c"), target("d"), target("e"), target("f")}
	id := 0
	var build func(depth int) *core.Group
	build = func(depth int) *core.Group {
		id++
		name := string(rune('A' + id))
		var members []core.Member
		for _, i := range r.Perm(len(targets))[:1+r.IntN(4)] {
			weight, priority := r.IntN(4), r.IntN(3)-1
			if len(members) == 0 {
				weight = 1 // as Compile demands of a group
			}
			if depth < 3 && r.IntN(3) == 0 {
				members = append(members, nested(build(depth+1), weight, priority))
			} else {
				members = append(members, member(targets[i], weight, priority))
			}
		}
		return group(name, strategies[r.IntN(len(strategies))], members...)
	}
	return build(1), targets
}

func leaves(g *core.Group, into map[*core.Target]bool) map[*core.Target]bool {
	for _, m := range g.Members {
		if m.Group != nil {
			leaves(m.Group, into)
		} else {
			into[m.Target] = true
		}
	}
	return into
}

func TestEveryTargetStandsExactlyOnceAndAtMostOneIsAProbe(t *testing.T) {
	property := func(seed uint64) bool {
		g, targets := randomGroup(seed)
		r, f := seeded(seed), newFixture(t)
		for range 30 {
			k := targets[r.IntN(len(targets))]
			switch r.IntN(5) {
			case 0:
				f.answer(k.Model, 10+r.Float64()*1000, 1)
			case 1:
				f.fail(k.Model, r.Float64()*1000, 1)
			case 2:
				f.board().Cool(k.Signal, f.view.Now.Add(ms(5000)), f.view.Now)
			case 3:
				f.wait(r.Float64() * 40)
			}
			got := f.order(g)
			probes := 0
			seen := map[*core.Target]bool{}
			for _, c := range got {
				seen[c.Target] = true
				if c.Probe {
					probes++
				}
			}
			if want := leaves(g, map[*core.Target]bool{}); len(seen) != len(want) || len(got) != len(want) || probes > 1 {
				t.Logf("seed %d: got %q, want each of %d targets once and at most one probe", seed, show(got), len(want))
				return false
			}
			if at := slices.IndexFunc(got, func(c Choice) bool { return c.Probe }); at >= 0 {
				for _, c := range got[:at] {
					if f.board().Cooling(c.Target.Signal, f.view.Now) == 0 {
						t.Logf("seed %d: got %q, want no probe behind a target that does not cool", seed, show(got))
						return false
					}
				}
			}
			f.release(got)
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 200}); err != nil {
		t.Error(err)
	}
}
