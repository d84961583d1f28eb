package rank

import "github.com/sluice-gateway/sluice/core"

// leastBusy puts first what has the fewest of the fleet's requests in flight for its weight. Those that have
// equally few take turns by weight, so that an idle fleet does not send everything to the first.
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
	if !t.spare {
		o.shareOut(t)
	}
	o.stickByLoad(t, previous)
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
