package rank

import (
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

func TestSessionKeepsItsTargetWithinTheBand(t *testing.T) {
	for _, selection := range []core.Selection{core.SelectionStrict, core.SelectionBalanced, core.SelectionAdaptive} {
		for _, c := range []struct {
			name     string
			ratio    float64
			previous string
			keeps    bool
		}{
			{"a fifth slower", 1.2, "b", true},
			{"a third slower", 1.33, "b", false},
			{"none", 1.2, "", false},
			{"one that is not here", 1.2, "gone", false},
		} {
			f, g := newFixture(t), latencyGroup("a", "b")
			g.Latency.Selection, g.Latency.Sharpness = selection, core.MaxSharpness
			f.answer("a", 100, 500)
			f.answer("b", 100*c.ratio, 500)
			if c.previous != "" {
				f.view.Previous = key(c.previous)
			}
			first := f.spin(g, 200)
			if c.keeps && first["b"] != 200 || !c.keeps && first["b"] > 20 {
				t.Errorf("%s, %s: b came first %d times of 200", selection, c.name, first["b"])
			}
		}
	}
}

func TestSessionStaysAtATargetOfWhichLittleIsKnown(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	g.Latency.ProbeAfter = 0
	f.answer("a", 100, 100)
	f.answer("b", 110, 1)
	f.want(g, "a b", "no session")
	f.view.Previous = key("b")
	f.want(g, "b a", "a session that b has answered once")
	f.answer("b", 200, 1)
	f.want(g, "a b", "b is no longer within the band")
}

func TestSessionOutlivesItsTargetInNothing(t *testing.T) {
	f := newFixture(t)
	f.view.Previous = key("b")
	f.answer("a", 100, 20)
	f.want(latencyGroup("a", "b"), "b? a", "an unmeasured target is a probe, not a habit")
	f.board().Begin(key("b"))
	f.want(latencyGroup("a", "b"), "a b", "and does not stick")
	f.board().Done(key("b"))
	f.answer("b", 100, 20)
	f.want(latencyGroup("a", "b"), "b a", "measured")
	f.board().Cool(key("b"), at(10), start)
	f.want(latencyGroup("a", "b"), "a b", "cooling")
	f.board().Warm(key("b"))
	f.wait(31)
	f.answer("a", 100, 1)
	f.fail("b", 1, 1)
	f.want(latencyGroup("a", "b"), "a b", "failing")
}

func TestSessionKeepsTheRoutingOfItsTarget(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 20)
	f.answer("x", 500, 20)
	f.answer("y", 110, 20)
	inner := group("inner", core.StrategyLeastLatency, member(target("x"), 1, 0), member(target("y"), 1, 0))
	g := group("g", core.StrategyLeastLatency, member(target("a"), 1, 0), nested(inner, 1, 0))
	f.want(g, "a y x", "no session")
	f.view.Previous = key("y")
	f.want(g, "y x a", "a target below")
	f.view.Previous = key("x")
	f.want(g, "a y x", "a target below that is too slow, though its routing is not")
}

func TestPriorityComesBeforeTheSession(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 20)
	f.answer("b", 100, 20)
	f.view.Previous = key("b")
	for _, s := range []core.Strategy{core.StrategyLeastLatency, core.StrategyLeastBusy} {
		f.want(group("g", s, member(target("a"), 1, 1), member(target("b"), 1, 0)), "a b", string(s))
	}
}
