package rank

import (
	"math"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// attemptsLife is the half-life of a target's count of attempts.
const attemptsLife = 10 * time.Second

// leastBusy puts first what has the fewest of the fleet's requests in flight for its weight. Those that have
// equally few take turns by weight, so that an idle fleet does not send everything to the first. Where the nodes send more
// than they hear of each other, the first is drawn.
func (o *ordering) leastBusy(t *tier) {
	places, previous := o.places[t.base:], -1
	for i := range places {
		if o.count(t, i) {
			previous = i
		}
		u := &o.units[t.base+i]
		places[i].key = float64(u.inflight) / u.share()
	}
	sortPlaces(places)
	o.tellKeys(t, places, func(c *Candidate, key float64) { c.Load = o.number(key) })
	least := places[0].key
	if level, unheard := o.level(t); unheard {
		o.pour(t, level)
	} else if !t.spare {
		o.shareOut(t)
	}
	o.stickByLoad(t, previous, least)
}

// level returns the load by weight to which the requests that the fleet sends before it hears of them fill the least busy of
// the sorted places, as water would; unheard: they are at least one. Until then all nodes see the same target as the
// least busy: were it to get them all, it would be the busiest. On average news is half as old as the oldest.
func (o *ordering) level(t *tier) (level float64, unheard bool) {
	places, units := o.places[t.base:], o.units[t.base:]
	var attempts, shares float64
	for i := range units {
		attempts += units[i].attempts
	}
	sum := attempts * math.Ln2 / attemptsLife.Seconds() * o.view.Lag.Seconds() / 2
	if sum < 1 {
		return 0, false
	}
	for i := range places {
		u := &units[places[i].unit]
		if i > 0 && sum <= places[i].key*shares {
			break
		}
		sum += float64(u.inflight)
		shares += u.share()
	}
	return sum / shares, true
}

// pour moves one of those below the level to the front: the chance of each is what it lacks.
func (o *ordering) pour(t *tier, level float64) {
	places, first, soonest := o.places[t.base:], 0, math.Inf(1)
	for i := range places {
		u := &o.units[t.base+int(places[i].unit)]
		lacks := level*u.share() - float64(u.inflight)
		if lacks <= 0 {
			break
		}
		if key := exponential(o.bits(u)) / lacks; key < soonest {
			first, soonest = i, key
		}
	}
	x := places[first]
	copy(places[1:first+1], places[:first])
	places[0] = x
}

// count counts what is in flight to a unit and reports whether it served the session before and can again.
func (o *ordering) count(t *tier, unit int) (previous bool) {
	u := &o.units[t.base+unit]
	if target := u.member.Target; target != nil {
		return o.addLoad(u, target)
	}
	for _, target := range o.speak(u, t) {
		previous = o.addLoad(u, target) || previous
	}
	return previous
}

func (o *ordering) addLoad(u *unit, target *core.Target) (previous bool) {
	e := &o.estimate
	o.view.Board.Read(e, target.Signal, o.view.Class, o.view.Now)
	u.inflight += e.Inflight
	u.attempts += e.Attempts
	return o.view.Previous != 0 && target.Signal == o.view.Previous && !e.Failing && e.Cooling == 0
}

// shareOut lets the least busy take turns, without which their keys tell the load still.
func (o *ordering) shareOut(t *tier) {
	places := o.places[t.base:]
	least, n := places[0].key, 1
	for n < len(places) && places[n].key == least {
		n++
	}
	if n < 2 {
		return
	}
	o.takeTurns(t, places[:n])
	for i := range places[:n] {
		places[i].key = least
	}
}
