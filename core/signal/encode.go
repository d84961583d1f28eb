package signal

import (
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// publication is what the board remembers of its own published values.
type publication struct {
	mu       sync.Mutex
	sequence uint64
	at       time.Time     // of the last Encode
	entries  int           // in it
	pause    time.Duration // after it, before an unmoved board is published again
	stale    atomic.Bool   // keys were forgotten since
}

// Encode appends this node's own state, aged to now, in the format of format.go, and takes it as published:
// Moved compares with it from then on. Who cannot store the value encodes again.
func (b *Board) Encode(dst []byte, now time.Time) []byte {
	b.wire.mu.Lock()
	defer b.wire.mu.Unlock()
	moved := b.movedLocked(now)
	b.wire.stale.Store(false)
	entries := b.published(now)
	b.wire.sequence++
	b.wire.at, b.wire.entries = now, len(entries)
	b.wire.pause = b.wire.pause * 2
	if moved || b.wire.pause == 0 {
		b.wire.pause = refresh
	}
	dst = appendHeader(dst, ofMember, b.boot, b.wire.sequence, len(entries))
	return appendEntries(dst, entries, now, maxWeight)
}

func appendEntries(dst []byte, entries []entry, now time.Time, bound float64) []byte {
	for i := range entries {
		dst = appendEntry(dst, &entries[i], now, bound)
	}
	return dst
}

// published marks every row as sent and returns what there is to send: the cap leaves out the keys that have
// been idle longest.
func (b *Board) published(now time.Time) []entry {
	var out []entry
	b.each(func(k Key, r *row) {
		e := r.send(b.fold(k), now)
		e.key = k
		if e.told(now) {
			out = append(out, e)
		}
	})
	return bounded(out, maxEntries, now)
}

// idle is how long a key has been without news; one that cools or has a request in flight is news.
func (e *entry) idle(now time.Time) time.Duration {
	if e.inflight > 0 || e.cool.After(now) {
		return 0
	}
	return e.record.latest().since()
}

func (r *row) send(f *fold, now time.Time) entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = r.newsLocked(f, now)
	return entry{inflight: int(r.sent.inflight), cool: r.cool, record: r.sent.record}
}

// newsLocked is what there is to tell of the row at now: its record, and as provisional samples the requests
// that have waited longer than the fleet's estimate.
func (r *row) newsLocked(f *fold, now time.Time) sent {
	r.record.age(now)
	s := sent{record: r.record, inflight: max(r.inflight.Load(), 0), cool: r.cool}
	for c := range Class(classes) {
		if r.waiting[c].first != nil {
			s.overdue[c] = r.overdueLocked(&s.record, c, r.knownLocked(f, c, now), now)
		}
	}
	return s
}

// knownLocked is the latency of what has been answered: overdue requests are measured against it.
func (r *row) knownLocked(f *fold, c Class, now time.Time) float64 {
	m := r.mergedLocked(f, now)
	return m.estimate(c).Latency
}

func appendHeader(dst []byte, k kind, boot, sequence uint64, entries int) []byte {
	dst = append(dst, version, byte(k))
	for _, h := range halfLives {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(h/time.Second))
	}
	dst = binary.LittleEndian.AppendUint64(dst, boot)
	dst = binary.LittleEndian.AppendUint64(dst, sequence)
	return binary.LittleEndian.AppendUint16(dst, uint16(entries))
}

func appendEntry(dst []byte, e *entry, now time.Time, bound float64) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.key))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(min(e.inflight, maxInflight)))
	left := (min(remaining(e.cool, now), maxCooldown) + time.Millisecond - 1) / time.Millisecond
	dst = binary.LittleEndian.AppendUint32(dst, uint32(left))
	r := &e.record
	dst = appendSums(dst, bound, r.attempts, r.failures, r.loads)
	var mask byte
	for c := range r.class {
		if r.class[c].seen() {
			mask |= 1 << c
		}
	}
	dst = append(dst, mask)
	for c := range r.class {
		if r.class[c].seen() {
			dst = appendClass(dst, &r.class[c], bound)
		}
	}
	return dst
}

func (x *samples) seen() bool { return latest(x.okay, x.failed) != 0 }

func appendClass(dst []byte, x *samples, bound float64) []byte {
	dst = appendAge(dst, x.okay)
	dst = appendAge(dst, x.failed)
	for _, r := range x.sums {
		dst = appendSums(dst, bound, r.w, r.s)
	}
	t := &x.fit
	return appendSums(dst, bound, t.w, t.x, t.y, t.xx, t.xy, t.yy)
}

func appendAge(dst []byte, a age) []byte {
	ms := int64(never)
	if a != 0 {
		ms = min(a.since().Milliseconds(), never-1)
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(ms))
}

// appendSums writes a weight within its bound and the sums that belong to it, whose means stay.
func appendSums(dst []byte, bound, w float64, sums ...float64) []byte {
	scale := 1.0
	switch {
	case w < minWeight:
		w, scale = 0, 0
	case w > bound:
		w, scale = bound, bound/w
	}
	dst = appendF32(dst, w)
	for _, s := range sums {
		dst = appendF32(dst, s*scale)
	}
	return dst
}

func appendF32(dst []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v)))
}
