package rank

import (
	"math"
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
	// hot: it has as many requests in flight as it serves at once. Only where in-flight counts are absolute.
	hot
	// failing: its latest attempt failed and its last answer, if any, is no longer recent. A target that always fails
	// is here from its first failure on and never stands before one that answers.
	failing

	classes = 4
)

// leaf is what one target under a unit is known for.
type leaf struct {
	target *core.Target
	unit   int
	class  class
	cools  bool
	// latency is in seconds; with the prior once that is known.
	latency, weight, failures float64
	// inflight is the fleet's requests in flight, usual what recent attempts met.
	inflight, usual   float64
	elasticity, doubt float64
	// expected is the expected time to an answer in seconds, score the same with regard to the load or to how well it
	// is known, and hope what may be hoped for at best.
	expected, score, hope float64
}

// Parameters of the estimate.
const (
	prior       = 1.0  // seconds, when no target has a latency
	priorWeight = 1.0  // samples that the prior is worth: what is not measured for long fades to the best known
	founded     = 0.5  // samples from which on a latency may be the best known
	minSuccess  = 0.05 // least share of successes that a score divides by
)

// common is what the leaves of a tier have in common.
type common struct {
	best   float64 // the best known latency, seconds
	charge float64 // what a failure costs, seconds
	mean   float64 // requests in flight per target
}

// look reads the estimates of the tier's targets.
func (o *ordering) look(t *tier) {
	clear(o.leaves)
	o.leaves = o.leaves[:0]
	for i := range o.units[t.base:] {
		u := &o.units[t.base+i]
		u.since, u.attempts = signal.Never, 0
		if target := u.member.Target; target != nil {
			o.see(u, i, target)
			continue
		}
		for _, target := range o.speak(u, t) {
			o.see(u, i, target)
		}
	}
}

// see makes a target by which the unit is judged a leaf.
func (o *ordering) see(u *unit, i int, target *core.Target) {
	e := &o.estimate
	o.view.Board.Read(e, target.Signal, o.view.Class, o.view.Now)
	o.tellEvidence(u, target, e)
	u.since = min(u.since, e.SinceSample)
	u.inflight += e.Inflight
	u.attempts += e.Attempts
	u.cools = e.Cooling > 0
	n := len(o.leaves)
	o.leaves = slices.Grow(o.leaves, 1)[:n+1]
	l := &o.leaves[n]
	l.target, l.unit, l.class, l.cools = target, i, classify(e), u.cools
	l.latency, l.weight, l.failures, l.hope = e.Latency, e.Weight, e.Failures, hoped(e)
	l.inflight, l.usual = float64(e.Inflight), e.Load
	l.elasticity, l.doubt = e.Elasticity, e.ElasticityError
	l.expected, l.score = 0, 0
}

// settle gives each leaf its expected time to an answer.
func (o *ordering) settle() common {
	c := common{best: bestKnown(o.leaves)}
	for i := range o.leaves {
		l := &o.leaves[i]
		l.latency = (l.weight*l.latency + priorWeight*c.best) / (l.weight + priorWeight)
		c.mean += l.inflight
	}
	c.mean /= float64(max(len(o.leaves), 1))
	c.charge = again(o.leaves, c.best)
	for i := range o.leaves {
		o.leaves[i].expect(c.charge)
	}
	return c
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

// serves reports whether it is known to answer and is not set aside.
func (l *leaf) serves() bool { return l.class == answers && !l.cools }

// bestKnown is the least founded latency of what serves.
func bestKnown(leaves []leaf) float64 {
	best, found := prior, false
	for i := range leaves {
		if l := &leaves[i]; l.serves() && l.weight > founded && (!found || l.latency < best) {
			best, found = l.latency, true
		}
	}
	return best
}

// again returns what a failure costs: the time with which a request goes on that has failed at the best, the least latency but
// one of what serves. The only one is tried again; where none serves it is the best known.
func again(leaves []leaf, best float64) float64 {
	least, second := math.Inf(1), math.Inf(1)
	for i := range leaves {
		if l := &leaves[i]; l.serves() {
			second = min(second, max(l.latency, least))
			least = min(least, l.latency)
		}
	}
	switch {
	case !math.IsInf(second, 1):
		return second
	case !math.IsInf(least, 1):
		return least
	}
	return best
}

// hoped returns what the latest samples let hope for: their mean less its standard error; infinite without any.
func hoped(e *signal.Estimate) float64 {
	if e.RecentWeight == 0 {
		return math.Inf(1)
	}
	return e.Recent * max(1-signal.Deviation/math.Sqrt(e.RecentWeight), 0)
}

// expect works out the expected time to an answer. Each answer comes after p/(1-p) failures, and each failure costs the
// charge, by p more the more there are: they also spend the retries that other failures need. The time of the failure
// itself is not added. One that takes longer than the latency counts there, and one that is quicker costs less
// than is charged beyond the p failures to which the first other target puts an end.
func (l *leaf) expect(charge float64) {
	failures := l.failures * (1 + l.failures) / max(1-l.failures, minSuccess) * charge
	l.expected = bounded(l.latency + failures)
	l.hope = bounded(min(l.latency, l.hope) + failures)
	l.score = l.expected
}

// Bounds of a score, so that whatever a peer claims its logarithm is a number. They are far outside of what
// latencies and loads come to.
const minScore, maxScore = 1e-9, 1e15

// bounded moves x into the bounds; what is not a number is as bad as can be.
func bounded(x float64) float64 {
	switch {
	case x >= minScore && x <= maxScore:
		return x
	case x < minScore:
		return minScore
	}
	return maxScore
}
