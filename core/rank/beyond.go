package rank

import (
	"slices"

	"github.com/sluice-gateway/sluice/core"
)

// missingExclusions are for what is left out since a dimension is not known of it.
var missingExclusions = [core.Dimensions]Exclusion{
	"missing_latency", "missing_health", "missing_cost", "missing_quota", "missing_priority",
}

// Passing reports whether the exclusion goes by what is measured, so that it may pass: neither the request nor the
// configuration has to change for that.
func (e Exclusion) Passing() bool {
	return e == ExcludedByLatency || slices.Contains(missingExclusions[:], e)
}

// beyond returns why the profile leaves a target out, if it does. What is not known is not beyond a limit; a list price
// is not the request's, and a latency of the other class is of another time.
func (o *ordering) beyond(p *core.ScorePolicy, l *leaf, a *appraisal) Exclusion {
	can := l.target.Capabilities
	switch {
	case !p.Capabilities.Empty() && (!can.Declared || !can.Missing(p.Capabilities).Empty()):
		return ExcludedByCapability
	case l.target.ContextWindow < p.ContextWindow:
		return ExcludedByContext
	case p.MaxCost > 0 && o.view.Price != nil && a.known[core.DimensionCost] && a.raw[core.DimensionCost] > p.MaxCost:
		return ExcludedByCost
	case p.MaxLatency > 0 && a.known[core.DimensionLatency] && !a.borrowed && a.raw[core.DimensionLatency] > p.MaxLatency.Seconds():
		return ExcludedByLatency
	}
	for d, rule := range p.Missing {
		if rule == core.MissingExclude && !a.known[d] {
			return missingExclusions[d]
		}
	}
	return ""
}

// demotions is a set of what of its profile's preferences a target does not meet.
type demotions uint8

const (
	slowP50 demotions = 1 << iota
	slowP90
	slowP99
	slowOutput
)

// demotionNames are those of the preferences in a profile, in the order of the bits.
var demotionNames = [...]string{"p50", "p90", "p99", "min_throughput"}

func (o *ordering) demotions(p *core.ScorePolicy, t *core.Target) (d demotions) {
	if p.Percentiles() && o.view.Spread != nil {
		if p50, p90, p99, known := o.view.Spread(t); known {
			d = over(p50, p.P50.Seconds(), slowP50) | over(p90, p.P90.Seconds(), slowP90) | over(p99, p.P99.Seconds(), slowP99)
		}
	}
	if p.MinThroughput > 0 && o.view.Throughput != nil {
		if rate, known := o.view.Throughput(t); known && rate < p.MinThroughput {
			d |= slowOutput
		}
	}
	return d
}

// over returns d if x is more than a limit that is set.
func over(x, limit float64, d demotions) demotions {
	if limit > 0 && x > limit {
		return d
	}
	return 0
}

// barred is a target that the profile of a routing around it leaves out.
type barred struct {
	target *core.Target
	why    Exclusion
}

// bar leaves a target out of the nested routings of the tier that is being ranked.
func (o *ordering) bar(t *core.Target, why Exclusion) {
	o.barred = append(o.barred, barred{t, why})
	o.filter.off = false
}

// barUnjudged leaves out those targets of nested groups to which a prompt leads only because others are barred: they have not
// spoken, and so the profile has not judged them.
func (o *ordering) barUnjudged(t *tier) {
	for i := range o.units[t.base:] {
		m := o.units[t.base+i].member
		if m.Group == nil || m.Group.Embeddings == nil {
			continue
		}
		for before := -1; before < len(o.barred); {
			before = len(o.barred)
			o.hush()
			b := o.inside(m, t.around)
			o.gather(m.Group, b, false, false)
			o.gather(m.Group, b, true, false)
			for _, target := range o.speakers {
				if why := o.verdict(target); why != "" {
					o.bar(target, why)
				}
			}
		}
	}
}

// verdict returns why the profile of the tier leaves a target out, if it does. What it has not judged is where the prompt did not
// lead.
func (o *ordering) verdict(t *core.Target) Exclusion {
	for i := range o.leaves {
		if o.leaves[i].target == t {
			return o.appraisals[i].out
		}
	}
	return ExcludedByThreshold
}

// unbar lets in again what was barred after the first n.
func (o *ordering) unbar(n int, off bool) {
	clear(o.barred[n:])
	o.barred, o.filter.off = o.barred[:n], off
}

func (o *ordering) bars(t *core.Target) Exclusion {
	for i := range o.barred {
		if o.barred[i].target == t {
			return o.barred[i].why
		}
	}
	return ""
}
