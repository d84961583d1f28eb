package signal

import (
	"math"
	"time"
)

// What is worth a write. A latency that moves less shifts no ranking that matters; attempts bound by how much
// the weight, which the peers let decay, falls short of the truth.
const (
	latencyMoves  = 0.02 // of the latency
	failuresMove  = 0.02 // of all attempts
	attemptsMove  = 0.10 // of the decayed attempts
	inflightMoves = 0.25 // of the requests in flight
	// refresh is when a board in which nothing moves is published again, for a node that starts takes a stored
	// value for fresh. The pause doubles each time, so that no value is taken for younger than about half its
	// age, and the writing ends when nothing is left to publish.
	refresh = 15 * time.Second
)

// sent is what the peers were told of a row.
type sent struct {
	record   record
	inflight int64
	cool     time.Time
	quota    quota
	overdue  [classes]bool // requests that wait too long were told of
}

// Moved reports whether the board differs enough from what was last encoded to be published again. Decay
// alone is no difference: the peers let it decay as well.
func (b *Board) Moved(now time.Time) bool {
	b.wire.mu.Lock()
	defer b.wire.mu.Unlock()
	return b.movedLocked(now) || (b.wire.entries > 0 && now.Sub(b.wire.at) >= b.wire.pause)
}

func (b *Board) movedLocked(now time.Time) bool {
	moved := b.wire.stale.Load()
	b.each(func(k Key, r *row) { moved = moved || r.moved(b.fold(k), now) })
	return moved
}

func (r *row) moved(f *fold, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	is, was := r.newsLocked(f, now), r.sent
	was.record.age(now)
	return differ(float64(is.inflight), float64(was.inflight), inflightMoves) ||
		!is.cool.Equal(was.cool) && later(is.cool, was.cool).After(now) ||
		is.overdue != was.overdue ||
		is.quota.movedFrom(&was.quota, now) ||
		is.record.movedFrom(&was.record, is.overdue != [classes]bool{})
}

// movedFrom compares with what was told, aged to the same moment. Without new attempts only requests that
// wait too long move anything.
func (r *record) movedFrom(was *record, overdue bool) bool {
	fresh := r.attempts - was.attempts
	if fresh < rounding && !overdue { // the difference is that of two ways to decay the same samples
		return false
	}
	if fresh > attemptsMove*r.attempts {
		return true
	}
	if math.Abs(r.failureRate()-was.failureRate()) > failuresMove {
		return true
	}
	for c := range r.class {
		is, _ := r.class[c].sums.latency()
		before, _ := was.class[c].sums.latency()
		if differ(is, before, latencyMoves) {
			return true
		}
	}
	return false
}

// differ reports whether the value has left a band around what it was.
func differ(is, was, band float64) bool { return math.Abs(is-was) > band*was }
