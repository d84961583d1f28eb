package scenario

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
)

// hit is S3 at 75 % with something that happens to the fleet at two minutes, and the minute after that judged for
// itself.
func hit(id, title string, events ...Event) *Scenario {
	s := limited(75)
	s.ID, s.Title, s.Events, s.Own = id, title, events, true
	s.Sweep, s.Closely = false, false
	s.Slow, s.Healed = 2*minute, 3*minute
	s.Gates = []Gate{atMost(MeanRatio, meanLimit), atMost(P99Ratio, p99Limit), atMost(DegradedRatio, meanLimit)}
	return s
}

// killed is S9.
func killed(id, title string, share float64) *Scenario {
	return hit(id, title,
		Event{2 * minute, func(f *fleet.Fleet) { f.Kill(share) }},
		Event{2*minute + 3*time.Second, (*fleet.Fleet).Restart})
}

// outage is S10: the store is away for half a minute.
func outage() *Scenario {
	return hit("S10-outage", "limited capacity 75 %, the store is away for 30 s",
		Event{2 * minute, func(f *fleet.Fleet) { f.Outage(true) }},
		Event{2*minute + 30*time.Second, func(f *fleet.Fleet) { f.Outage(false) }})
}

// revoked is S10: all leases end at once.
func revoked() *Scenario {
	return hit("S10-leases", "limited capacity 75 %, all leases are revoked", Event{2 * minute, (*fleet.Fleet).Revoke})
}

// dethroned is S10 in a fleet so large that it has an aggregator, which dies.
func dethroned() *Scenario {
	s := hit("S10-root", "limited capacity 75 %, the aggregator of 300 nodes dies", Event{2 * minute, (*fleet.Fleet).Dethrone})
	s.Nodes = []int{300}
	return s
}

// skewed is S11: clocks differ by up to 5 s both ways, and delays by half.
func skewed() *Scenario {
	s := hit("S11-skew", "limited capacity 75 %, clocks ±5 s, delays 50–75 ms")
	s.Spread = 5 * time.Second
	return s
}

// suspended is S11: a node sleeps for a minute.
func suspended() *Scenario {
	s := hit("S11-sleep", "limited capacity 75 %, one of ten nodes sleeps for a minute", Event{2 * minute, func(f *fleet.Fleet) { f.Suspend(0, minute) }})
	s.Healed = 2*minute + 90*time.Second
	return s
}

// garbage is S12.
func garbage() *Scenario {
	return hit("S12", "limited capacity 75 %, three peers write garbage", Event{2 * minute, func(f *fleet.Fleet) {
		f.Garbage(3, []signal.Key{1, 2, 3, 4})
	}})
}
