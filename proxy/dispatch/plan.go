package dispatch

import (
	"cmp"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
)

// step is one target of a plan.
type step struct {
	rank.Choice
	halfOpen  bool
	claimed   bool          // this request holds the one probe of the half-open target
	remaining time.Duration // of its cooldown; 0: not cooling
}

// plan is the order in which one request tries its targets.
type plan struct {
	steps []step
	// wait is the least remaining cooldown; only set when everything cools, the group then fails, and steps
	// is empty.
	wait time.Duration
	// probe is the target whose probe slot the ranking has claimed for the request; nil: none.
	probe *core.Target
}

// plan appends to steps the targets of the group for one request: the ready ones as ranked, then those that
// are set aside, soonest back first.
func (d *Dispatcher) plan(steps []step, g *core.Group, class signal.Class, now time.Time) plan {
	var room [8]rank.Choice
	order := d.Ranker.Order(room[:0], g, rank.View{
		Board: d.Board, Class: class, Now: now,
		Owner: func(k signal.Key) bool { return d.Owner(k, now) },
	})
	p := plan{steps: steps}
	ready := 0
	for _, choice := range order {
		standing := d.Cooldowns.Standing(choice.Target, now)
		p.steps = append(p.steps, step{Choice: choice, halfOpen: standing.HalfOpen, remaining: standing.Remaining})
		if standing.Remaining == 0 {
			ready++
		}
		if choice.Probe {
			p.probe = choice.Target
		}
	}
	if ready == len(p.steps) {
		return p
	}
	slices.SortStableFunc(p.steps, func(a, b step) int { return cmp.Compare(a.remaining, b.remaining) })
	if ready == 0 && len(p.steps) > 1 && g.WhenAllUnavailable == core.UnavailableFail {
		p.wait, p.steps = p.steps[0].remaining, nil
	}
	return p
}
