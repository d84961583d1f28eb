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
	h := header{byte(b.speaks.Load()), ofMember, b.boot, b.wire.sequence}
	return h.append(dst, entries, now)
}

// header is what a value begins with.
type header struct {
	version        byte
	kind           kind
	boot, sequence uint64
}

// append appends the header and the entries, of which in detail no more than the kind may have.
func (h *header) append(dst []byte, entries []entry, now time.Time) []byte {
	if h.version >= detailed {
		shorten(entries, h.kind.details(), now)
	}
	_, bound := h.kind.limits()
	dst = append(dst, h.version, byte(h.kind))
	for _, l := range halfLives {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(l/time.Second))
	}
	dst = binary.LittleEndian.AppendUint64(dst, h.boot)
	dst = binary.LittleEndian.AppendUint64(dst, version<<readsShift|h.sequence)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(entries)))
	for i := range entries {
		dst = appendEntry(dst, &entries[i], h.version, now, bound)
	}
	return dst
}

// shorten drops the details of all but so many entries: of those that have been idle longest.
func shorten(entries []entry, limit int, now time.Time) {
	var full []*entry
	for i := range entries {
		if entries[i].parts != nil {
			full = append(full, &entries[i])
		}
	}
	if len(full) <= limit {
		return
	}
	slices.SortStableFunc(full, func(a, b *entry) int { return cmp.Compare(a.idle(now), b.idle(now)) })
	for _, e := range full[limit:] {
		e.parts = nil
	}
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
	return entry{
		inflight: int(r.sent.inflight), cool: r.cool, record: r.sent.record, parts: r.detail.parts(now), quota: r.quota.told(now),
	}
}

// newsLocked is what there is to tell of the row at now: its record, and as provisional samples the requests
// that have waited longer than the fleet's estimate.
func (r *row) newsLocked(f *fold, now time.Time) sent {
	r.record.age(now)
	s := sent{record: r.record, inflight: max(r.inflight.Load(), 0), cool: r.cool, quota: r.quota}
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

func appendEntry(dst []byte, e *entry, version byte, now time.Time, bound float64) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(e.key))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(min(e.inflight, maxInflight)))
	dst = binary.LittleEndian.AppendUint32(dst, milliseconds(min(remaining(e.cool, now), maxCooldown)))
	r := &e.record
	dst = appendSums(dst, bound, r.attempts, r.failures, r.loads)
	sections := e.sections(version)
	dst = append(dst, sections)
	for c := range r.class {
		if sections&(hasClass<<c) != 0 {
			dst = appendClass(dst, &r.class[c], bound)
		}
	}
	for c := range r.class {
		if sections&(hasSpread<<c) != 0 {
			dst = appendSpread(dst, &e.parts.class[c].spread, bound)
		}
	}
	for c := range r.class {
		if sections&(hasOutput<<c) != 0 {
			x := &e.parts.class[c].output
			dst = appendSums(dst, bound, x.answers, x.seconds, x.tokens)
		}
	}
	if sections&hasQuota != 0 {
		dst = appendQuota(dst, e.quota, now)
	}
	return dst
}

// sections says what follows the entry's counts.
func (e *entry) sections(version byte) (s byte) {
	for c := range e.record.class {
		if e.record.class[c].seen() {
			s |= hasClass << c
		}
	}
	if version < detailed {
		return s
	}
	for c := 0; c < classes && e.parts != nil; c++ {
		if e.parts.class[c].spread.weight > 0 {
			s |= hasSpread << c
		}
		if e.parts.class[c].output.answers > 0 {
			s |= hasOutput << c
		}
	}
	if e.quota != nil {
		s |= hasQuota
	}
	return s
}

func appendSpread(dst []byte, s *sparse, bound float64) []byte {
	dst = appendSums(dst, bound, s.weight)
	dst = append(dst, byte(len(s.buckets)))
	for _, b := range s.buckets {
		dst = append(dst, b.index)
		dst = binary.LittleEndian.AppendUint16(dst, b.share)
	}
	return dst
}

func appendQuota(dst []byte, q *quota, now time.Time) []byte {
	dst = appendAge(dst, aged(now.Sub(q.at)))
	for i := range q.limits {
		l := &q.limits[i]
		dst = binary.LittleEndian.AppendUint16(dst, uint16(math.Round(l.at(now)*wholeShare)))
		dst = binary.LittleEndian.AppendUint32(dst, milliseconds(remaining(l.reset, now)))
	}
	return dst
}

// milliseconds rounds up, so that nothing ends before its time.
func milliseconds(d time.Duration) uint32 {
	return uint32((d + time.Millisecond - 1) / time.Millisecond)
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
