package rank

import (
	"cmp"
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// staler is how many times longer than the leader a target must have gone without a sample to be probed.
// Where requests are rarer than probe_after, this leaves the leader at least every other one.
const staler = 4

// spread takes the unmeasured units of a sorted least_latency tier in turn by weight, so that a fleet which
// knows nothing yet does not send everything to the target that is declared first.
func (o *ordering) spread(g *core.Group, units []unit, priority int) {
	from := slices.IndexFunc(units, func(u unit) bool { return u.class == unmeasured })
	if from < 0 {
		return
	}
	cold := units[from:]
	if warm := slices.IndexFunc(cold, func(u unit) bool { return u.class != unmeasured }); warm >= 0 {
		cold = cold[:warm]
	}
	if len(cold) > 1 {
		slices.SortFunc(cold, func(a, b unit) int { return cmp.Compare(a.index, b.index) })
		o.ranker.wheel(g.ID, priority).turn(cold)
		slices.SortFunc(cold, before)
	}
}

// lift moves the first choice of one unit to the front of the tier that begins at begin, for a sample:
// of an unmeasured unit, else of one that has gone without a sample for the group's ProbeAfter and whose
// slot this node holds. It does so only if the tier is where the request will begin, if nothing is in flight
// to the unit, and if the unit's probe slot is free.
func (o *ordering) lift(g *core.Group, units []unit, begin int) {
	if o.probed || len(units) < 2 {
		return
	}
	leader := o.leader(units, begin)
	if leader < 0 || units[leader].class == unmeasured {
		return
	}
	for i := range units {
		if i != leader && units[i].class == unmeasured && o.claim(&units[i], begin) {
			return
		}
	}
	if g.Latency.ProbeAfter <= 0 {
		return
	}
	for i := range units {
		u := &units[i]
		if i != leader && u.since > g.Latency.ProbeAfter && u.since/staler >= units[leader].since && o.owns(u) && o.claim(u, begin) {
			return
		}
	}
}

// leader returns the unit with which the request will begin, or -1 when it begins before this tier or
// nowhere, since all cool.
func (o *ordering) leader(units []unit, begin int) int {
	if o.open(o.start, begin) >= 0 {
		return -1
	}
	return slices.IndexFunc(units, func(u unit) bool { return o.open(u.from, u.to) >= 0 })
}

// open returns the first choice in dst[from:to] that does not cool, or -1.
func (o *ordering) open(from, to int) int {
	for i := from; i < to; i++ {
		if o.view.Board.Cooling(o.dst[i].Target.Signal, o.view.Now) == 0 {
			return i
		}
	}
	return -1
}

func (o *ordering) owns(u *unit) bool {
	at := o.open(u.from, u.to)
	return at >= 0 && (o.view.Owner == nil || o.view.Owner(o.key(at)))
}

func (o *ordering) key(at int) signal.Key { return o.dst[at].Target.Signal }

// claim moves the unit's first open choice to the front if it may be probed now.
func (o *ordering) claim(u *unit, begin int) bool {
	if u.inflight > 0 {
		return false
	}
	at := o.open(u.from, u.to)
	if at < 0 || !o.view.Board.Claim(o.key(at)) {
		return false
	}
	probe := Choice{Target: o.dst[at].Target, Probe: true}
	copy(o.dst[begin+1:at+1], o.dst[begin:at])
	o.dst[begin] = probe
	o.probed = true
	return true
}
