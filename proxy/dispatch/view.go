package dispatch

import (
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
)

// view gathers what the ranking looks at for this request, and of that only what the group goes by. The fault
// is the client's.
func (x *exchange) view(now time.Time) (rank.View, *fault) {
	d, g := x.d, x.call.Group
	v := rank.View{
		Board: d.Board, Class: x.class, Now: now, Lag: d.Lag(),
		Owner: x.owner(now),
		Need:  rank.Need{Capabilities: x.call.Envelope.Needs, Kinds: x.call.Endpoint.Kinds},
		Dry:   x.dry, NoProbe: !x.teaches(endpoint.Latency),
	}
	var f *fault
	if v.Need.Tags, f = x.tags(); f != nil {
		return v, f
	}
	if g.HashOn != nil {
		v.Hash = x.key(g.HashOn)
	}
	if g.StickyOn != nil {
		x.session = x.key(g.StickyOn)
	}
	if x.session != 0 {
		v.Session = x.session
		v.Previous = x.previous(now)
	}
	if g.ByCost {
		v.Price = x.price
	}
	d.evidence.show(&v, g)
	return v, nil
}

// owner reports whether this node holds the fleet's probe slot of a target.
func (x *exchange) owner(now time.Time) func(signal.Key) bool {
	return func(k signal.Key) bool { return x.d.Owner(k, now) }
}

// unserved explains why the view leaves no target: the tags that the request names, what it needs, or its endpoint.
func (x *exchange) unserved(v rank.View) *fault {
	g := x.call.Group
	incapable, elsewhere := x.incapable(v)
	switch {
	case len(incapable) > 0:
	case elsewhere:
		return &fault{slug: slugRefused, public: apierror.EndpointNotServed(g.ID, "/v1/"+x.call.Endpoint.Path)}
	default:
		return &fault{slug: slugRefused, public: apierror.TagsNotServed(g.ID, v.Need.Tags)}
	}
	need := v.Need.Capabilities
	lacking := need // of every target
	each(g, func(t *core.Target) {
		if incapable[t.Model] {
			lacking = lacking.And(t.Capabilities.Missing(need))
		}
	})
	if lacking.Empty() {
		lacking = need // no target has all of it together
	}
	var names []string
	for _, c := range lacking.List() {
		names = append(names, string(c))
	}
	return &fault{slug: slugRefused, public: apierror.NotCapable(g.ID, x.call.Envelope.NeededBy(lacking.List()[0]), names)}
}

// incapable returns the models that the tags leave and the capabilities do not, and reports whether there are some
// that are for other endpoints.
func (x *exchange) incapable(v rank.View) (out map[string]bool, elsewhere bool) {
	var trace rank.Trace
	v.Trace = &trace
	x.d.Ranker.Order(nil, x.call.Group, v) // is empty still, and so claims no probe
	out = map[string]bool{}
	for _, c := range trace.Candidates {
		switch c.Excluded {
		case rank.ExcludedByCapability:
			out[c.Target] = true
		case rank.ExcludedByEndpoint:
			elsewhere = true
		}
	}
	return out, elsewhere
}

// each calls f with every target of the group and those below.
func each(g *core.Group, f func(*core.Target)) {
	for _, m := range g.Members {
		if m.Group != nil {
			each(m.Group, f)
			continue
		}
		f(m.Target)
	}
}
