package rank

import (
	"math"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/vector"
)

// route is where a prompt leads within a semantic group, by index of its members.
type route struct {
	meaning Meaning
	// alone is the only member that may serve; -1: all that cleared their bars may.
	alone int
	// last is the catchall, which stands behind those that cleared; -1: it cleared too, or does not follow.
	last int
	// fallback: alone is the fallback.
	fallback bool
}

// route finds where the prompt leads. A match that must not be left is found among all members, so that a filter closes
// the way rather than open another; else only those count that the filters leave.
func (o *ordering) route(g *core.Group, around bearing) route {
	s := g.Semantic
	r := route{alone: s.Fallback, last: -1, fallback: true}
	if o.view.Meaning != nil {
		r.meaning = o.view.Meaning(g)
	}
	if r.meaning.State != MeaningScored {
		return r
	}
	match := -1
	for i := range g.Members {
		m := &g.Members[i]
		if r.clears(m, i) && (s.Failover == core.FailoverNone || o.admits(m, around)) && (match < 0 || r.before(g, i, match)) {
			match = i
		}
	}
	switch {
	case match < 0:
	case s.Failover == core.FailoverNone:
		r.alone, r.fallback = match, false
	default:
		r.alone, r.fallback = -1, false
		if s.Catchall && !r.clears(&g.Members[s.Fallback], s.Fallback) {
			r.last = s.Fallback
		}
	}
	return r
}

// score returns the member's score, NaN without one.
func (r *route) score(i int) float64 {
	if i < len(r.meaning.Scores) {
		return r.meaning.Scores[i]
	}
	return math.NaN()
}

// clears reports whether a member's score reaches its bar, but for what rounding may have taken away.
func (r *route) clears(m *core.Member, i int) bool { return r.score(i) >= m.Threshold-vector.Tolerance }

// before reports whether member i of those that cleared is tried before an earlier one.
func (r *route) before(g *core.Group, i, earlier int) bool {
	a, b := &g.Members[i], &g.Members[earlier]
	switch {
	case (a.Weight <= 0) != (b.Weight <= 0):
		return b.Weight <= 0
	case a.Priority != b.Priority:
		return a.Priority > b.Priority
	}
	return r.score(i) > r.score(earlier)
}

// excludes returns why a member does not serve the prompt, if it does not.
func (r *route) excludes(m *core.Member, i int) Exclusion {
	switch {
	case i == r.alone || i == r.last:
		return ""
	case r.meaning.State != MeaningScored:
		return ExcludedUncompared
	case !r.clears(m, i):
		return ExcludedByThreshold
	case r.alone >= 0:
		return ExcludedByFailover
	}
	return ""
}

// semantic orders a tier by how like the prompt is to the members' examples, the likest first.
func (o *ordering) semantic(t *tier) {
	places := o.places[t.base:]
	for i := range places {
		u := &o.units[t.base+i]
		if t.route.excludes(u.member, int(u.index)) != "" {
			places[i].class = out
		} else if score := t.route.score(int(u.index)); !math.IsNaN(score) {
			places[i].key = -score
		}
	}
	sortPlaces(places)
	o.tellMeaning(t)
}
