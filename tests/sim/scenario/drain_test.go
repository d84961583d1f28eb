//go:build !race

// Each simulation is one goroutine. The race detector would find nothing in it and take ten times as long.

package scenario_test

import (
	"testing"

	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

func TestNothingIsLeftInFlightAfterAnyScenario(t *testing.T) {
	for _, s := range scenario.All() {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			nodes := 3
			if s.Nodes != nil { // a tree
				nodes = 201
			}
			got := brief(s, "adaptive", nodes, t)
			if got.Inflight != 0 || got.Unanswered != 0 || !(got.Mean > 0) {
				t.Errorf("in flight %v, unanswered %v, mean %v s; want 0, 0 and more than 0", got.Inflight, got.Unanswered, got.Mean)
			}
		})
	}
}
