package rank

import (
	"math"
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// telling is where the ordering stands in its trace.
type telling struct {
	path   []string // shared by what is told of one group, so never changed in place
	around int32    // the candidate of the group; -1: the outermost
}

func (o *ordering) begin(g *core.Group) {
	if r := o.view.Trace; r != nil {
		*r = Trace{
			Routing: g.ID, Time: o.view.Class.String(), Tagging: o.filter.tagging,
			Tiers: r.Tiers[:0], Candidates: r.Candidates[:0], room: r.room.emptied(),
		}
		o.told = telling{path: r.room.path(nil, g.ID), around: -1}
	}
}

// tellEnter goes into a nested group; the way back is for tellLeave.
func (o *ordering) tellEnter(m *core.Member, told int32) (back telling) {
	back = o.told
	if o.view.Trace != nil {
		o.told = telling{path: o.view.Trace.room.path(back.path, m.Group.ID), around: told}
	}
	return back
}

func (o *ordering) tellLeave(back telling) { o.told = back }

// tellUnit makes a unit that is not left out a candidate.
func (o *ordering) tellUnit(u *unit) {
	if o.view.Trace != nil {
		u.told = o.tell(u.member, o.told, "")
	}
}

// tellExcluded makes every target of a member that is left out a candidate.
func (o *ordering) tellExcluded(m *core.Member, around bearing) {
	if o.view.Trace != nil {
		o.tellOut(m, around, o.told)
	}
}

func (o *ordering) tellOut(m *core.Member, around bearing, where telling) {
	b := o.inside(m, around)
	if m.Group == nil {
		o.tell(m, where, o.excludes(m.Target, b))
		return
	}
	where.path = o.view.Trace.room.path(where.path, m.Group.ID)
	var r route
	if m.Group.Semantic != nil {
		r = o.route(m.Group, b)
	}
	for i := range m.Group.Members {
		inner := &m.Group.Members[i]
		if m.Group.Semantic != nil && r.excludes(inner, i) != "" {
			o.tell(inner, where, r.excludes(inner, i))
			continue
		}
		o.tellOut(inner, b, where)
	}
}

func (o *ordering) tell(m *core.Member, where telling, why Exclusion) int32 {
	c := o.view.Trace.add()
	c.Path, c.Priority, c.Weight = where.path, m.Priority, m.Weight
	c.Eligible, c.Excluded, c.around = why == "", why, where.around
	if m.Group != nil {
		c.Routing = m.Group.ID
	} else {
		c.Target = m.Target.Model
	}
	return int32(len(o.view.Trace.Candidates) - 1)
}

func (o *ordering) tellDuplicate(told int32) {
	if r := o.view.Trace; r != nil {
		c := &r.Candidates[told]
		c.Eligible, c.Excluded = false, ExcludedAsDuplicate
	}
}

func (o *ordering) tellSticks(u *unit) {
	if r := o.view.Trace; r != nil {
		r.Candidates[u.told].Sticks = true
	}
}

// number is what the trace says of x. There must be a trace.
func (o *ordering) number(x float64) *float64 { return o.view.Trace.room.finite(x) }

// tellKeys lets set put the keys of the places where they belong.
func (o *ordering) tellKeys(t *tier, places []place, set func(*Candidate, float64)) {
	if r := o.view.Trace; r != nil {
		for _, p := range places {
			set(&r.Candidates[o.units[t.base+int(p.unit)].told], p.key)
		}
	}
}

// tellShares tells the chance of each unit to come first in its class, by the logarithms of their weights. What is
// hot is not drawn.
func (o *ordering) tellShares(t *tier, weight func(*unit) float64) {
	r := o.view.Trace
	if r == nil {
		return
	}
	units := o.units[t.base:]
	var most, sum [classes]float64
	for i := range most {
		most[i] = math.Inf(-1)
	}
	for i := range units {
		u := &units[i]
		most[u.class] = max(most[u.class], weight(u))
	}
	for i := range units {
		u := &units[i]
		sum[u.class] += math.Exp(weight(u) - most[u.class])
	}
	for i := range units {
		if u := &units[i]; u.class != hot {
			r.Candidates[u.told].Share = o.number(math.Exp(weight(u)-most[u.class]) / sum[u.class])
		}
	}
}

func byWeight(u *unit) float64 { return math.Log(u.share()) }

// tellTier tells of a tier that is about to be ranked.
func (o *ordering) tellTier(t *tier) {
	if r := o.view.Trace; r != nil && len(o.units) > t.base {
		r.Tiers = append(r.Tiers, TierTrace{Path: o.told.path, Priority: t.priority, Spare: t.spare, Strategy: t.group.Strategy})
	}
}

// tellEvidences tells what is known of the targets of a tier whose strategy does not ask for it.
func (o *ordering) tellEvidences(t *tier) {
	if o.view.Trace == nil || o.view.Board == nil || t.group.Strategy == core.StrategyLeastLatency || t.group.Strategy == core.StrategyScored {
		return
	}
	o.look(t)
	o.settle()
	o.tellLeaves(t)
}

// tellEvidence adds what the board knows of a target by which a unit is judged.
func (o *ordering) tellEvidence(u *unit, t *core.Target, e *signal.Estimate) {
	r := o.view.Trace
	if r == nil {
		return
	}
	c := &r.Candidates[u.told]
	c.Evidence = append(c.Evidence, Evidence{
		Target: t.Model, Source: source(e), Latency: e.Latency, Rungs: e.Rungs, Samples: e.Weight, Failures: e.Failures,
		Inflight: e.Inflight, Usual: e.Load, MaxConcurrency: t.MaxConcurrency,
		Elasticity: o.number(e.Elasticity), ElasticityError: o.number(e.ElasticityError),
		SinceSample: r.room.since(e.SinceSample), Cooling: e.Cooling.Seconds(),
	})
}

func source(e *signal.Estimate) string {
	switch {
	case e.Weight == 0:
		return "prior"
	case e.Borrowed:
		return "borrowed"
	}
	return "measured"
}

// tellLeaves adds what was made of the evidence, which stands in the order of the leaves.
func (o *ordering) tellLeaves(t *tier) {
	at, last := 0, -1
	for i := range o.leaves {
		l := &o.leaves[i]
		if at++; l.unit != last {
			at, last = 0, l.unit
		}
		e := &o.view.Trace.Candidates[o.units[t.base+l.unit].told].Evidence[at]
		e.Class, e.WithPrior, e.Expected, e.Score = l.class.String(), l.latency, l.expected, l.score
	}
}

// tellLatency tells of a tier of least_latency.
func (o *ordering) tellLatency(t *tier, c *common, k float64, why Rule, leader *leaf) {
	r := o.view.Trace
	if r == nil {
		return
	}
	l := r.room.latency()
	*l = LatencyTrace{
		Selection: t.group.Latency.Selection, Inflight: t.group.Latency.Inflight, Rule: why, Sharpness: o.number(k),
		BestKnown: c.best, Charge: c.charge, MeanInflight: c.mean,
	}
	if leader != nil {
		l.Leader, l.Elasticity, l.ElasticityError = leader.target.Model, o.number(leader.elasticity), o.number(leader.doubt)
	}
	o.tellLeaves(t)
	for i := range o.units[t.base:] {
		u := &o.units[t.base+i]
		r.Candidates[u.told].Class, r.Candidates[u.told].Score = u.class.String(), o.number(u.score)
	}
	if !math.IsInf(k, 1) {
		o.tellShares(t, func(u *unit) float64 { return byWeight(u) - k*math.Log(u.score) })
	}
	r.Tiers[len(r.Tiers)-1].Latency = l
}

// finish tells the positions, once all choices stand.
func (o *ordering) finish() {
	r := o.view.Trace
	if r == nil {
		return
	}
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if !c.Eligible || c.Target == "" {
			continue
		}
		at := slices.IndexFunc(o.dst[o.start:], func(x Choice) bool { return x.Target.Model == c.Target })
		if at < 0 {
			continue
		}
		c.Position, c.Probe = at+1, o.dst[o.start+at].Probe
		for a := c.around; a >= 0; a = r.Candidates[a].around {
			if p := &r.Candidates[a].Position; *p == 0 || *p > c.Position {
				*p = c.Position
			}
		}
	}
}
