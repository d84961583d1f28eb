package scenario

import (
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/traffic"
)

// little is the share of the target that is best only while another one is not there.
const little = 1e-9

// fresh is S8: a target that is faster than all others joins.
func fresh() *Scenario {
	return &Scenario{
		ID: "S8-new", Title: "elastic, a target twice as fast as the best joins", Load: traffic.Load{Rate: 100}, Upstreams: boundless(1, 1.25, 2, 4, 0.5),
		Routes: []Route{{0, []int{0, 1, 2, 3}}, {2 * minute, []int{0, 1, 2, 3, 4}}}, Split: []float64{little, 0, 0, 0, 1}, Warm: minute, Length: 5 * minute,
		Gates: []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit)},
	}
}

// edited is S8: the best target is pointed at another upstream, which is slow. Its key is another one then.
func edited() *Scenario {
	return &Scenario{
		ID: "S8-edit", Title: "elastic, the best is pointed at an upstream 5 times slower", Load: traffic.Load{Rate: 100}, Upstreams: boundless(1, 1.25, 2, 4, 5),
		Routes: []Route{{0, []int{0, 1, 2, 3}}, {2 * minute, []int{4, 1, 2, 3}}}, Split: []float64{1, little, 0, 0, 0}, Warm: minute, Length: 5 * minute,
		Gates: []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit)},
	}
}

// renamed is S8: the best target gets another name and keeps its key.
func renamed() *Scenario {
	s := steady()
	s.ID, s.Title, s.Own = "S8-name", "elastic, the best is renamed", true
	s.Sweep, s.Closely = false, false
	s.Targets = append(s.targets(), Target{"target-1-renamed", 1, 0})
	s.Routes = []Route{{0, []int{0, 1, 2, 3}}, {2 * minute, []int{4, 1, 2, 3}}}
	s.Slow, s.Healed = 2*minute, 2*minute+30*time.Second
	s.Split = []float64{1, 0, 0, 0, 1}
	s.Gates = append(s.Gates, atMost(DegradedRatio, elasticLimit))
	return s
}
