package rank

import (
	"slices"
	"sync"
)

type wheelKey struct {
	group    string
	priority int
}

// wheel is the state of smooth weighted round robin over one tier: at each turn every member that takes part
// gains its weight, and the one that leads pays what all have gained. It has a slot for every member of the
// tier, so that who takes part may change from turn to turn.
type wheel struct {
	mu    sync.Mutex
	slots []slot
	total float64 // of the weights of all slots
}

type slot struct {
	name    string
	current float64
}

func (r *Ranker) wheel(group string, priority int) *wheel {
	k := wheelKey{group, priority}
	r.mu.RLock()
	w := r.wheels[k]
	r.mu.RUnlock()
	if w != nil {
		return w
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wheels[k] == nil {
		r.wheels[k] = new(wheel)
	}
	return r.wheels[k]
}

// wheel returns the wheel of the tier: a copy that may be turned, where the order is only looked at.
func (o *ordering) wheel(t *tier) *wheel {
	if o.view.Dry {
		return o.ranker.copied(wheelKey{t.group.ID, t.priority})
	}
	return o.ranker.wheel(t.group.ID, t.priority)
}

func (r *Ranker) copied(k wheelKey) *wheel {
	r.mu.RLock()
	w := r.wheels[k]
	r.mu.RUnlock()
	if w == nil {
		return new(wheel)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return &wheel{slots: slices.Clone(w.slots), total: w.total}
}

// takeTurns orders these places of the tier by the wheel: the one whose turn it is first, then who would follow.
func (o *ordering) takeTurns(t *tier, run []place) {
	if len(run) < 2 {
		return
	}
	o.wheel(t).turn(t, o.units[t.base:], run)
	o.tellKeys(t, run, func(c *Candidate, key float64) { c.Turn = o.number(-key) })
	sortPlaces(run)
}

// turn gives one turn to the units of the places and keys these by it.
func (w *wheel) turn(t *tier, units []unit, run []place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fit(t)
	var gained float64
	lead := 0
	for i := range run {
		u := &units[run[i].unit]
		s := &w.slots[u.slot]
		weight := u.share()
		s.current = min(max(s.current, -rounds*w.total), rounds*w.total) + weight
		gained += weight
		run[i].key = -s.current
		if run[i].before(&run[lead]) {
			lead = i
		}
	}
	w.slots[units[run[lead].unit].slot].current -= gained
}

// rounds is how far a member may be ahead or behind. Only a change of weights, or of who takes part, brings one
// there.
const rounds = 2

// fit gives every member of the tier its slot. When members have come or gone, those that stay keep their place
// in the round, and the mean of all is zero, as in a wheel that has always had these members.
func (w *wheel) fit(t *tier) {
	n, same := 0, true
	w.total = 0
	for i := range t.group.Members {
		if m := &t.group.Members[i]; t.holds(m) {
			same = same && n < len(w.slots) && w.slots[n].name == memberName(m)
			w.total += float64(max(m.Weight, 1))
			n++
		}
	}
	if !same || n != len(w.slots) {
		w.rebuild(t)
	}
}

func (w *wheel) rebuild(t *tier) {
	old := w.slots
	w.slots = nil
	var sum float64
	for i := range t.group.Members {
		m := &t.group.Members[i]
		if !t.holds(m) {
			continue
		}
		s := slot{name: memberName(m)}
		if at := slices.IndexFunc(old, func(x slot) bool { return x.name == s.name }); at >= 0 {
			s.current = old[at].current
			sum += s.current
		}
		w.slots = append(w.slots, s)
	}
	for i := range w.slots {
		w.slots[i].current -= sum / float64(len(w.slots))
	}
}
