package signal

import "time"

// Wait is one request that has no answer yet. While it waits longer than its target's estimate it counts as a
// sample of that age, here and at the peers, so that a target which stops answering is known before anything
// times out. The zero Wait waits for nothing. It belongs to its caller and must not be copied while it waits.
type Wait struct {
	row        *row
	class      Class
	since      time.Time
	prev, next *Wait
}

// waiting are the waits of one class of a row, the oldest first.
type waiting struct{ first, last *Wait }

// maxOverdue bounds how many waits are looked at, the oldest first: more would not tell more.
const maxOverdue = 4096

// Await counts w as waiting for a first token or an answer of k since now. Answered ends that.
func (b *Board) Await(w *Wait, k Key, c Class, now time.Time) {
	r := b.row(k)
	r.mu.Lock()
	defer r.mu.Unlock()
	list := &r.waiting[c]
	*w = Wait{row: r, class: c, since: now, prev: list.last}
	if list.last == nil {
		list.first = w
	} else {
		list.last.next = w
	}
	list.last = w
}

// Answered ends the waiting, however it ended. It does nothing when it was ended before.
func (w *Wait) Answered() {
	r := w.row
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := &r.waiting[w.class]
	if w.prev == nil {
		list.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		list.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	*w = Wait{}
}

// overdueLocked adds to m, as provisional samples, the waits that are older than the latency, and reports
// whether there were any. A target of which nothing is known has none.
func (r *row) overdueLocked(m *record, c Class, latency float64, now time.Time) (any bool) {
	if latency == 0 {
		return false
	}
	limit := maxOverdue
	for w := r.waiting[c].first; w != nil && limit > 0; w = w.next {
		age := now.Sub(w.since)
		if age.Seconds() <= latency {
			break
		}
		m.class[c].sums.sample(seconds(age), &undecayed)
		any = true
		limit--
	}
	return any
}
