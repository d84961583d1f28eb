package rank

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

// appraisals draws what may be known of some candidates.
func appraisals(r *rand.Rand) []appraisal {
	list := make([]appraisal, 2+r.IntN(7))
	for i := range list {
		a := &list[i]
		a.class = []class{graded, graded, graded, demoted, untried, fails}[r.IntN(6)]
		a.attempts = r.Float64() * 50
		a.raw = [core.Dimensions]float64{minScore + r.Float64()*10, r.Float64(), float64(r.IntN(4)), r.Float64(), float64(i + 1)}
		for d := range a.known {
			a.known[d] = r.IntN(4) > 0
		}
		a.known[core.DimensionPriority] = true
		if r.IntN(6) == 0 {
			a.out = ExcludedByCost
		}
	}
	return list
}

// gradedBy returns the list with its values, and the order of its candidates.
func gradedBy(p *core.ScorePolicy, list []appraisal) ([]appraisal, []int) {
	o := &ordering{appraisals: slices.Clone(list)}
	o.grade(p, len(list))
	var order []int
	for i := range o.appraisals {
		if o.appraisals[i].out == "" {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &o.appraisals[i], &o.appraisals[j]
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.total, a.total))
	})
	return o.appraisals, order
}

func TestALowerExpectedTimeNeverLowersARank(t *testing.T) {
	moved := 0
	try(t, func(seed uint64) error {
		r := seeded(seed)
		p, list := randomPolicy(r), appraisals(r)
		j := r.IntN(len(list))
		list[j].known[core.DimensionLatency], list[j].out = true, ""
		_, before := gradedBy(p, list)
		list[j].raw[core.DimensionLatency] *= r.Float64()
		_, after := gradedBy(p, list)
		was, is := slices.Index(before, j), slices.Index(after, j)
		if is < was {
			moved++
		}
		if is > was {
			return fmt.Errorf("candidate %d went from place %d to %d", j, was, is)
		}
		return nil
	})
	if moved < cases/20 {
		t.Errorf("the rank rose in %d cases only", moved)
	}
}

func TestMissingEvidenceMovesNoWeight(t *testing.T) {
	try(t, func(seed uint64) error {
		r := seeded(seed)
		p, list := randomPolicy(r), appraisals(r)
		weights := p.Weights
		full, _ := gradedBy(p, list)
		j, d := r.IntN(len(list)), r.IntN(core.Dimensions-1)
		list[j].known[d] = false
		if core.Dimension(d) == core.DimensionHealth {
			list[j].attempts = 0
		}
		less, _ := gradedBy(p, list)
		if p.Weights != weights {
			return fmt.Errorf("the weights are %v now, want %v", p.Weights, weights)
		}
		for i := range less {
			for e := range core.Dimensions {
				if e != d && less[i].value[e] != full[i].value[e] {
					return fmt.Errorf("without %v of %d, %v of %d is %v, want %v",
						core.Dimension(d), j, core.Dimension(e), i, less[i].value[e], full[i].value[e])
				}
			}
			rest, want := less[i].total-weights[d]*less[i].value[d], full[i].total-weights[d]*full[i].value[d]
			if math.Abs(rest-want) > 1e-12 {
				return fmt.Errorf("without %v of %d, the rest of %d is %v, want %v", core.Dimension(d), j, i, rest, want)
			}
		}
		return nil
	})
}

func TestValuesLieBetweenZeroAndOne(t *testing.T) {
	try(t, func(seed uint64) error {
		r := seeded(seed)
		list, _ := gradedBy(randomPolicy(r), appraisals(r))
		for i, a := range list {
			for d, v := range a.value {
				if !(v >= 0 && v <= 1) {
					return fmt.Errorf("%v of %d is %v", core.Dimension(d), i, v)
				}
			}
			if !(a.total >= 0 && a.total <= 1+1e-12) {
				return fmt.Errorf("the total of %d is %v", i, a.total)
			}
		}
		return nil
	})
}

func TestValues(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name    string
		d       core.Dimension
		missing core.MissingRule
		raw     []float64 // NaN: not known
		want    []float64
	}{
		{"twice as slow is half the score", core.DimensionLatency, core.MissingPrior, []float64{2, 1, 4}, []float64{.5, 1, .25}},
		{"0.8 s and 40 s", core.DimensionLatency, core.MissingPrior, []float64{40, .8}, []float64{.02, 1}},
		{"twice as dear is half the score", core.DimensionCost, core.MissingPrior, []float64{.01, .02}, []float64{1, .5}},
		{"beside what is free nothing else counts", core.DimensionCost, core.MissingPrior, []float64{0, .02, 0}, []float64{1, 0, 1}},
		{"an unknown price is the median one", core.DimensionCost, core.MissingPrior, []float64{1, nan, 2, 4}, []float64{1, .5, .5, .25}},
		{"of two the dearer one", core.DimensionCost, core.MissingPrior, []float64{1, nan, 4}, []float64{1, .25, .25}},
		{"no price is known", core.DimensionCost, core.MissingPrior, []float64{nan, nan}, []float64{1, 1}},
		{"an unknown price is penalized", core.DimensionCost, core.MissingPenalize, []float64{1, nan}, []float64{1, 0}},
		{"the quota is its own score", core.DimensionQuota, core.MissingPrior, []float64{.2, .9}, []float64{.2, .9}},
		{"an unknown quota is the median one", core.DimensionQuota, core.MissingPrior, []float64{.2, nan, .9, .4}, []float64{.2, .4, .9, .4}},
		{"of two the smaller one", core.DimensionQuota, core.MissingPrior, []float64{.2, nan, .9}, []float64{.2, .2, .9}},
		{"no quota is known", core.DimensionQuota, core.MissingPrior, []float64{nan, nan}, []float64{1, 1}},
		{"declared order", core.DimensionPriority, core.MissingPrior, []float64{1, 2, 3, 4}, []float64{1, .75, .5, .25}},
		{"an unknown health is the prior", core.DimensionHealth, core.MissingPrior, []float64{nan, 1, 0}, []float64{.95, (8 + 1.9) / 10, 1.9 / 10}},
	} {
		list := make([]appraisal, len(c.raw))
		for i, raw := range c.raw {
			if !math.IsNaN(raw) {
				list[i].raw[c.d], list[i].known[c.d], list[i].attempts = raw, true, 8
			}
		}
		p := policy(core.DefaultOptimize)
		p.Missing[c.d] = c.missing
		list, _ = gradedBy(p, list)
		for i, want := range c.want {
			if got := list[i].value[c.d]; !near(got, want) {
				t.Errorf("%s: candidate %d counts %v, want %v", c.name, i, got, want)
			}
		}
	}
}

// What fails and what is left out does not make the others look dear or slow.
func TestOnlyWhatMayServeIsAYardstick(t *testing.T) {
	list := make([]appraisal, 3)
	for i := range list {
		list[i].raw[core.DimensionLatency], list[i].known[core.DimensionLatency] = float64(i+1), true
	}
	list[0].class, list[1].out = fails, ExcludedByLatency
	list, _ = gradedBy(policy(core.Optimize{Latency: 1}), list)
	if got := list[2].total; got != 1 {
		t.Errorf("the only one that may serve has a total of %v, want 1", got)
	}
	list[2].out = ExcludedByLatency
	list, _ = gradedBy(policy(core.Optimize{Latency: 1}), list)
	if got := list[0].total; got != 1 {
		t.Errorf("the only one that is left fails and has a total of %v, want 1", got)
	}
}
