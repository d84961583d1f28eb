package signal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

var (
	errTruncated = errors.New("value is too short")
	errTrailing  = errors.New("bytes follow the last entry")
)

// Decode reads a published value that was received at that moment. A value that cannot be walked to its
// end is an error; an entry that breaks the bounds is left out and counted in Rejected.
func Decode(b []byte, received time.Time) (*Peer, error) {
	p, err := decode(b, received)
	if err != nil {
		return nil, fmt.Errorf("decode signals: %w", err)
	}
	return p, nil
}

func decode(b []byte, received time.Time) (*Peer, error) {
	if len(b) < headerSize {
		return nil, errTruncated
	}
	r := reader{b: b}
	r.sections = allSections
	switch v := r.u8(); {
	case v < oldest || v > version:
		return nil, fmt.Errorf("version %d is not known", v)
	case v < detailed:
		r.sections = oldSections
	}
	k := kind(r.u8())
	if k > ofAll {
		return nil, fmt.Errorf("kind %d is not known", k)
	}
	limit, bound := k.limits()
	r.bound, r.details = bound, k.details()
	ratio, err := r.ratio()
	if err != nil {
		return nil, err
	}
	p := &Peer{kind: k, boot: r.u64(), sequence: r.u64(), received: received}
	p.reads = max(b[0], byte(p.sequence>>readsShift))
	n := int(r.u16())
	if n > limit {
		return nil, fmt.Errorf("%d entries are more than %d", n, limit)
	}
	if err := p.read(&r, n, &ratio); err != nil {
		return nil, err
	}
	return p, nil
}

// ratio returns by what each rung's weights are multiplied to stand for the reader's half-lives.
func (r *reader) ratio() (factors, error) {
	f := undecayed
	for i, mine := range halfLives {
		theirs := time.Duration(r.u16()) * time.Second
		if theirs < time.Second || theirs > time.Hour {
			return f, fmt.Errorf("a half-life of %v is out of bounds", theirs)
		}
		f[i] = float64(mine) / float64(theirs)
	}
	return f, nil
}

func (p *Peer) read(r *reader, n int, ratio *factors) error {
	most := min(n, len(r.b)/entrySize)
	seen := make(map[Key]bool, most)
	p.entries = make([]entry, 0, most)
	for range n {
		e, ok, err := r.entry(p.received)
		if err != nil {
			return err
		}
		if !ok || seen[e.key] {
			p.Rejected++
			continue
		}
		seen[e.key] = true
		e.record.scale(ratio)
		if e.parts != nil {
			e.parts.scale(ratio[rungs-1])
		}
		p.entries = append(p.entries, e)
	}
	if len(r.b) > 0 {
		return errTrailing
	}
	return nil
}

// reader takes fields off the front of b. Only what is known to be there may be taken.
type reader struct {
	b        []byte
	bound    float64 // of weights
	sections byte    // that the version has
	details  int     // how many entries may have them, still
}

func (r *reader) take(n int) []byte {
	field := r.b[:n]
	r.b = r.b[n:]
	return field
}

func (r *reader) u8() byte     { return r.take(1)[0] }
func (r *reader) u16() uint16  { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *reader) u32() uint32  { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) u64() uint64  { return binary.LittleEndian.Uint64(r.take(8)) }
func (r *reader) f32() float64 { return float64(math.Float32frombits(r.u32())) }

// entry reads one entry and reports whether it keeps the bounds.
func (r *reader) entry(received time.Time) (e entry, ok bool, err error) {
	if len(r.b) < entrySize {
		return e, false, errTruncated
	}
	e = entry{key: Key(r.u64()), inflight: int(r.u32()), record: record{at: received}}
	left := time.Duration(r.u32()) * time.Millisecond
	ok = left <= maxCooldown
	if left > 0 {
		e.cool = received.Add(left)
	}
	ok = r.counts(&e.record) && ok
	sections := r.u8()
	if sections&^r.sections != 0 {
		return e, false, fmt.Errorf("sections %#b are not known", sections)
	}
	for c := range e.record.class {
		if sections&(hasClass<<c) == 0 {
			continue
		}
		if len(r.b) < classSize {
			return e, false, errTruncated
		}
		ok = r.class(&e.record.class[c]) && ok
	}
	whole, err := r.beyond(&e, sections, received)
	return e, ok && whole, err
}

// beyond reads the sections that follow the classes and reports whether they keep the bounds.
func (r *reader) beyond(e *entry, sections byte, received time.Time) (ok bool, err error) {
	ok = true
	if sections&(hasSpread|hasSpread<<1|hasOutput|hasOutput<<1) != 0 {
		e.parts = &parts{}
		r.details--
		ok = r.details >= 0
	}
	for c := range classes {
		if sections&(hasSpread<<c) != 0 {
			within, err := r.spread(&e.parts.class[c].spread)
			if err != nil {
				return false, err
			}
			ok = ok && within
		}
	}
	for c := range classes {
		if sections&(hasOutput<<c) != 0 {
			if len(r.b) < outputSize {
				return false, errTruncated
			}
			x := &e.parts.class[c].output
			x.answers, x.seconds, x.tokens = r.f32(), r.f32(), r.f32()
			ok = ok && r.isWeight(x.answers) && x.bounded()
		}
	}
	if sections&hasQuota != 0 {
		if len(r.b) < quotaSize {
			return false, errTruncated
		}
		ok = r.quota(e, received) && ok
	}
	return ok, nil
}

// spread reads a histogram, whose buckets ascend and hold something.
func (r *reader) spread(s *sparse) (ok bool, err error) {
	if len(r.b) < spreadSize {
		return false, errTruncated
	}
	s.weight = r.f32()
	n := int(r.u8())
	if len(r.b) < n*bucketSize {
		return false, errTruncated
	}
	ok = r.isWeight(s.weight) && n > 0
	s.buckets = make([]bucket, 0, n)
	for i := range n {
		b := bucket{r.u8(), r.u16()}
		ok = ok && b.index < buckets && b.share > 0 && (i == 0 || b.index > s.buckets[i-1].index)
		s.add(b)
	}
	return ok, nil
}

// quota reads what an upstream said of its limits.
func (r *reader) quota(e *entry, received time.Time) (ok bool) {
	said := r.age()
	e.quota = &quota{at: received.Add(-said.since())}
	ok = said != 0
	for i := range e.quota.limits {
		used, left := float64(r.u16())/wholeShare, time.Duration(r.u32())*time.Millisecond
		e.quota.limits[i] = limit{used, received.Add(left)}
		ok = ok && left <= maxReset
	}
	return ok
}

func (r *reader) counts(x *record) bool {
	x.attempts, x.failures, x.loads = r.f32(), r.f32(), r.f32()
	return r.isWeight(x.attempts) && x.failures >= 0 && x.failures <= x.attempts &&
		x.loads >= 0 && x.loads <= x.attempts*maxInflight*(1+rounding)
}

func (r *reader) class(x *samples) bool {
	x.okay, x.failed = r.age(), r.age()
	ok := x.seen()
	for i := range x.sums {
		w := r.f32()
		x.sums[i] = sum{r.f32(), w}
		ok = ok && r.isWeight(w) && x.sums[i].bounded()
	}
	x.fit = fit{r.f32(), r.f32(), r.f32(), r.f32(), r.f32(), r.f32()}
	return ok && r.isWeight(x.fit.w) && x.fit.bounded()
}

func (r *reader) age() age {
	ms := r.u32()
	if ms == never {
		return 0
	}
	return aged(time.Duration(ms) * time.Millisecond)
}

// bounded reports whether the sum could be that of samples within their bounds, as f32 rounds it.
func (x sum) bounded() bool {
	if x.w == 0 {
		return x.s == 0
	}
	m := x.mean()
	return m >= minLatency.Seconds()*(1-rounding) && m <= maxLatency.Seconds()*(1+rounding)
}

// isWeight is false for NaN too.
func (r *reader) isWeight(w float64) bool { return w >= 0 && w <= r.bound }
