package rank

import (
	"math"
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// ordering is one Order at work. Nested groups stack their units and places above those of the group around
// them.
type ordering struct {
	ranker *Ranker
	view   View
	filter filter
	dst    []Choice
	start  int  // dst up to here is the caller's
	nested bool // a target may come up twice
	probed bool
	units  []unit
	places []place  // one for each unit
	barred []barred // out of nested groups
	random uint64   // state of the draws; 0: not drawn yet
	// Of the tier that is being ranked:
	leaves     []leaf
	estimate   signal.Estimate // of the leaf that is being read
	appraisals []appraisal     // of scored, one for each leaf
	speakers   []*core.Target
	sorted     []float64
	told       telling // to the trace
}

// reset keeps the space and lets go of everything that it points to. Units have been let go of by then.
func (o *ordering) reset() {
	clear(o.speakers)
	clear(o.leaves)
	*o = ordering{
		units: o.units[:0], places: o.places[:0], leaves: o.leaves[:0], appraisals: o.appraisals[:0],
		barred: o.barred[:0], speakers: o.speakers[:0], sorted: o.sorted[:0],
	}
}

// tier is the members of one priority of a group, those of weight 0 (spare) apart from the others.
type tier struct {
	group    *core.Group
	around   bearing
	priority int
	spare    bool
	route    *route // of a semantic group
	last     bool   // only for the member that stands behind all others of its semantic group
	base     int    // of its units and places
	begin    int    // of its choices in dst
	members  int    // admitted or not
}

func (o *ordering) group(g *core.Group, around bearing) {
	if g.Strategy != core.StrategySemantic {
		o.tiers(g, around, nil)
		return
	}
	r := o.route(g, around)
	o.tiers(g, around, &r)
	if r.last >= 0 {
		m := &g.Members[r.last]
		o.tier(&tier{
			group: g, around: around, priority: m.Priority, spare: m.Weight <= 0, route: &r, last: true,
			base: len(o.units), begin: len(o.dst),
		})
	}
}

func (o *ordering) tiers(g *core.Group, around bearing, r *route) {
	left := len(g.Members)
	for _, spare := range [2]bool{false, true} {
		for p, ok := nextTier(g, spare, math.MaxInt); ok; p, ok = nextTier(g, spare, p-1) {
			t := tier{group: g, around: around, priority: p, spare: spare, route: r, base: len(o.units), begin: len(o.dst)}
			o.tier(&t)
			if left -= t.members; left == 0 {
				return
			}
			if p == math.MinInt {
				break
			}
		}
	}
}

// nextTier returns the highest priority up to limit among the members that are spare (weight 0) or not.
func nextTier(g *core.Group, spare bool, limit int) (priority int, ok bool) {
	for i := range g.Members {
		m := &g.Members[i]
		if (m.Weight <= 0) == spare && m.Priority <= limit && (!ok || m.Priority > priority) {
			priority, ok = m.Priority, true
		}
	}
	return priority, ok
}

func (t *tier) holds(m *core.Member) bool {
	return m.Priority == t.priority && (m.Weight <= 0) == t.spare
}

// skips reports whether the member has a tier of its own, which this one is not, or the other way round.
func (t *tier) skips(member int) bool { return t.route != nil && (member == t.route.last) != t.last }

// tier orders the members of one priority and places their targets.
func (o *ordering) tier(t *tier) {
	if t.group.Strategy == core.StrategyFailover && o.view.Trace == nil {
		o.inTurn(t)
		return
	}
	o.admit(t)
	o.tellTier(t)
	barred, off := len(o.barred), o.filter.off
	o.strategy(t)
	o.tellEvidences(t)
	for i := t.base; i < len(o.places) && o.places[i].class != out; i++ {
		at := t.base + int(o.places[i].unit)
		u := &o.units[at]
		u.from = int32(len(o.dst))
		o.place(u.member, t, u.told) // may move the units
		o.units[at].to = int32(len(o.dst))
	}
	o.unbar(barred, off)
	if t.group.Strategy == core.StrategyLeastLatency || t.group.Strategy == core.StrategyScored {
		o.lift(t)
	}
	clear(o.units[t.base:])
	o.units, o.places = o.units[:t.base], o.places[:t.base]
}

// inTurn places the targets in order of declaration.
func (o *ordering) inTurn(t *tier) {
	for i := range t.group.Members {
		m := &t.group.Members[i]
		if !t.holds(m) {
			continue
		}
		t.members++
		if o.admits(m, t.around) {
			o.place(m, t, 0)
		}
	}
}

// admit makes units of the members of the tier that are not left out, in order of declaration.
func (o *ordering) admit(t *tier) {
	for i := range t.group.Members {
		m := &t.group.Members[i]
		if !t.holds(m) || t.skips(i) {
			continue
		}
		if o.admits(m, t.around) {
			u := o.add(t)
			u.member, u.index, u.slot = m, int32(i), int32(t.members)
			o.tellUnit(u)
		} else {
			o.tellExcluded(m, t.around)
		}
		t.members++
	}
}

// add makes room for a unit, which is zero, and its place.
func (o *ordering) add(t *tier) *unit {
	n := len(o.units)
	o.places = append(o.places, place{unit: int32(n - t.base)})
	if n == cap(o.units) {
		o.units = slices.Grow(o.units, max(n, few))
	}
	o.units = o.units[:n+1] // what is above the stack is cleared
	return &o.units[n]
}

func (o *ordering) strategy(t *tier) {
	if len(o.units) == t.base {
		return
	}
	switch t.group.Strategy { // those that may leave out even a single one
	case core.StrategyScored:
		o.scored(t)
		return
	case core.StrategySemantic:
		o.semantic(t)
		return
	}
	if len(o.units)-t.base < 2 && o.view.Trace == nil {
		return
	}
	switch t.group.Strategy {
	case core.StrategyLeastLatency:
		o.leastLatency(t)
	case core.StrategyRoundRobin:
		if !t.spare {
			o.takeTurns(t, o.places[t.base:])
			o.tellShares(t, byWeight)
		}
	case core.StrategyConsistentHash:
		o.consistentHash(t)
	case core.StrategyLeastCost:
		o.leastCost(t)
	case core.StrategyLeastBusy:
		o.leastBusy(t)
	}
}

// place appends the target of a member, or the whole order of its group; told is its candidate in the trace.
func (o *ordering) place(m *core.Member, t *tier, told int32) {
	if m.Group != nil {
		back := o.tellEnter(m, told)
		o.group(m.Group, o.inside(m, t.around))
		o.tellLeave(back)
		return
	}
	if o.nested && o.placed(m.Target) {
		o.tellDuplicate(told)
		return
	}
	o.dst = append(o.dst, Choice{Target: m.Target})
}

func (o *ordering) placed(t *core.Target) bool {
	return slices.ContainsFunc(o.dst[o.start:], func(c Choice) bool { return c.Target == t })
}

// speak returns the targets by which a nested group is judged: those that are not left out and, where there are
// others, not of weight 0. They are valid until the next call.
func (o *ordering) speak(u *unit, t *tier) []*core.Target {
	m := u.member
	o.hush()
	b := o.inside(m, t.around)
	if o.gather(m.Group, b, false, false); len(o.speakers) == 0 {
		o.gather(m.Group, b, true, false)
	}
	return o.speakers
}

func (o *ordering) hush() {
	clear(o.speakers)
	o.speakers = o.speakers[:0]
}

// gather adds the targets of a group that are of weight 0, themselves or by a group around them, or those that are not.
// within: a group around is. Where a prompt leads to some members only, the others do not speak.
func (o *ordering) gather(g *core.Group, around bearing, spares, within bool) {
	var r route
	if g.Semantic != nil {
		r = o.route(g, around)
	}
	for i := range g.Members {
		m := &g.Members[i]
		spare := within || m.Weight <= 0
		if spare && !spares || g.Semantic != nil && r.excludes(m, i) != "" {
			continue
		}
		b := o.inside(m, around)
		if m.Group != nil {
			o.gather(m.Group, b, spares, spare)
		} else if spare == spares && o.excludes(m.Target, b) == "" {
			o.speakers = append(o.speakers, m.Target)
		}
	}
}
