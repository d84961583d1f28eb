package rank

import (
	"slices"
	"sync"
)

type wheelKey struct {
	group    string
	priority int
}

// wheel is the state of smooth weighted round robin over one tier: at each turn every member gains its weight,
// and the one that leads pays what all have gained.
type wheel struct {
	mu    sync.Mutex
	slots []slot
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

// turn scores the units, which stand in order of declaration: the one whose turn it is first, then who
// would follow.
func (w *wheel) turn(units []unit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fit(units)
	var total float64
	for i := range units {
		total += float64(units[i].member.Weight)
	}
	lead := 0
	for i := range units {
		s := &w.slots[i]
		s.current = min(max(s.current, -rounds*total), rounds*total) + float64(units[i].member.Weight)
		units[i].score = -s.current
		if s.current > w.slots[lead].current {
			lead = i
		}
	}
	w.slots[lead].current -= total
}

// rounds is how far a member may be ahead or behind. Only a change of weights brings one there.
const rounds = 2

// fit gives every unit its slot. When members have come or gone, those that stay keep their place in the
// round, and the mean of all is zero, as in a wheel that has always had these members.
func (w *wheel) fit(units []unit) {
	same := func(s slot, u unit) bool { return s.name == u.name() }
	if slices.EqualFunc(w.slots, units, same) {
		return
	}
	old := w.slots
	w.slots = make([]slot, len(units))
	var sum float64
	for i := range units {
		w.slots[i].name = units[i].name()
		if at := slices.IndexFunc(old, func(s slot) bool { return same(s, units[i]) }); at >= 0 {
			w.slots[i].current = old[at].current
			sum += old[at].current
		}
	}
	for i := range w.slots {
		w.slots[i].current -= sum / float64(len(w.slots))
	}
}
