package rank

import (
	"cmp"
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// class divides a least_latency tier before any score does.
type class uint8

const (
	// answers: the fleet has had answers from it, and it is not failing.
	answers class = iota
	// unmeasured: no node has tried it.
	unmeasured
	// failing: its latest attempt failed and its last answer, if any, is no longer recent. A target that always fails
	// is here from its first failure on and never stands before one that answers.
	failing
)

// leaf is what one target under a unit is known for.
type leaf struct {
	unit     int
	class    class
	estimate signal.Estimate
	latency  float64 // with the prior
}

// Parameters of the score.
const (
	prior       = 1.0  // seconds, when no target has a latency
	priorWeight = 1.0  // samples that the prior is worth: what is not measured for long fades to the best known
	founded     = 0.5  // samples from which on a latency may be the best known
	minSuccess  = 0.05 // least share of successes that a score divides by
)

// estimate scores the units of a least_latency tier by the expected time to an answer.
func (o *ordering) estimate(units []unit) {
	o.leaves = o.leaves[:0]
	for i := range units {
		units[i].class, units[i].since = failing, signal.Never
		o.gather(i, units[i].member)
	}
	leaves := o.leaves
	best := bestKnown(leaves)
	for i := range leaves {
		l := &leaves[i]
		l.latency = (l.estimate.Weight*l.estimate.Latency + priorWeight*best) / (l.estimate.Weight + priorWeight)
	}
	charge := o.median(leaves)
	for i := range leaves {
		units[leaves[i].unit].join(&leaves[i], charge, i == 0 || leaves[i].unit != leaves[i-1].unit)
	}
}

// gather appends the leaves of a member; those of weight 0 in a nested group do not speak for it.
func (o *ordering) gather(unit int, m *core.Member) {
	if m.Group == nil {
		e := o.view.Board.Estimate(m.Target.Signal, o.view.Class, o.view.Now)
		o.leaves = append(o.leaves, leaf{unit: unit, class: classify(&e), estimate: e})
		return
	}
	for i := range m.Group.Members {
		if m.Group.Members[i].Weight > 0 {
			o.gather(unit, &m.Group.Members[i])
		}
	}
}

func classify(e *signal.Estimate) class {
	switch {
	case !e.Tried:
		return unmeasured
	case e.Failing:
		return failing
	}
	return answers
}

// bestKnown is the least founded latency of what answers and does not cool.
func bestKnown(leaves []leaf) float64 {
	best, any := prior, false
	for i := range leaves {
		l := &leaves[i]
		if l.class == answers && l.estimate.Cooling == 0 && l.estimate.Weight > founded && (!any || l.estimate.Latency < best) {
			best, any = l.estimate.Latency, true
		}
	}
	return best
}

// median returns what a failure costs: the median latency, the upper one of an even number, of what was tried.
func (o *ordering) median(leaves []leaf) float64 {
	o.sorted = o.sorted[:0]
	for i := range leaves {
		if leaves[i].class != unmeasured {
			o.sorted = append(o.sorted, leaves[i].latency)
		}
	}
	if len(o.sorted) == 0 {
		return prior
	}
	slices.Sort(o.sorted)
	return o.sorted[len(o.sorted)/2]
}

// expected is the expected time to an answer, in seconds: every failure costs the time of an attempt
// and the charge for having to try again.
func (l *leaf) expected(charge float64) float64 {
	p := l.estimate.Failures
	return (l.latency + p*charge) / max(1-p, minSuccess)
}

// join makes the unit as good as the best of its leaves.
func (u *unit) join(l *leaf, charge float64, first bool) {
	score := l.expected(charge)
	if first || cmp.Or(cmp.Compare(l.class, u.class), cmp.Compare(score, u.score)) < 0 {
		u.class, u.score = l.class, score
	}
	u.since = min(u.since, l.estimate.SinceSample)
	u.inflight += l.estimate.Inflight
}
