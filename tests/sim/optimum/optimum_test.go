package optimum_test

import (
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/measure"
	"github.com/sluice-gateway/sluice/tests/sim/optimum"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// short is a scenario over one minute at a tenth of the rate and the servers.
func short(t *testing.T, id string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	s.Split, s.Load.Rate, s.Warm, s.Length = nil, s.Load.Rate/10, 10*time.Second, 70*time.Second
	for i := range s.Upstreams {
		s.Upstreams[i].Start.Servers /= 10
	}
	return s
}

func mean(s *scenario.Scenario, shares []float64) float64 {
	named := policy.Fixed("fixed", shares)
	return scenario.Cell{Scenario: s, Policy: named, Nodes: 1, Every: time.Second, Seed: 1}.Run().Summary(measure.Marks{Slowed: -1, Failing: -1}).Mean
}

func TestWhereNothingQueuesTheBestSplitIsTheBestTarget(t *testing.T) {
	got := optimum.Split(short(t, "S1"), 1)
	if got[0] != 1 {
		t.Errorf("split %v, want all to the first", got)
	}
}

func TestNoSplitNearbyIsBetterOnTheSameRequests(t *testing.T) {
	s := short(t, "S3-75")
	best := optimum.Split(s, 1)
	least := mean(s, best)
	for from := range best {
		for to := range best {
			other := append([]float64(nil), best...)
			step := min(0.1, other[from])
			other[from], other[to] = other[from]-step, other[to]+step
			if m := mean(s, other); m < 0.98*least {
				t.Errorf("%.2f has a mean of %.3f s, %.2f, taken for the best, %.3f s", other, m, best, least)
			}
		}
	}
}
