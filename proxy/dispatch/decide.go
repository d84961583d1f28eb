package dispatch

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/rank"
)

// decisionHeader is where a caller is told what was decided.
const decisionHeader = "X-Sluice-Decision"

// trace returns where the ranking says why its order is as it is; nil: nobody asks.
func (x *exchange) trace() *rank.Trace {
	x.traced = x.d.Journal.Trace(x.call.Group.Leaves, x.dry || x.call.Explain)
	return x.traced
}

// decided remembers what the plan is and why.
func (x *exchange) decided(p *plan, now time.Time) {
	var room [8]decision.Step
	d := decision.Decision{
		RequestID: x.call.RequestID, Endpoint: x.call.Endpoint.Path, Model: x.call.Group.ID, Caller: x.call.Caller, Revision: x.call.Revision,
		Stream: x.call.Envelope.Stream,
	}
	d.Refused = p.refusal()
	order := p.order(room[:0])
	if x.call.Explain {
		shown := decision.Plan{Order: slices.Clone(order), Refused: d.Refused, Ranking: x.traced}
		x.explained = shown.Summary()
	}
	x.told = x.d.Journal.Begin(&d, order, x.traced, now)
	x.traced = nil
}

// order appends the steps to room in the words of decisions.
func (p *plan) order(room []decision.Step) []decision.Step {
	room = slices.Grow(room, len(p.steps))
	for i := range p.steps {
		s := &p.steps[i]
		room = append(room, decision.Step{Target: s.Target.Model, Probe: s.Probe, HalfOpen: s.halfOpen, Cooling: s.remaining.Seconds()})
	}
	return room
}

func (p *plan) refusal() *decision.Refusal {
	if p.refused == nil {
		return nil
	}
	return &decision.Refusal{Reason: p.refused.slug, Status: p.refused.public.Status, Message: p.refused.public.Message}
}

// tell remembers how the attempt ended.
func (a *attempt) tell(report Attempt, cooled bool) {
	a.x.told.Attempt(&decision.Attempt{
		Target: a.target.Model, Outcome: report.Outcome, Status: a.status, Elapsed: report.Elapsed.Seconds(),
		FirstToken: report.FirstToken.Seconds(), Cooled: cooled,
	})
}

// outcomeUntranslatable is what is remembered of a target that was passed over because its dialect cannot say the request.
const outcomeUntranslatable = "untranslatable"

// unasked remembers a target to which nothing was sent, and says so in the log.
func (x *exchange) unasked(t *core.Target, f *fault) {
	x.told.Attempt(&decision.Attempt{Target: t.Model, Outcome: outcomeUntranslatable})
	x.d.Logger.DebugContext(x.ctx, "target not asked", "request_id", x.call.RequestID, "target", t.Model, "reason", outcomeUntranslatable, "param", f.public.Param)
}

// outcomePanic is what is remembered of a request that a panic has ended; the edge answers it as far as it still can.
const outcomePanic = "panic"

// ended remembers how the request ended.
func (x *exchange) ended() {
	outcome, status := cmp.Or(x.result.Outcome, outcomePanic), cmp.Or(x.result.Status, http.StatusInternalServerError)
	x.told.End(outcome, status, time.Now())
}
