package signal

import (
	"math"
	"time"
)

// Detail says what is kept of a key beyond its estimate. It costs a few hundred bytes of the shared value for each key,
// so that it is kept only where somebody wants it.
type Detail uint8

// The details.
const (
	// WantSpread keeps the percentiles of latency.
	WantSpread Detail = 1 << iota
	// WantThroughput keeps the tokens of output a second.
	WantThroughput
)

// Want says of which keys this node measures and publishes what in detail. It replaces what was wanted before; the
// map must not change afterwards. What peers publish is read whoever wants it.
func (b *Board) Want(details map[Key]Detail) {
	b.wanted.Store(&details)
	b.each(func(k Key, r *row) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.detail = r.detail.keep(details[k])
		r.spreads = [classes]cachedSpread{}
	})
}

// wants returns what is wanted of k.
func (b *Board) wants(k Key) Detail {
	if m := b.wanted.Load(); m != nil {
		return (*m)[k]
	}
	return 0
}

// detail is decayed like the slow rung, which holds samples enough for a p99 where there is one request a second. What is
// kept is weighed as of one moment, so that a sample costs one addition: a later one counts for more than 1 there.
type detail struct {
	at    time.Time
	class [classes]distribution
}

// distribution is one class of a detail.
type distribution struct {
	spread histogram
	output flow
}

// keep returns the detail without what is not wanted; nil: nothing is.
func (d *detail) keep(wanted Detail) *detail {
	if d == nil || wanted == 0 {
		return nil
	}
	for c := range d.class {
		if wanted&WantSpread == 0 {
			d.class[c].spread = histogram{}
		}
		if wanted&WantThroughput == 0 {
			d.class[c].output = flow{}
		}
	}
	return d
}

// left returns by what everything is multiplied to be as of now.
func (d *detail) left(now time.Time) float64 { return decay(now.Sub(d.at))[rungs-1] }

// weigh returns what a sample of now counts for. The moment moves on before that becomes large.
func (d *detail) weigh(now time.Time) float64 {
	if d.at.IsZero() {
		d.at = now
	}
	passed := now.Sub(d.at)
	if passed < 0 {
		return decay(-passed)[rungs-1]
	}
	if passed > trend {
		f := d.left(now)
		for c := range d.class {
			d.class[c].spread.scale(f)
			d.class[c].output.scale(f)
		}
		d.at = now
		return 1
	}
	return 1 / d.left(now)
}

// detailLocked returns the row's detail and makes it on first use.
func (r *row) detailLocked() *detail {
	if r.detail == nil {
		r.detail = &detail{}
	}
	return r.detail
}

// spreadLocked counts a latency in the spread, if that is wanted.
func (r *row) spreadLocked(wanted Detail, c Class, seconds float64, now time.Time) {
	if wanted&WantSpread == 0 {
		return
	}
	d := r.detailLocked()
	d.class[c].spread.sample(seconds, d.weigh(now))
	r.spreads[c].at = time.Time{}
}

// parts are a detail as it crosses the wire, as of one moment.
type parts struct{ class [classes]part }

type part struct {
	spread sparse
	output flow
}

// sparse is a histogram without its empty buckets, in ascending order.
type sparse struct {
	weight  float64
	shares  int // of all buckets
	buckets []bucket
}

// bucket says which share of the weight is in a bucket; shares add up to about wholeShare.
type bucket struct {
	index uint8
	share uint16
}

const wholeShare = math.MaxUint16

// parts returns what there is to tell of the detail as of now; nil: nothing.
func (d *detail) parts(now time.Time) *parts {
	if d == nil {
		return nil
	}
	p, f := parts{}, d.left(now)
	for c := range d.class {
		x := &d.class[c]
		p.class[c].spread = x.spread.sparse(f)
		if x.output.answers*f >= faint {
			p.class[c].output.add(x.output, f)
		}
	}
	if !p.told() {
		return nil
	}
	return &p
}

func (p *parts) told() bool {
	for c := range p.class {
		if p.class[c].spread.weight > 0 || p.class[c].output.answers > 0 {
			return true
		}
	}
	return false
}

// sparse returns the histogram decayed by f; nothing if it is faint.
func (h *histogram) sparse(f float64) sparse {
	if h.weight*f < faint {
		return sparse{}
	}
	s := sparse{weight: h.weight * f, buckets: make([]bucket, 0, 32)}
	for i := h.from; i < h.to; i++ {
		if share := math.Round(h.counts[i] / h.weight * wholeShare); share > 0 {
			s.add(bucket{uint8(i), uint16(min(share, wholeShare))})
		}
	}
	return s
}

func (s *sparse) add(b bucket) {
	s.buckets = append(s.buckets, b)
	s.shares += int(b.share)
}

// unit returns how many samples one share stands for.
func (s *sparse) unit() float64 {
	if s.shares == 0 {
		return 0
	}
	return s.weight / float64(s.shares)
}

// gather adds what was told, decayed by f, to a detail of that moment.
func (d *detail) gather(p *parts, f float64) {
	for c := range d.class {
		x, y := &d.class[c], &p.class[c]
		unit := y.spread.unit() * f
		for _, b := range y.spread.buckets {
			x.spread.count(int(b.index), float64(b.share)*unit)
		}
		x.spread.weight += y.spread.weight * f
		x.output.add(y.output, f)
	}
}

// subtract removes what was told, decayed by f. Rounding never leaves less than nothing.
func (d *detail) subtract(p *parts, f float64) {
	for c := range d.class {
		x, y := &d.class[c], &p.class[c]
		unit := y.spread.unit() * f
		for _, b := range y.spread.buckets {
			n := &x.spread.counts[b.index]
			left := *n - float64(b.share)*unit
			if left <= *n*remnant {
				left = 0
			}
			*n = left
		}
		x.spread.weight = 0
		for _, n := range x.spread.counts {
			x.spread.weight += n
		}
		x.output = x.output.without(y.output, f)
	}
}

func (p *parts) scale(f float64) {
	for c := range p.class {
		p.class[c].spread.weight *= f
		p.class[c].output.scale(f)
	}
}
