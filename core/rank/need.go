package rank

import (
	"slices"

	"github.com/sluice-gateway/sluice/core"
)

// Need is what a target must have to be in the order at all.
type Need struct {
	// Tags: a target must bear one of them, itself or by a group around it. If no target of the whole group does, those tagged "default" serve. If
	// a request names none, the targets without tags and those tagged "default" serve, and all of them where
	// every target is tagged otherwise. Tags alone decide which of these holds, before capabilities do, so that a
	// request for one region is not answered in another because of a picture.
	Tags []string
	// Capabilities: a target that declares its capabilities must have all of them.
	Capabilities core.Capabilities
	// Kinds are the kinds of upstream that can answer at the request's endpoint; nil: every kind can.
	Kinds []core.ProviderKind
}

// Tagging says which targets of a group the tags of a request leave.
type Tagging string

// The outcomes of tags.
const (
	// TaggingAll: no target bears a tag, or none is open to requests without.
	TaggingAll Tagging = "all"
	// TaggingOpen: the request names none, so the targets without tags and those tagged "default" serve.
	TaggingOpen Tagging = "open"
	// TaggingNamed: those serve that bear a tag which the request names.
	TaggingNamed Tagging = "named"
	// TaggingDefault: no target bears a tag that the request names, so those tagged "default" serve.
	TaggingDefault Tagging = "default"
)

// bearing is what the tags of a member, and of the groups around it, come to.
type bearing uint8

const (
	bearsNamed   bearing = 1 << iota // a tag that the request names
	bearsDefault                     // the tag "default"
	bearsSome                        // any tag at all
)

func (n *Need) bearing(tags []string) (b bearing) {
	if len(tags) == 0 {
		return 0
	}
	b = bearsSome
	if slices.Contains(tags, core.TagDefault) {
		b |= bearsDefault
	}
	if slices.ContainsFunc(n.Tags, func(t string) bool { return slices.Contains(tags, t) }) {
		b |= bearsNamed
	}
	return b
}

// leaves reports whether the tagging leaves a target of that bearing.
func (t Tagging) leaves(b bearing) bool {
	switch t {
	case TaggingOpen:
		return b&bearsSome == 0 || b&bearsDefault != 0
	case TaggingNamed:
		return b&bearsNamed != 0
	case TaggingDefault:
		return b&bearsDefault != 0
	}
	return true
}

// filter is what a view needs as it applies to one group.
type filter struct {
	tagging Tagging
	off     bool // everything passes
}

// filterFor looks at the tags of the whole group once.
func filterFor(g *core.Group, v *View) filter {
	n := &v.Need
	f := filter{tagging: TaggingAll}
	switch {
	case len(n.Tags) > 0:
		f.tagging = TaggingDefault
		if g.Tagged && n.found(TaggingNamed, g, 0) {
			f.tagging = TaggingNamed
		}
	case g.Tagged && n.found(TaggingOpen, g, 0):
		f.tagging = TaggingOpen
	}
	f.off = f.tagging == TaggingAll && n.Capabilities.Empty() && v.Tokens <= 0 && !slices.ContainsFunc(g.Kinds, n.cannot)
	return f
}

// cannot reports whether an upstream of that kind has no answer at the request's endpoint.
func (n *Need) cannot(k core.ProviderKind) bool {
	return n.Kinds != nil && !slices.Contains(n.Kinds, k)
}

// found reports whether the tagging leaves a target of g, inside which the bearing is that of the groups around.
func (n *Need) found(t Tagging, g *core.Group, around bearing) bool {
	return slices.ContainsFunc(g.Members, func(m core.Member) bool {
		b := around | n.bearing(m.Tags)
		if m.Group != nil {
			return n.found(t, m.Group, b)
		}
		return t.leaves(b)
	})
}

// Exclusion says why a target is not in the order; empty if it is.
type Exclusion string

// The exclusions, in one place, so that the document of the API lists them in one order.
const (
	ExcludedByTag        Exclusion = "tag"
	ExcludedByCapability Exclusion = "capability"
	// ExcludedByEndpoint: the target's kind of upstream has no answer at the request's endpoint.
	ExcludedByEndpoint Exclusion = "endpoint"
	// ExcludedByContext: the target's context window is too small.
	ExcludedByContext Exclusion = "context_window"
	// ExcludedAsDuplicate: the target stands in the order already, for another member.
	ExcludedAsDuplicate Exclusion = "duplicate"
	// ExcludedByCost and ExcludedByLatency: a limit of the profile is exceeded.
	ExcludedByCost    Exclusion = "max_cost"
	ExcludedByLatency Exclusion = "max_latency"
	// ExcludedByThreshold: the prompt is not like enough to any of the member's examples.
	ExcludedByThreshold Exclusion = "threshold"
	// ExcludedByFailover: the member cleared its bar, and the request is kept to another.
	ExcludedByFailover Exclusion = "failover_none"
	// ExcludedUncompared: the prompt was not compared with the examples, and the member is not the fallback.
	ExcludedUncompared Exclusion = "not_compared"
)

// excludes returns why a target of that bearing is left out, if it is.
func (o *ordering) excludes(t *core.Target, b bearing) Exclusion {
	switch {
	case o.filter.off:
		return ""
	case o.bars(t) != "":
		return o.bars(t)
	case !o.filter.tagging.leaves(b):
		return ExcludedByTag
	case o.view.Need.Kinds != nil && o.view.Need.cannot(t.Upstream.Kind):
		return ExcludedByEndpoint
	case !t.Capabilities.Missing(o.view.Need.Capabilities).Empty():
		return ExcludedByCapability
	case t.ContextWindow > 0 && t.ContextWindow < o.view.Tokens:
		return ExcludedByContext
	}
	return ""
}

// admits reports whether the member, around which the bearing is that, has a target that is not left out.
func (o *ordering) admits(m *core.Member, around bearing) bool {
	if o.filter.off {
		return true
	}
	b := around | o.view.Need.bearing(m.Tags)
	if m.Group == nil {
		return o.excludes(m.Target, b) == ""
	}
	var r route
	if m.Group.Semantic != nil {
		r = o.route(m.Group, b)
	}
	for i := range m.Group.Members {
		inner := &m.Group.Members[i]
		if (m.Group.Semantic == nil || r.excludes(inner, i) == "") && o.admits(inner, b) {
			return true
		}
	}
	return false
}

// inside returns the bearing inside a member.
func (o *ordering) inside(m *core.Member, around bearing) bearing {
	if o.filter.off {
		return 0
	}
	return around | o.view.Need.bearing(m.Tags)
}
