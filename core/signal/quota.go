package signal

import (
	"math"
	"time"
)

const (
	// quotaMemory is how long after an upstream's last word on its limits they count as known: some minutes, since limits
	// are by the minute as a rule.
	quotaMemory = 10 * time.Minute
	// maxReset bounds the time until a limit is full again: the longest are by the day.
	maxReset = 24 * time.Hour
	// quotaMoves is by how much the remaining share has to change to be worth a write of its own.
	quotaMoves = 0.05

	quotas = 2 // of requests and of tokens
)

// Quota is what an upstream says of its rate limits. The zero Quota says that all of them are untouched.
type Quota struct{ Requests, Tokens Limit }

// Limit is one rate limit of an upstream.
type Limit struct {
	// Used is the share of it that is used up, 0 to 1.
	Used float64
	// Reset is the time until all of it is there again, at most a day.
	Reset time.Duration
}

// quota is what was said at one moment, which never changes.
type quota struct {
	at     time.Time // zero: nothing was said
	limits [quotas]limit
}

type limit struct {
	used  float64
	reset time.Time
}

// Limited records what an answer of k said of the upstream's rate limits. What was said later holds.
func (b *Board) Limited(k Key, q Quota, now time.Time) {
	r := b.row(k)
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Before(r.quota.at) {
		return
	}
	r.quota = quota{at: now}
	for i, l := range [quotas]Limit{q.Requests, q.Tokens} {
		if l.Used > 0 { // false for NaN
			r.quota.limits[i] = limit{min(l.Used, 1), now.Add(min(max(l.Reset, 0), maxReset))}
		}
	}
}

// Quota returns the share, 0 to 1, that remains of the rate limit of k's upstream that is used up most, as whoever heard
// of it last says. A limit whose reset has passed counts as full. It is not known if nothing was heard for ten
// minutes and no reset is awaited.
func (b *Board) Quota(k Key, now time.Time) (remaining float64, known bool) {
	var last quota
	if f := b.fold(k); f != nil && f.quota != nil {
		last = *f.quota
	}
	if r := b.shard(k).find(k); r != nil {
		r.mu.Lock()
		if r.quota.newer(&last) {
			last = r.quota
		}
		r.mu.Unlock()
	}
	return last.remaining(now), last.known(now)
}

// newer reports whether this was said later than the other, or at the same moment and leaves less.
func (q *quota) newer(than *quota) bool {
	return than == nil || q.at.After(than.at) || (q.at.Equal(than.at) && q.remaining(q.at) < than.remaining(q.at))
}

func (q *quota) known(now time.Time) bool {
	if q == nil || q.at.IsZero() {
		return false
	}
	for _, l := range q.limits {
		if l.reset.After(now) {
			return true
		}
	}
	return now.Sub(q.at) <= quotaMemory
}

func (q *quota) remaining(now time.Time) float64 {
	left := 1.0
	for i := range q.limits {
		left = min(left, 1-q.limits[i].at(now))
	}
	return left
}

// at returns the share that is used up at now.
func (l *limit) at(now time.Time) float64 {
	if !l.reset.After(now) {
		return 0
	}
	return l.used
}

// movedFrom reports whether the peers should hear of it without waiting for other news.
func (q *quota) movedFrom(was *quota, now time.Time) bool {
	return q.known(now) != was.known(now) || math.Abs(q.remaining(now)-was.remaining(now)) > quotaMoves
}

// told returns a copy to be told to the peers; nil: nothing is known.
func (q *quota) told(now time.Time) *quota {
	if !q.known(now) {
		return nil
	}
	said := *q
	return &said
}
