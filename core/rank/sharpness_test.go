package rank

import (
	"math"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

func TestSharpness(t *testing.T) {
	elastic := func(seconds, elasticity, doubt float64) leaf {
		l := answering(seconds)
		l.expected, l.elasticity, l.doubt = seconds, elasticity, doubt
		return l
	}
	cooling := elastic(0.1, 1, 0)
	cooling.cools = true
	dead := elastic(0.1, 1, 0)
	dead.class = failing
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		selection core.Selection
		mean      float64
		leaves    []leaf
		k         float64
		rule      Rule
	}{
		{"strict", core.SelectionStrict, 9, []leaf{elastic(1, 1, 0)}, inf, RuleStrict},
		{"balanced", core.SelectionBalanced, 0, []leaf{elastic(1, 0, 0)}, 6, RuleBalanced},
		{"less than one in flight per target", core.SelectionAdaptive, 0.9, []leaf{elastic(1, 1, 0)}, inf, RuleIdle},
		{"nothing known of the elasticity", core.SelectionAdaptive, 9, []leaf{elastic(1, 0, inf)}, 6, RuleUnproved},
		{"known not to slow down", core.SelectionAdaptive, 9, []leaf{elastic(1, 0, 0.015)}, inf, RuleElastic},
		{"nearly known not to slow down", core.SelectionAdaptive, 9, []leaf{elastic(1, 0, 0.05)}, 24, RuleUnproved},
		{"the fastest is known, another is not", core.SelectionAdaptive, 9, []leaf{elastic(2, 0, inf), elastic(1, 0, 0.01)}, inf, RuleElastic},
		{"no number", core.SelectionAdaptive, 9, []leaf{elastic(1, math.NaN(), 0)}, 6, RuleUnproved},
		{"latency falls with load", core.SelectionAdaptive, 9, []leaf{elastic(1, -0.5, 0.1)}, 12, RuleUnproved},
		{"not shown", core.SelectionAdaptive, 9, []leaf{elastic(1, 0.5, 0.21)}, 6, RuleUnproved},
		{"a little", core.SelectionAdaptive, 9, []leaf{elastic(1, 0.265, 0.1)}, 12, RuleQueues},
		{"much", core.SelectionAdaptive, 9, []leaf{elastic(1, 1, 0.1)}, 6, RuleQueues},
		{"only a slower target", core.SelectionAdaptive, 9, []leaf{elastic(2, 1, 0), elastic(1, 0, 0)}, 6, RuleQueues},
		{"the fastest of two", core.SelectionAdaptive, 9, []leaf{elastic(2, 0, 0), elastic(1, 1, 0)}, 6, RuleQueues},
		{"the fastest that serves", core.SelectionAdaptive, 9, []leaf{cooling, dead, elastic(1, 0, 0)}, inf, RuleElastic},
		{"none serves", core.SelectionAdaptive, 9, []leaf{cooling, dead}, inf, RuleElastic},
	} {
		p := core.LatencyPolicy{Selection: c.selection, Sharpness: 6}
		k, rule, _ := sharpness(&p, 2*time.Second, c.leaves, c.mean)
		if rule != c.rule || !(k == c.k || near(k, c.k)) {
			t.Errorf("%s: got %v by %s, want %v by %s", c.name, k, rule, c.k, c.rule)
		}
	}
}

func TestLateNewsMakesTheChoiceGentler(t *testing.T) {
	for _, selection := range []core.Selection{core.SelectionBalanced, core.SelectionAdaptive} {
		p := core.LatencyPolicy{Selection: selection, Sharpness: 6}
		leaves := []leaf{{class: answers, elasticity: 1}}
		if k, _, _ := sharpness(&p, 2*time.Second+1, leaves, 9); !near(k, 4) {
			t.Errorf("%s: got %v, want 4 of 6", selection, k)
		}
	}
}

// A target that stretches with its load, and one that does not.
func TestAdaptiveSharesOutWhatQueuesAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		name   string
		queues bool
	}{{"queues", true}, {"scales", false}} {
		f, g := newFixture(t), latencyGroup("a", "b")
		g.Latency.Selection = core.SelectionAdaptive
		f.begin("a", 8)
		f.begin("b", 8)
		r := seeded(7)
		f.view.Rand = r.Uint64
		for i := range 200 {
			load := i % 16
			millis := 100 * math.Exp(0.05*r.NormFloat64())
			if c.queues {
				millis *= float64(load + 1)
			}
			f.board().Succeed(key("a"), f.view.Class, ms(millis), load, f.view.Now)
			f.board().Succeed(key("b"), f.view.Class, ms(millis*1.05), load, f.view.Now)
			f.wait(0.05)
		}
		first := f.spin(g, 1000)
		if c.queues && (first["b"] < 250 || first["a"] < first["b"]) {
			t.Errorf("%s: got %v, want about 57 %% to a, which is 5 %% faster", c.name, first)
		}
		if !c.queues && first["a"] != 1000 {
			t.Errorf("%s: got %v, want all to the fastest", c.name, first)
		}
	}
}
