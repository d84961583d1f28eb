package share

import (
	"math/rand/v2"
	"time"
)

const (
	// The bounds of the interval between two regular writes, SIGNALS.md §6.8 (I). A longer one would cost latency
	// more than it spares etcd.
	minInterval = time.Second
	maxInterval = 5 * time.Second

	// flatEvents bounds what etcd delivers a second while everyone follows everyone: N²/I, SIGNALS.md §5.3.
	flatEvents = 20_000
	// treeWrites bounds what etcd takes in a second in a cell with an aggregator: N/I, SIGNALS.md §5.3.
	treeWrites = 2_000
	// cellBytes is what a cell may write a second, SIGNALS.md §6.6: the history of ten minutes, which is what five
	// minutes of retention can come to, is then a seventh of etcd's quota.
	cellBytes = 500_000

	// rootBytes is what etcd may deliver of roots a second: about what it delivers in the largest flat cell.
	rootBytes = 30e6

	// urgentGap keeps a burst of cooldowns from becoming a burst of writes, SIGNALS.md §6.5.
	urgentGap = 200 * time.Millisecond
	// foldEvery is how often what the peers wrote is folded into the board, SIGNALS.md §6.8.
	foldEvery = 250 * time.Millisecond
)

// interval returns how often each of n nodes writes a value of size bytes.
func (m Mode) interval(n int, size int64) time.Duration {
	wanted := float64(n) * float64(n) / flatEvents
	if m == Tree {
		wanted = float64(n) / treeWrites
	}
	wanted = max(wanted, float64(n)*float64(size)/cellBytes)
	return min(max(time.Duration(wanted*float64(time.Second)), minInterval), maxInterval)
}

// rootInterval returns how often the aggregator of n nodes writes a root of size bytes, which etcd delivers to each
// of them.
func rootInterval(n int, size int64) time.Duration {
	delivered := time.Duration(float64(n) * float64(size) / rootBytes * float64(time.Second))
	return min(max(Tree.interval(n, size/int64(max(n, 1))), delivered), maxInterval)
}

// jittered returns d ± 10 %, so that a fleet that was started together does not write together.
func jittered(d time.Duration) time.Duration { return d - d/10 + rand.N(d/5) }

// Lag returns by how much at most this node hears late of what the others have in flight: an interval with its
// jitter, and one of the aggregator's where there is one; not at all if there are no others.
func (s *Sharer) Lag() time.Duration { return time.Duration(s.lag.Load()) }

// noteLag works the lag out, once an interval: requests ask for it.
func (s *Sharer) noteLag() {
	every := s.Interval()
	switch {
	case s.view.mode() == Tree:
		every += rootInterval(s.Live(), 0)
	case s.Live() <= 1:
		every = 0
	}
	s.lag.Store(int64(every + every/10))
}

// Interval returns how often this node writes its signals, jitter aside. It grows with the cell, with the size of
// the value, and when etcd fills up.
func (s *Sharer) Interval() time.Duration {
	return s.view.mode().interval(s.Live(), s.size.Load()) * s.fuse.state().slowdown()
}
