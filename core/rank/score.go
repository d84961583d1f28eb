package rank

import (
	"math"
	"slices"

	"github.com/sluice-gateway/sluice/core"
)

// Parameters of scores.
const (
	// healthPrior is the success rate of a target of which nothing is known, and healthSamples how many attempts that is
	// worth. It is below 1, so that one good answer raises it, and so few that one failure counts.
	healthPrior   = 0.95
	healthSamples = 2.0
)

// appraisal is what is known of one target in each dimension, and what that comes to.
type appraisal struct {
	// raw is the expected time to a good answer in seconds, the share of the attempts that succeeded, the price, the
	// share of the quota that is left, and the place in the order of declaration, from 1 on.
	raw   [core.Dimensions]float64
	known [core.Dimensions]bool
	value [core.Dimensions]float64 // from 0 to 1, higher is better
	total float64
	// attempts is how many the success rate is worth.
	attempts float64
	class    class
	demoted  demotions
	out      Exclusion
	spare    bool // it speaks for its unit only if no other can
	borrowed bool // its latency is of the other class of time
}

// yardstick is what the values of a tier's candidates are measured by.
type yardstick struct {
	best  [core.Dimensions]float64 // of latency and cost: the least
	prior [core.Dimensions]float64 // of cost and quota: the median of what is known; NaN if nothing is
	sum   int                      // places in the order of declaration
}

// grade gives every appraisal its values and its total. The weights are the same for all of them, whatever is known.
// What an unknown latency counts as stands in raw already.
func (o *ordering) grade(p *core.ScorePolicy, places int) yardstick {
	y := yardstick{sum: places}
	for _, d := range [2]core.Dimension{core.DimensionLatency, core.DimensionCost} {
		y.best[d] = o.least(d)
	}
	y.prior[core.DimensionCost] = o.middle(core.DimensionCost, func(n int) int { return n / 2 })
	y.prior[core.DimensionQuota] = o.middle(core.DimensionQuota, func(n int) int { return (n - 1) / 2 })
	for i := range o.appraisals {
		a := &o.appraisals[i]
		a.total = 0
		for d := range a.value {
			a.value[d] = y.value(a, core.Dimension(d), p.Missing[d])
			a.total += float64(p.Weights[d] * a.value[d]) // rounded before the sum, on every machine
		}
	}
	return y
}

// value is what an appraisal counts in a dimension.
func (y *yardstick) value(a *appraisal, d core.Dimension, missing core.MissingRule) float64 {
	raw := a.raw[d]
	if !a.known[d] {
		if missing == core.MissingPenalize {
			return 0
		}
		if d == core.DimensionCost || d == core.DimensionQuota {
			if raw = y.prior[d]; math.IsNaN(raw) {
				return 1
			}
		}
	}
	switch d {
	case core.DimensionLatency, core.DimensionCost:
		return inverse(y.best[d], raw)
	case core.DimensionHealth:
		return (raw*a.attempts + healthPrior*healthSamples) / (a.attempts + healthSamples)
	case core.DimensionPriority:
		return (float64(y.sum) - raw + 1) / float64(y.sum)
	}
	return raw
}

// inverse is 1 for the best and for whatever is better, one half for what is twice as much. Beside something that
// costs nothing, all that costs something counts nothing.
func inverse(best, x float64) float64 {
	if x <= best {
		return 1
	}
	return best / x
}

// least returns the least known figure of those that may serve, without those that fail unless all do. If none is
// known, infinity.
func (o *ordering) least(d core.Dimension) float64 {
	least, whoever := math.Inf(1), math.Inf(1)
	for i := range o.appraisals {
		a := &o.appraisals[i]
		if a.out != "" || !a.known[d] {
			continue
		}
		whoever = min(whoever, a.raw[d])
		if a.class != fails && !a.spare {
			least = min(least, a.raw[d])
		}
	}
	if math.IsInf(least, 1) {
		return whoever
	}
	return least
}

// middle returns the median of what is known of those that may serve; at says which it is of so many in ascending
// order.
func (o *ordering) middle(d core.Dimension, at func(n int) int) float64 {
	o.sorted = o.sorted[:0]
	for i := range o.appraisals {
		if a := &o.appraisals[i]; a.out == "" && a.known[d] && !a.spare {
			o.sorted = append(o.sorted, a.raw[d])
		}
	}
	if len(o.sorted) == 0 {
		return math.NaN()
	}
	slices.Sort(o.sorted)
	return o.sorted[at(len(o.sorted))]
}

// better reports whether a speaks for its unit rather than b.
func (a *appraisal) better(b *appraisal) bool {
	switch {
	case (a.out == "") != (b.out == ""):
		return a.out == ""
	case a.spare != b.spare:
		return b.spare
	case a.class != b.class:
		return a.class < b.class
	}
	return a.total > b.total
}
