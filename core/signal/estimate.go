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
	// Recent is the mean of the last seconds' samples, in seconds, and RecentWeight how many that are; zero without any.
	Recent, RecentWeight float64
	// Failures is the share of attempts that fail, drawn to zero by PriorSuccesses.
	Failures float64
	// Attempts is the decayed count of attempts (half-life 10 s).
	Attempts float64
	// Load is the mean number of requests that the fleet had in flight when recent attempts began (half-life 10 s).
	Load float64
	// Elasticity is d ln latency / d ln load over the last minutes: about zero where latency does not depend on
	// load, one where it grows with it. ElasticityError is its standard error, infinite while too little is known.
	Elasticity, ElasticityError float64
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
	// Borrowed: for want of samples of this class the latencies are those of the other one.
	Borrowed bool
}

// Estimate returns what this node and its peers know of k at now. A class without samples borrows the
// latency of the other. What was sampled counts at once, and decay alone is seen within the life of a cached
// estimate.
func (b *Board) Estimate(k Key, c Class, now time.Time) (e Estimate) {
	b.Read(&e, k, c, now)
	return e
}

// Read is Estimate into the caller's memory: an Estimate is large, and a ranking reads many.
func (b *Board) Read(e *Estimate, k Key, c Class, now time.Time) {
	t, r := b.folded.Load(), b.shard(k).find(k)
	if r == nil {
		if t.find(k) == nil {
			*e = unknown
			return
		}
		r = b.row(k) // only a row keeps an estimate
	}
	r.mu.Lock()
	x, passed := r.cachedLocked(t, k, c, now)
	*e = x.estimate
	cool, f := r.cool, x.fold
	r.mu.Unlock()
	if e.SinceSample != Never {
		e.SinceSample += passed
	}
	e.Inflight = int(max(r.inflight.Load(), 0))
	if f != nil {
		e.Inflight += f.inflight
		cool = later(cool, f.cool)
	}
	e.Cooling = remaining(cool, now)
}

// unknown is the estimate of a key of which nobody has said anything.
var unknown = (&record{}).estimate(TTFT)

// cacheFor is how long an estimate that only decays is not computed anew: a hundredth of the fast rung's weight.
const cacheFor = 50 * time.Millisecond

// cached is an estimate of a row and its fold, without what changes from request to request.
type cached struct {
	estimate Estimate
	at       time.Time // zero: stale
	edition  uint64    // of the table that fold is from: to keep the table would keep every other key's fold alive
	fold     *fold     // nil: none
}

// staleLocked makes the next estimates be computed.
func (r *row) staleLocked() { r.cached[TTFT].at, r.cached[Total].at = time.Time{}, time.Time{} }

// cachedLocked returns the estimate that is at hand and its age, computed anew when it has to be.
func (r *row) cachedLocked(t *table, k Key, c Class, now time.Time) (x *cached, passed time.Duration) {
	x = &r.cached[c]
	if passed = now.Sub(x.at); x.edition == t.edition() && passed >= 0 && passed < cacheFor {
		return x, passed
	}
	f := t.find(k)
	m := r.mergedLocked(f, now)
	*x = cached{estimate: m.estimate(c), at: now, edition: t.edition(), fold: f}
	if r.overdueLocked(&m, c, x.estimate.Latency, now) {
		x.estimate = m.estimate(c)
	}
	return x, 0
}

// mergedLocked is the row's own record and its fold, aged to now.
func (r *row) mergedLocked(f *fold, now time.Time) record {
	m := record{at: now}
	m.gather(&r.record, now)
	if f != nil {
		m.gather(&f.record, now)
	}
	return m
}

// estimate reads a record as of its moment, without cooldown and requests in flight.
func (r *record) estimate(c Class) Estimate {
	var e Estimate
	e.read(r, c)
	return e
}

func (e *Estimate) read(m *record, c Class) {
	own, other := &m.class[c], &m.class[c.other()]
	e.SinceSample = latest(own.okay, own.failed).since()
	if e.SinceSample == Never {
		e.SinceSample = latest(other.okay, other.failed).since()
	}
	okay, failed := m.okay(), m.failed()
	e.Measured = okay.within(memory)
	e.Tried = e.Measured || failed.within(memory)
	e.Failing = e.Tried && failed.since() < okay.since() && !okay.within(patience)
	e.Attempts, e.Failures, e.Load = m.attempts, m.failureRate(), m.load()
	x := own
	if own.sums[2].w < faint && other.sums[2].w > own.sums[2].w {
		x, e.Borrowed = other, true
	}
	e.Latency, e.Weight = x.sums.latency()
	e.Recent, e.RecentWeight = x.sums.recent()
	for i := range x.sums {
		e.Rungs[i] = x.sums[i].mean()
	}
	e.Elasticity, e.ElasticityError = x.fit.slope()
}

// Keys returns, sorted, every key that was tried, is in flight or cools, here or at a peer.
func (b *Board) Keys(now time.Time) []Key {
	var all []Key
	b.each(func(k Key, _ *row) { all = append(all, k) })
	if t := b.folded.Load(); t != nil {
		for k := range t.folds {
			all = append(all, k)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(k Key) bool { return !b.known(k, now) })
}

// known makes no row, unlike Estimate: peers may know keys that this node will never ask for.
func (b *Board) known(k Key, now time.Time) bool {
	f, r := b.fold(k), b.shard(k).find(k)
	if f != nil && (f.inflight > 0 || f.cool.After(now) || f.record.tried(now)) {
		return true
	}
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inflight.Load() > 0 || r.cool.After(now) || r.record.tried(now)
}

// tried reports whether there was an attempt within the memory.
func (r *record) tried(now time.Time) bool {
	return r.latest().plus(max(now.Sub(r.at), 0)).within(memory)
}
