package rank

import (
	"math"
	"math/rand/v2"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// leastLatency orders a tier by the expected time to an answer: strictly, or by a draw in which that and the load
// make the weights.
func (o *ordering) leastLatency(t *tier) {
	o.look(t)
	o.choose(t, o.settle())
}

// choose orders the tier by its leaves.
func (o *ordering) choose(t *tier, c common) {
	p := &t.group.Latency
	if p.Inflight == core.InflightAbsolute && p.Selection != core.SelectionStrict {
		heat(o.leaves)
	}
	k, why, leader := sharpness(p, o.view.Lag, o.leaves, c.mean)
	strict := math.IsInf(k, 1)
	if strict {
		prove(o.leaves)
	} else {
		burden(o.leaves, p.Inflight, c.mean)
	}
	o.join(t)
	o.draw(t, k)
	o.stickByScore(t, strict)
	if !t.spare {
		o.spread(t)
	}
	o.tellLatency(t, &c, k, why, leader)
}

// join makes each unit as good as the best of its leaves.
func (o *ordering) join(t *tier) {
	units, last := o.units[t.base:], -1
	for i := range o.leaves {
		l := &o.leaves[i]
		u := &units[l.unit]
		if l.unit != last || l.class < u.class || (l.class == u.class && l.score < u.score) {
			u.class, u.score, u.expected, u.hope = l.class, l.score, l.expected, l.hope
		}
		last = l.unit
	}
}

// draw sorts the places of the tier. Unless k is infinite they are drawn one after the other without replacement
// by weight·score^-k, so that who fails is excluded from the next draw: each place has an exponential variate over
// its weight as its key (Efraimidis, Spirakis: Weighted random sampling with a reservoir, 2006).
func (o *ordering) draw(t *tier, k float64) {
	places, units := o.places[t.base:], o.units[t.base:]
	strict, least := math.IsInf(k, 1), maxScore
	for i := range places {
		u := &units[i]
		places[i].class, places[i].key = u.class, u.score
		least = min(least, u.score)
	}
	for i := range places {
		if u := &units[i]; !strict && u.class != hot {
			places[i].key = exponential(o.bits(u)) / u.share() * power(u.score/least, k)
		}
	}
	sortPlaces(places)
}

// whole is up to which power the whole ones are multiplied out.
const whole = 64

// power returns x^k for x from 1 on, and infinity where that is too much. As a rule k is a small whole number, and
// for that it is several times faster than math.Pow.
func power(x, k float64) float64 {
	n := int(min(k, whole))
	if float64(n) != k {
		return math.Exp(k * math.Log(x))
	}
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			y *= x
		}
		x *= x
	}
	return y
}

// bits returns the random bits for a unit's draw: of the session, or the next of a SplitMix64 sequence that one
// number of the View's source begins.
func (o *ordering) bits(u *unit) uint64 {
	if o.view.Session != 0 {
		return hash(o.view.Session, u.name())
	}
	if o.random == 0 {
		if o.random = o.seed(); o.random == 0 {
			o.random = golden
		}
	}
	o.random += golden
	return signal.Mix(o.random)
}

func (o *ordering) seed() uint64 {
	if o.view.Rand != nil {
		return o.view.Rand()
	}
	return rand.Uint64()
}
