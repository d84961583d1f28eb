package dispatch

import (
	"cmp"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/proxy/apierror"
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
	// refused is why there are no steps; nil when there are some.
	refused *fault
	// probe is the target whose probe slot the ranking has claimed for the request; nil: none.
	probe *core.Target
}

// plan appends to steps the targets of the group for the request: the ready ones as ranked, then those that
// are set aside, soonest back first. What a filter leaves out is in no plan and so uses up no fallback.
func (x *exchange) plan(steps []step, now time.Time) plan {
	v, f := x.view(now)
	if f != nil {
		return plan{refused: f}
	}
	like, f := x.compare(&v)
	if f != nil {
		return plan{refused: f}
	}
	now = v.Now
	v.Trace = x.trace()
	var room [8]rank.Choice
	order := x.d.Ranker.Order(room[:0], x.call.Group, v)
	if len(order) == 0 {
		x.note(like, nil)
		return plan{refused: x.unserved(v)}
	}
	x.note(like, order[0].Target)
	p := plan{steps: steps}
	ready := 0
	for _, choice := range order {
		standing := x.d.Cooldowns.Standing(choice.Target, now)
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
	if ready == 0 && len(p.steps) > 1 && x.call.Group.WhenAllUnavailable == core.UnavailableFail {
		p.refused = &fault{slug: slugCooling, public: apierror.Unavailable(p.steps[0].remaining)}
		p.steps = nil
	}
	return p
}
