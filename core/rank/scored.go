package rank

import (
	"math"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// Classes of places where targets are scored.
const (
	graded class = iota // it answers
	// demoted: it answers, and is beyond what the profile prefers.
	demoted
	// untried: no node has tried it. It comes behind what answers, so that only its probe goes there while others can.
	untried
	fails
	// out: it has no place at all.
	out
)

// scored orders a tier by the weighted sum of what is known of its targets, the highest first, within the classes.
func (o *ordering) scored(t *tier) {
	p := t.group.Score
	c := o.appraise(t, p)
	y := o.grade(p, t.members)
	o.elect(t)
	places := o.places[t.base:]
	for i := range places {
		u := &o.units[t.base+int(places[i].unit)]
		a := &o.appraisals[u.best]
		places[i].class, places[i].key = a.class, -a.total
		if a.out != "" {
			places[i].class = out
		}
	}
	sortPlaces(places)
	o.tellScores(t, &c, &y)
	o.explore(t, p)
}

// appraise gathers what is known of the tier's targets, and says which of them the profile leaves out. Appraisals and
// leaves stand in the same order.
func (o *ordering) appraise(t *tier, p *core.ScorePolicy) common {
	clear(o.leaves)
	o.leaves, o.appraisals = o.leaves[:0], o.appraisals[:0]
	for i := range o.units[t.base:] {
		u := &o.units[t.base+i]
		u.since, u.attempts = signal.Never, 0
		if u.member.Target != nil {
			o.sight(u, i, u.member.Target, false)
			continue
		}
		b := o.inside(u.member, t.around)
		o.hush()
		o.gather(u.member.Group, b, false, false)
		n := len(o.speakers)
		o.gather(u.member.Group, b, true, false)
		for j, target := range o.speakers {
			o.sight(u, i, target, j >= n)
		}
	}
	c, before := o.settle(), len(o.barred)
	for i := range o.leaves {
		o.judge(p, &o.units[t.base+o.leaves[i].unit], &o.leaves[i], &o.appraisals[i])
	}
	if len(o.barred) > before {
		o.barUnjudged(t)
	}
	return c
}

// sight makes a target a leaf, and keeps what the leaf does not.
func (o *ordering) sight(u *unit, i int, target *core.Target, spare bool) {
	attempts := u.attempts
	u.attempts = 0
	o.see(u, i, target)
	o.appraisals = append(o.appraisals, appraisal{attempts: u.attempts, spare: spare, borrowed: o.estimate.Borrowed})
	u.attempts += attempts
}

// judge reads a leaf that is settled into its appraisal.
func (o *ordering) judge(p *core.ScorePolicy, u *unit, l *leaf, a *appraisal) {
	a.class = placeClass(l.class)
	a.raw[core.DimensionLatency], a.known[core.DimensionLatency] = l.expected, l.weight > 0
	if l.class != unmeasured && a.attempts > 0 {
		failed := l.failures * (a.attempts + signal.PriorSuccesses) / a.attempts
		a.raw[core.DimensionHealth], a.known[core.DimensionHealth] = min(max(1-failed, 0), 1), true
	}
	if o.asks(p, core.DimensionCost) || p.MaxCost > 0 {
		usd := max(o.priceOf(l.target), 0)
		a.raw[core.DimensionCost], a.known[core.DimensionCost] = usd, !math.IsInf(usd, 1)
	}
	if o.view.Quota != nil && o.asks(p, core.DimensionQuota) {
		if left, known := o.view.Quota(l.target); known && !math.IsNaN(left) {
			a.raw[core.DimensionQuota], a.known[core.DimensionQuota] = min(max(left, 0), 1), true
		}
	}
	a.raw[core.DimensionPriority], a.known[core.DimensionPriority] = float64(u.slot+1), true
	if a.demoted = o.demotions(p, l.target); a.demoted != 0 {
		a.class = max(a.class, demoted)
	}
	if a.out = o.beyond(p, l, a); a.out != "" && u.member.Group != nil {
		o.bar(l.target, a.out)
	}
}

// placeClass is the class of a place by that of its leaf. Nothing is hot where targets are scored.
func placeClass(c class) class {
	switch c {
	case answers:
		return graded
	case unmeasured:
		return untried
	}
	return fails
}

// asks reports whether anybody looks at the dimension.
func (o *ordering) asks(p *core.ScorePolicy, d core.Dimension) bool {
	return p.Weights[d] > 0 || p.Missing[d] == core.MissingExclude || o.view.Trace != nil
}

// elect finds the best target of each unit, by which the unit is judged.
func (o *ordering) elect(t *tier) {
	last := -1
	for i := range o.leaves {
		l, a := &o.leaves[i], &o.appraisals[i]
		u := &o.units[t.base+l.unit]
		if l.unit != last || a.better(&o.appraisals[u.best]) {
			u.best = int32(i)
			u.class, u.expected = l.class, l.expected
		}
		u.hope = math.Inf(1) // to be nearly as fast as the leader is no reason for a probe
		last = l.unit
	}
}

// explore draws the first place anew for a share of the requests, among all that answer and do not cool. What is
// unmeasured has its probe. One number says both whether and whom.
func (o *ordering) explore(t *tier, p *core.ScorePolicy) {
	if p.Exploration <= 0 || len(o.places)-t.base < 2 || o.open(int32(o.start), int32(t.begin)) >= 0 {
		return
	}
	n := 0
	for i := range o.places[t.base:] {
		if o.explorable(t, i) {
			n++
		}
	}
	x := float64(o.bits(&o.units[t.base])>>11) / (1 << 53)
	if n < 2 || x >= p.Exploration {
		return
	}
	nth := min(int(x/p.Exploration*float64(n)), n-1)
	for i := range o.places[t.base:] {
		if !o.explorable(t, i) {
			continue
		}
		if nth == 0 {
			o.tellExplored(o.at(t, i))
			o.front(t, i)
			return
		}
		nth--
	}
}

func (o *ordering) explorable(t *tier, i int) bool {
	u := o.at(t, i)
	return o.places[t.base+i].class <= demoted && !(u.cools && u.member.Target != nil)
}

// probeAfter is how long a target of the tier may go without a sample.
func (t *tier) probeAfter() time.Duration {
	if t.group.Score != nil {
		return t.group.Score.ProbeAfter
	}
	return t.group.Latency.ProbeAfter
}
