package signal

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
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
	dst = b.appendHeader(dst, len(entries))
	for i := range entries {
		dst = appendEntry(dst, &entries[i], now)
	}
	return dst
}

// published marks every row as sent and returns what there is to send: the cap leaves out the keys that have
// been idle longest.
func (b *Board) published(now time.Time) []entry {
	var out []entry
	b.each(func(k Key, r *row) {
		e := r.send(now)
		e.key = k
		if e.inflight > 0 || e.cool.After(now) || e.record.latest().within(memory) {
			out = append(out, e)
		}
	})
	if len(out) > maxEntries {
		slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(a.idle(now), b.idle(now)) })
		out = out[:maxEntries]
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	return out
}

// idle is how long a key has been without news; one that cools or has a request in flight is news.
func (e *entry) idle(now time.Time) time.Duration {
	if e.inflight > 0 || e.cool.After(now) {
		return 0
	}
	return e.record.latest().since()
}

func (r *row) send(now time.Time) entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = sent{record: r.record, inflight: max(r.inflight.Load(), 0), cool: r.cool}
	r.sent.record.age(now)
	return entry{inflight: int(r.sent.inflight), cool: r.cool, record: r.sent.record}
}

func (b *Board) appendHeader(dst []byte, entries int) []byte {
	dst = append(dst, version)
	for _, h := range halfLives {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(h/time.Second))
	}
	dst = binary.LittleEndian.AppendUint64(dst, b.boot)
	dst = binary.LittleEndian.AppendUint64(dst, b.wire.sequence)
	return binary.LittleEndian.AppendUint16(dst, uint16(entries))
}

func appendEntry(dst []byte, e *entry, now time.Time) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.key))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(min(e.inflight, math.MaxUint16)))
	left := (remaining(e.cool, now) + time.Millisecond - 1) / time.Millisecond
	dst = binary.LittleEndian.AppendUint32(dst, uint32(left))
	dst = appendSum(dst, sum{e.record.failures, e.record.attempts})
	var mask byte
	for c := range e.record.class {
		if e.record.class[c].seen() {
			mask |= 1 << c
		}
	}
	dst = append(dst, mask)
	for c := range e.record.class {
		if e.record.class[c].seen() {
			dst = appendClass(dst, &e.record.class[c])
		}
	}
	return dst
}

func (x *samples) seen() bool { return latest(x.okay, x.failed) != 0 }

func appendClass(dst []byte, x *samples) []byte {
	dst = appendAge(dst, x.okay)
	dst = appendAge(dst, x.failed)
	for _, r := range x.sums {
		dst = appendSum(dst, r)
	}
	return dst
}

func appendAge(dst []byte, a age) []byte {
	ms := int64(never)
	if a != 0 {
		ms = min(a.since().Milliseconds(), never-1)
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(ms))
}

// appendSum writes the sum and the weight within the bounds; the mean stays.
func appendSum(dst []byte, x sum) []byte {
	if x.w < minWeight {
		x = sum{}
	}
	if x.w > maxWeight {
		x = sum{x.s * maxWeight / x.w, maxWeight}
	}
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(x.s)))
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(x.w)))
}
