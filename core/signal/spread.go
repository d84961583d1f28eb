package signal

import (
	"math"
	"time"
)

// The buckets of a histogram have equal widths on a logarithmic scale. A width of 0.1 in ln(latency) puts everything in
// a bucket within tanh(0.05) = 5.0 % of its middle, and 151 of them reach from minLatency to maxLatency, so that
// an index takes one byte.
const (
	bucketWidth = 0.1
	buckets     = 151
	// bucketMiddle leads from the lower end of a bucket to the value that is relatively as far from both ends.
	bucketMiddle = 1.0499583749553542 // 2 / (1 + exp(-bucketWidth))
)

// histogram is a decayed count of latencies by bucket, the idea of DDSketch (Masson, Rim and Lee, VLDB 2019): its quantiles
// have a bounded relative error, and histograms of several nodes add up to exactly that of all samples.
type histogram struct {
	weight   float64
	from, to int // the buckets outside are empty
	counts   [buckets]float64
}

// bucketOf returns the bucket of a latency within the bounds.
func bucketOf(seconds float64) int {
	i := int(math.Log(seconds/minLatency.Seconds()) / bucketWidth)
	return min(max(i, 0), buckets-1)
}

// centre returns what stands for every latency in the bucket, in seconds.
func centre(bucket int) float64 {
	return minLatency.Seconds() * math.Exp(bucketWidth*float64(bucket)) * bucketMiddle
}

func (h *histogram) sample(seconds, weight float64) {
	h.count(bucketOf(seconds), weight)
	h.weight += weight
}

func (h *histogram) count(bucket int, n float64) {
	h.counts[bucket] += n
	if h.to == 0 {
		h.from = bucket
	}
	h.from, h.to = min(h.from, bucket), max(h.to, bucket+1)
}

// span returns the buckets outside of which both are empty.
func (h *histogram) span(o *histogram) (from, to int) {
	switch {
	case h.to == 0:
		return o.from, o.to
	case o.to == 0:
		return h.from, h.to
	}
	return min(h.from, o.from), max(h.to, o.to)
}

func (h *histogram) scale(f float64) {
	h.weight *= f
	for i := range h.counts {
		h.counts[i] *= f
	}
}

// Spread is how the latencies of one key and class are distributed.
type Spread struct {
	// P50, P90 and P99 are percentiles in seconds, each within 5 % of a sample.
	P50, P90, P99 float64
	// Weight is how many samples they are worth (half-life 60 s); zero: nothing is known.
	Weight float64
}

// Spread returns the percentiles of what this node and its peers have measured of k, where somebody wants them. Of a
// failure that took longer than the estimate its time counts, as it does there. A class borrows nothing of the
// other: what percentiles are held against is meant for one of them.
func (b *Board) Spread(k Key, c Class, now time.Time) Spread {
	t, r := b.folded.Load(), b.shard(k).find(k)
	if r == nil {
		if f := t.find(k); f == nil || f.detail == nil {
			return Spread{}
		}
		r = b.row(k) // only a row keeps what was computed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x := &r.spreads[c]
	if passed := now.Sub(x.at); x.edition == t.edition() && passed >= 0 && passed < cacheFor {
		return x.spread
	}
	var folded *detail
	if f := t.find(k); f != nil {
		folded = f.detail
	}
	*x = cachedSpread{at: now, edition: t.edition(), spread: spreadOf(c, r.detail, folded, now)}
	return x.spread
}

// cachedSpread is a spread that only decays until the next sample or fold: its percentiles stay.
type cachedSpread struct {
	spread  Spread
	at      time.Time // zero: stale
	edition uint64
}

// nothing stands for a detail that is not there.
var nothing detail

// spreadOf returns the percentiles of two histograms together; either may be missing.
func spreadOf(c Class, own, others *detail, now time.Time) Spread {
	if own == nil {
		own = &nothing
	}
	if others == nil {
		others = &nothing
	}
	x, y := &own.class[c].spread, &others.class[c].spread
	fx, fy := own.left(now), others.left(now)
	s := Spread{Weight: x.weight*fx + y.weight*fy}
	if s.Weight < faint {
		return Spread{}
	}
	ranks := [...]float64{0.50 * s.Weight, 0.90 * s.Weight, 0.99 * s.Weight}
	var at [len(ranks)]int
	var sum float64
	next, last := 0, 0
	for i, to := x.span(y); i < to && next < len(ranks); i++ {
		n := x.counts[i]*fx + y.counts[i]*fy
		if n == 0 {
			continue
		}
		sum, last = sum+n, i
		for ; next < len(ranks) && sum >= ranks[next]; next++ {
			at[next] = i
		}
	}
	for ; next < len(ranks); next++ { // the sum of the counts is the weight but for rounding
		at[next] = last
	}
	s.P50, s.P90, s.P99 = centre(at[0]), centre(at[1]), centre(at[2])
	return s
}
