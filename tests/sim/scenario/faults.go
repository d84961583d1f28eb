package scenario

import (
	"fmt"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/traffic"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// instant is how long a fault of S5 takes: what fails fast must not look fast.
const instant = 50 * time.Millisecond

// failing is S5 at one share of failures.
func failing(percent int) *Scenario {
	s := &Scenario{
		ID: fmt.Sprintf("S5-%d", percent), Title: fmt.Sprintf("elastic, the best fails %d %% of its calls in 50 ms", percent), Load: traffic.Load{Rate: 100},
		Split: []float64{1, 0, 0, 0}, Upstreams: boundless(bases()...), Warm: minute, Length: 5 * minute, Slow: 2 * minute, Failing: 1,
		Gates: []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit), atMost(Errors, 0)},
	}
	if percent >= 50 {
		s.Gates = append(s.Gates, atMost(FailingShare, failingLimit))
	}
	change(&s.Upstreams[0], s.Slow, func(u *upstream.State) { u.Fails, u.FailAfter = float64(percent)/100, instant })
	return s
}

// refusing is S6.
func refusing() *Scenario {
	s := &Scenario{
		ID: "S6", Title: "elastic, the best answers 429 with Retry-After for two minutes", Load: traffic.Load{Rate: 100}, Split: []float64{1, 0, 0, 0}, Upstreams: boundless(bases()...),
		Warm: minute, Length: 7 * minute, Slow: 2 * minute, Healed: 4 * minute, Failing: 1,
		Gates: []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit), atMost(Errors, 0), atMost(FailingShare, failingLimit)},
	}
	change(&s.Upstreams[0], s.Slow, func(u *upstream.State) { u.Limited, u.RetryAfter = 1, 20*time.Second })
	change(&s.Upstreams[0], s.Healed, func(u *upstream.State) { u.Limited = 0 })
	return s
}
