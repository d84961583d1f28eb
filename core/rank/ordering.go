package rank

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// ordering is one Order at work. Nested groups stack their units above those of the group around them.
type ordering struct {
	ranker *Ranker
	view   View
	dst    []Choice
	start  int  // dst up to here is the caller's
	nested bool // a target may come up twice
	probed bool
	units  []unit
	leaves []leaf
	sorted []float64
}

// reset keeps the space and lets go of everything that it points to.
func (o *ordering) reset() {
	clear(o.units[:cap(o.units)])
	clear(o.leaves[:cap(o.leaves)])
	*o = ordering{units: o.units[:0], leaves: o.leaves[:0], sorted: o.sorted[:0]}
}

// unit is one member of a tier, a target or a nested group.
type unit struct {
	member *core.Member
	index  int // in the declaration
	class  class
	score  float64 // lower is earlier within the class
	// since is the time since the last sample, and inflight the requests in flight, of all its leaves.
	since    time.Duration
	inflight int
	// from and to bound the unit's choices once it is placed.
	from, to int
}

func (u *unit) name() string {
	if u.member.Target != nil {
		return u.member.Target.Model
	}
	return u.member.Group.ID
}

// before is the order within a tier. It is total, so that equals keep the order of declaration.
func before(a, b unit) int {
	switch {
	case a.class != b.class:
		return cmp.Compare(a.class, b.class)
	case a.score != b.score:
		return cmp.Compare(a.score, b.score)
	}
	return cmp.Compare(a.index, b.index)
}

func (o *ordering) group(g *core.Group) {
	for _, spare := range [2]bool{false, true} {
		for p, ok := nextTier(g, spare, math.MaxInt); ok; p, ok = nextTier(g, spare, p-1) {
			o.tier(g, p, spare)
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

// tier orders the members of one priority and places their targets.
func (o *ordering) tier(g *core.Group, priority int, spare bool) {
	base, begin := len(o.units), len(o.dst)
	for i := range g.Members {
		m := &g.Members[i]
		if m.Priority == priority && (m.Weight <= 0) == spare {
			o.units = append(o.units, unit{member: m, index: i})
		}
	}
	o.strategy(g, base, priority, spare)
	for i := base; i < len(o.units); i++ {
		o.units[i].from = len(o.dst)
		o.place(o.units[i].member)
		o.units[i].to = len(o.dst)
	}
	if g.Strategy == core.StrategyLeastLatency {
		o.lift(g, o.units[base:], begin)
	}
	o.units = o.units[:base]
}

func (o *ordering) strategy(g *core.Group, base, priority int, spare bool) {
	units := o.units[base:]
	switch {
	case g.Strategy == core.StrategyLeastLatency:
		o.estimate(units)
		slices.SortFunc(units, before)
		if !spare {
			o.spread(g, units, priority)
		}
	case g.Strategy == core.StrategyRoundRobin && !spare && len(units) > 1:
		o.ranker.wheel(g.ID, priority).turn(units)
		slices.SortFunc(units, before)
	}
}

// place appends the target of m, or the whole order of its group.
func (o *ordering) place(m *core.Member) {
	if m.Group != nil {
		o.group(m.Group)
		return
	}
	if o.nested && o.placed(m.Target) {
		return
	}
	o.dst = append(o.dst, Choice{Target: m.Target})
}

func (o *ordering) placed(t *core.Target) bool {
	return slices.ContainsFunc(o.dst[o.start:], func(c Choice) bool { return c.Target == t })
}
