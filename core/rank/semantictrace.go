package rank

import "github.com/sluice-gateway/sluice/core"

// RouteTrace is where a prompt leads within a routing of semantic.
type RouteTrace struct {
	State    MeaningState          `json:"state"`
	Failover core.SemanticFailover `json:"failover"`
	// Fallback: the fallback alone serves, since nothing cleared its bar or nothing was compared.
	Fallback bool `json:"fallback"`
	// Catchall: this is the catchall's tier, behind all that cleared.
	Catchall bool `json:"catchall,omitempty"`
}

// MeaningTrace is how like a prompt is to a member's examples.
type MeaningTrace struct {
	// Score is the cosine of the best example; none: there is no example, or none was compared.
	Score *float64 `json:"score,omitempty"`
	// Threshold is what Score must reach; none: any will do.
	Threshold *float64 `json:"threshold,omitempty"`
	Cleared   bool     `json:"cleared"`
}

// tellMeaning tells of a tier of semantic.
func (o *ordering) tellMeaning(t *tier) {
	r, route := o.view.Trace, t.route
	if r == nil || len(o.units) == t.base {
		return
	}
	state := route.meaning.State
	r.Tiers[len(r.Tiers)-1].Semantic = kept(&r.room.routes, RouteTrace{
		State: state, Failover: t.group.Semantic.Failover, Fallback: route.fallback, Catchall: t.last,
	})
	for i := range o.units[t.base:] {
		u := &o.units[t.base+i]
		c, at := &r.Candidates[u.told], int(u.index)
		if why := route.excludes(u.member, at); why != "" {
			c.Eligible, c.Excluded = false, why
		}
		c.Semantic = kept(&r.room.meanings, MeaningTrace{
			Score: o.number(route.score(at)), Threshold: o.number(u.member.Threshold), Cleared: route.clears(u.member, at),
		})
	}
}
