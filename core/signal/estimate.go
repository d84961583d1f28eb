package signal

import (
	"math"
	"slices"
	"time"
)

const (
	// Never is the SinceSample of a target without a sample.
	Never time.Duration = math.MaxInt64
	// memory is how long an attempt keeps a target from counting as unmeasured. It is longer than any weight
	// lasts, for that a target was tried matters longer than how fast it was.
	memory = time.Hour
	// patience is how long after its last answer a target whose latest attempt failed is not yet failing.
	patience = 30 * time.Second
	// faint is the weight at the slow rung below which a class borrows the other's samples.
	faint = 0.05
)

// Estimate is what the fleet knows of one key, for requests of one class.
type Estimate struct {
	// Latency is the decayed mean in seconds, before any prior; zero without samples.
	Latency float64
	// Rungs are the means at the half-lives 3, 10 and 60 s.
	Rungs [3]float64
	// Weight is how many samples Latency is worth.
	Weight float64
	// Failures is the share of attempts that fail, drawn to zero by two prior successes.
	Failures float64
	// Attempts is the decayed count of attempts (half-life 10 s).
	Attempts float64
	// Inflight is how many requests the fleet has in flight.
	Inflight int
	// Cooling is how long the key is still set aside; zero if it is not.
	Cooling time.Duration
	// Measured: it has answered within the last hour. Tried: it was asked.
	Measured, Tried bool
	// Failing: the latest attempt failed and there was no answer in the 30 s before now.
	Failing bool
	// SinceSample is the time since the fleet's latest attempt, of this class if there was one, or Never.
	SinceSample time.Duration
	// Borrowed: no attempt was of this class, and Latency and SinceSample are those of the other one.
	Borrowed bool
}

// Estimate returns what this node and its peers know of k at now. A class without samples borrows the
// latency of the other.
func (b *Board) Estimate(k Key, c Class, now time.Time) Estimate {
	var m record
	var e Estimate
	var cool time.Time
	if r := b.shard(k).find(k); r != nil {
		e.Inflight = int(max(r.inflight.Load(), 0))
		r.mu.Lock()
		m.gather(&r.record, now)
		cool = r.cool
		r.mu.Unlock()
	}
	if f := b.fold(k); f != nil {
		e.Inflight += f.inflight
		cool = later(cool, f.cool)
		m.gather(&f.record, now)
	}
	e.Cooling = remaining(cool, now)
	e.read(&m, c)
	return e
}

func (e *Estimate) read(m *record, c Class) {
	e.SinceSample = latest(m.class[c].okay, m.class[c].failed).since()
	if e.SinceSample == Never {
		e.SinceSample = latest(m.class[c.other()].okay, m.class[c.other()].failed).since()
		e.Borrowed = e.SinceSample != Never
	}
	okay, failed := m.okay(), m.failed()
	e.Measured = okay.within(memory)
	e.Tried = e.Measured || failed.within(memory)
	e.Failing = e.Tried && failed.since() < okay.since() && !okay.within(patience)
	e.Attempts = m.attempts
	e.Failures = m.failureRate()
	x := &m.class[c].sums
	if y := &m.class[c.other()].sums; x[2].w < faint && y[2].w > x[2].w {
		x = y
	}
	e.Latency, e.Weight = x.latency()
	for i := range x {
		e.Rungs[i] = x[i].mean()
	}
}

// Keys returns, sorted, every key that was tried, is in flight or cools, here or at a peer.
func (b *Board) Keys(now time.Time) []Key {
	var all []Key
	b.each(func(k Key, _ *row) { all = append(all, k) })
	if t := b.folded.Load(); t != nil {
		for k := range *t {
			all = append(all, k)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(k Key) bool {
		e := b.Estimate(k, TTFT, now)
		return !e.Tried && e.Inflight == 0 && e.Cooling == 0
	})
}
