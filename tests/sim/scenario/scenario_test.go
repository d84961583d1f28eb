package scenario_test

import (
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/measure"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

func TestScenariosHaveIDsOfTheirOwnAndGates(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range scenario.All() {
		if seen[s.ID] {
			t.Errorf("two scenarios are called %s", s.ID)
		}
		seen[s.ID] = true
		if len(s.Gates) == 0 {
			t.Errorf("%s has no gate", s.ID)
		}
		if s.Warm >= s.Length || s.Slow >= s.Length || s.Healed >= s.Length {
			t.Errorf("%s ends before its last mark", s.ID)
		}
	}
}

// brief is every scenario over so little that all can be run.
func brief(s *scenario.Scenario, policyName string, nodes int, t *testing.T) measure.Summary {
	t.Helper()
	named, err := policy.Find(policyName)
	if err != nil {
		t.Fatal(err)
	}
	s.Load.Rate = min(s.Load.Rate, 10)
	s.Warm, s.Length = min(s.Warm, time.Minute), min(s.Length, max(2*time.Minute, s.Slow, s.Healed)+time.Minute)
	return scenario.Cell{Scenario: s, Policy: named, Nodes: nodes, Every: time.Second, Seed: 1}.Run().Summary(s.Marks())
}

func TestASeedGivesTheSameResultEachTime(t *testing.T) {
	for _, name := range []string{"adaptive", "balanced", "finagle p2c"} {
		one, two := brief(find(t, "S4"), name, 5, t), brief(find(t, "S4"), name, 5, t)
		if one.Mean != two.Mean || one.P99 != two.P99 || one.Best != two.Best {
			t.Errorf("%s: mean %v and %v s, p99 %v and %v s", name, one.Mean, two.Mean, one.P99, two.P99)
		}
	}
}

func find(t *testing.T, id string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
