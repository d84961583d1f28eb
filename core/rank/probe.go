package rank

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// staler is how many times longer than the leader a target must have gone without a sample to be probed again.
// Where requests are rarer than probe_after, this leaves the leader at least every other one.
const staler = 4

// A target that may be nearly as fast as the leader is kept well known, so that a better one is found out and a few
// lucky answers make none: it gets one request at a time, of rarer requests one.
const (
	nearly = 1.25
	rarer  = 20
)

// spread takes the unmeasured places of a sorted tier in turn by weight, so that a fleet which knows nothing yet
// does not send everything to the target that is declared first. A session draws them instead.
func (o *ordering) spread(t *tier) {
	places := o.places[t.base:]
	from := 0
	for from < len(places) && places[from].class != unmeasured {
		from++
	}
	to := from
	for to < len(places) && places[to].class == unmeasured {
		to++
	}
	switch cold := places[from:to]; {
	case len(cold) < 2:
	case o.view.Session != 0:
		o.rendezvous(t, cold, o.view.Session)
	default:
		o.takeTurns(t, cold)
	}
}

// lift moves the first choice of one unit to the front of the tier, for a sample: of an unmeasured unit, else of
// one whose slot this node holds and that has gone without a sample for the group's ProbeAfter, or that may be
// nearly as fast as the leader. It does so only if the tier is where the request will begin, if nothing is
// in flight to the unit, and if the unit's probe slot is free.
func (o *ordering) lift(t *tier) {
	if o.probed || o.view.NoProbe || len(o.places)-t.base < 2 {
		return
	}
	leader := o.leader(t)
	if leader == nil || leader.class == unmeasured {
		return
	}
	for i := range o.places[t.base:] {
		if u := o.at(t, i); u != leader && u.class == unmeasured && o.claim(u, t.begin) {
			return
		}
	}
	after := t.probeAfter()
	if after <= 0 {
		return
	}
	for i := range o.places[t.base:] {
		u := o.at(t, i)
		if u != leader && u.due(leader, after) && o.owns(u) && o.claim(u, t.begin) {
			return
		}
	}
}

// due reports whether a sample of the unit is worth a request.
func (u *unit) due(leader *unit, after time.Duration) bool {
	if u.since > after {
		return u.since/staler >= leader.since
	}
	return u.class == answers && u.hope < nearly*leader.expected && u.attempts*rarer < leader.attempts
}

// at returns the unit at the tier's i-th place.
func (o *ordering) at(t *tier, i int) *unit { return &o.units[t.base+int(o.places[t.base+i].unit)] }

// leader returns the unit with which the request will begin, or nil when it begins before this tier or
// nowhere, since all cool.
func (o *ordering) leader(t *tier) *unit {
	if o.open(int32(o.start), int32(t.begin)) >= 0 {
		return nil
	}
	for i := range o.places[t.base:] {
		u := o.at(t, i)
		if u.member.Target != nil && u.from < u.to && !u.cools {
			return u
		}
		if u.member.Group != nil && o.open(u.from, u.to) >= 0 {
			return u
		}
	}
	return nil
}

// open returns the first choice in dst[from:to] that does not cool, or -1.
func (o *ordering) open(from, to int32) int {
	for i := int(from); i < int(to); i++ {
		if o.view.Board.Cooling(o.key(i), o.view.Now) == 0 {
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
	if at < 0 || !o.take(o.key(at)) {
		return false
	}
	probe := Choice{Target: o.dst[at].Target, Probe: true}
	copy(o.dst[begin+1:at+1], o.dst[begin:at])
	o.dst[begin] = probe
	o.probed = true
	return true
}

// take takes the probe slot of a key, or would.
func (o *ordering) take(k signal.Key) bool {
	if o.view.Dry {
		return !o.view.Board.Claimed(k)
	}
	return o.view.Board.Claim(k)
}
