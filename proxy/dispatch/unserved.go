package dispatch

import (
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// unserved explains why the view leaves no target. Of several reasons it names one that may pass, else the
// one that is most the request's own.
func (x *exchange) unserved(v rank.View) *fault {
	left := x.excluded(v)
	return &fault{slug: slugRefused, public: x.reason(v, left)}
}

// excluded returns the models that are left out, by why.
func (x *exchange) excluded(v rank.View) map[rank.Exclusion][]string {
	var trace rank.Trace
	v.Trace, v.Dry = &trace, true // what was measured meanwhile may let somebody in, and nobody would return its probe slot
	x.d.Ranker.Order(nil, x.call.Group, v)
	out := map[rank.Exclusion][]string{}
	for _, c := range trace.Candidates {
		if c.Excluded != "" {
			out[c.Excluded] = append(out[c.Excluded], c.Target)
		}
	}
	return out
}

func (x *exchange) reason(v rank.View, left map[rank.Exclusion][]string) apierror.Error {
	model := x.call.Group.ID
	for why := range left {
		if why.Passing() { // whatever the others lack, one may serve the same request later
			return apierror.OutsideLimits(model)
		}
	}
	switch {
	case left[rank.ExcludedByCapability] != nil:
		return x.notCapable(v.Need.Capabilities, left[rank.ExcludedByCapability])
	case left[rank.ExcludedByEndpoint] != nil:
		return apierror.EndpointNotServed(model, "/v1/"+x.call.Endpoint.Path)
	case left[rank.ExcludedByContext] != nil:
		return x.tooLong(v.Tokens, left[rank.ExcludedByContext])
	case left[rank.ExcludedByCost] != nil:
		return apierror.TooExpensive(model)
	}
	if left[rank.ExcludedByTag] == nil { // what left nobody has passed since
		return apierror.OutsideLimits(model)
	}
	return apierror.TagsNotServed(model, v.Need.Tags)
}

// tooLong tells a request that does not fit from models whose windows are smaller than their profile wants.
func (x *exchange) tooLong(tokens int, models []string) apierror.Error {
	fits := false
	each(x.call.Group, func(t *core.Target) {
		fits = fits || slices.Contains(models, t.Model) && (t.ContextWindow == 0 || t.ContextWindow >= tokens)
	})
	if fits {
		return apierror.OutsideLimits(x.call.Group.ID)
	}
	return apierror.TooManyTokens(x.call.Group.ID, tokens)
}

// notCapable names what those models lack of the need.
func (x *exchange) notCapable(need core.Capabilities, models []string) apierror.Error {
	g, incapable := x.call.Group, map[string]bool{}
	for _, m := range models {
		incapable[m] = true
	}
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
	if len(names) == 0 { // the routing's profile requires what the request does not
		return apierror.OutsideLimits(g.ID)
	}
	return apierror.NotCapable(g.ID, x.call.Envelope.NeededBy(lacking.List()[0]), names)
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
