package signal

import (
	"math"
	"time"
)

// Bounds of a latency, of a load and of a cooldown, here and on the wire. What lies outside is moved to the bound.
const (
	minLatency  = time.Millisecond
	maxLatency  = time.Hour
	maxInflight = math.MaxUint32
	maxCooldown = 24 * time.Hour
)

func seconds(d time.Duration) float64 { return min(max(d, minLatency), maxLatency).Seconds() }

func requests(load int) int { return min(max(load, 0), maxInflight) }

// Succeed records an answer that took elapsed, to a request that met that load when it began.
func (b *Board) Succeed(k Key, c Class, elapsed time.Duration, load int, now time.Time) {
	r := b.row(k)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.success(c, seconds(elapsed), requests(load), now)
	r.spreadLocked(b.wants(k), c, seconds(elapsed), now)
	r.staleLocked()
}

// Fail records a failure after elapsed. A failure never makes a target look fast: its time counts as a
// latency only where it is longer than the target's estimate, as that of a timeout is.
func (b *Board) Fail(k Key, c Class, elapsed time.Duration, load int, now time.Time) {
	var bound float64
	if e := b.Estimate(k, c, now); e.Measured && seconds(elapsed) > e.Latency {
		bound = seconds(elapsed)
	}
	r := b.row(k)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record.failure(c, bound, requests(load), now)
	if bound > 0 {
		r.spreadLocked(b.wants(k), c, bound, now)
	}
	r.staleLocked()
}

// Cool sets the key aside until then. A cooldown that ends later stays.
func (b *Board) Cool(k Key, until, now time.Time) {
	if limit := now.Add(maxCooldown); until.After(limit) {
		until = limit
	}
	r := b.row(k)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cool = later(r.cool, until)
}

// Warm ends this node's cooldown; those of the peers stay.
func (b *Board) Warm(k Key) {
	r := b.row(k)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cool = time.Time{}
}

// Cooling returns how long the key is still set aside by this node or a peer; zero if it is not.
func (b *Board) Cooling(k Key, now time.Time) time.Duration {
	var until time.Time
	if f := b.fold(k); f != nil {
		until = f.cool
	}
	if r := b.shard(k).find(k); r != nil {
		r.mu.Lock()
		until = later(until, r.cool)
		r.mu.Unlock()
	}
	return remaining(until, now)
}

func remaining(until, now time.Time) time.Duration {
	if until.IsZero() {
		return 0
	}
	return max(until.Sub(now), 0)
}
