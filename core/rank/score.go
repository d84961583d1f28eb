package rank

import (
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
	cools    bool
	latency  float64 // seconds; with the prior once that is known
	weight   float64
	failures float64
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
		units[i].since = signal.Never
		o.gather(units, i, units[i].member)
	}
	best := bestKnown(o.leaves)
	for i := range o.leaves {
		l := &o.leaves[i]
		l.latency = (l.weight*l.latency + priorWeight*best) / (l.weight + priorWeight)
	}
	charge := o.median()
	for i := range o.leaves {
		l := &o.leaves[i]
		units[l.unit].join(l.class, l.expected(charge), i == 0 || l.unit != o.leaves[i-1].unit)
	}
}

// gather appends the leaves of a member; those of weight 0 in a nested group do not speak for it.
func (o *ordering) gather(units []unit, i int, m *core.Member) {
	if m.Group == nil {
		e := o.view.Board.Estimate(m.Target.Signal, o.view.Class, o.view.Now)
		o.leaves = append(o.leaves, leaf{i, classify(&e), e.Cooling > 0, e.Latency, e.Weight, e.Failures})
		units[i].since = min(units[i].since, e.SinceSample)
		units[i].inflight += e.Inflight
		return
	}
	for j := range m.Group.Members {
		if m.Group.Members[j].Weight > 0 {
			o.gather(units, i, &m.Group.Members[j])
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
		if l.class == answers && !l.cools && l.weight > founded && (!any || l.latency < best) {
			best, any = l.latency, true
		}
	}
	return best
}

// median returns what a failure costs: the median latency, the upper one of an even number, of what was tried.
func (o *ordering) median() float64 {
	o.sorted = o.sorted[:0]
	for i := range o.leaves {
		if o.leaves[i].class != unmeasured {
			o.sorted = append(o.sorted, o.leaves[i].latency)
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
	return (l.latency + l.failures*charge) / max(1-l.failures, minSuccess)
}

// join makes the unit as good as the best of its leaves.
func (u *unit) join(c class, score float64, first bool) {
	if first || c < u.class || (c == u.class && score < u.score) {
		u.class, u.score = c, score
	}
}
