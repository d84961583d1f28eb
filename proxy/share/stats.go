package share

import (
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

// Stats says what sharing did and how it stands.
type Stats struct {
	// Puts are the values written, Skips those that were not because nothing moved, Withheld those that were not
	// because etcd is too full, PutFailures those that etcd did not take.
	Puts, Skips, Withheld, PutFailures int64
	// PutBytes is the size of all values written.
	PutBytes int64
	// PutLatency is how long each took.
	PutLatency Histogram
	// PeerValues are the values received, in PeerBytes; PeerRejects those that could not be read; EntryRejects
	// the targets left out of others because they broke the bounds.
	PeerValues, PeerBytes, PeerRejects, EntryRejects int64
	// RootPuts are the roots that this node wrote as the aggregator, in RootBytes; RootFailures those that etcd did
	// not take.
	RootPuts, RootBytes, RootFailures int64
	// Aggregator is the node that is the cell's aggregator, "" without one; Aggregating: it is this one.
	Aggregator  string
	Aggregating bool
	// Live is how many nodes publish in the cell, this one included; Ghosts how many are gone whose samples count.
	// By way of an aggregator nobody but that one knows of ghosts.
	Live, Ghosts int
	Mode         Mode
	// Interval is the time between two regular writes of this node.
	Interval time.Duration
	// ViewAge is how long ago what is known of the others was known to be up to date. Degraded: that is longer than
	// three intervals and a lease.
	ViewAge  time.Duration
	Degraded bool
	Fuse     Fuse
	// Space is how full etcd is, as far as it has told.
	Space store.Space
	// Uncompacted: etcd holds a history of more than 30 minutes.
	Uncompacted bool
}

// latencyBounds are the upper bounds of the buckets of a Histogram.
var latencyBounds = [...]time.Duration{
	2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond,
}

// Histogram counts durations.
type Histogram struct {
	Count uint64
	Sum   time.Duration
	// Buckets count those of at most the key in seconds.
	Buckets map[float64]uint64
}

// counters are read at any time.
type counters struct {
	skips, withheld, putFailures                     atomic.Int64
	puts, putBytes, putNanos                         atomic.Int64
	putBuckets                                       [len(latencyBounds)]atomic.Int64
	peerValues, peerBytes, peerRejects, entryRejects atomic.Int64
	rootPuts, rootBytes, rootFailures                atomic.Int64
	aggregating                                      atomic.Bool
}

func (c *counters) put(size int, took time.Duration) {
	c.puts.Add(1)
	c.putBytes.Add(int64(size))
	c.putNanos.Add(int64(took))
	for i, bound := range latencyBounds {
		if took <= bound {
			c.putBuckets[i].Add(1)
		}
	}
}

func (c *counters) root(size int) {
	c.rootPuts.Add(1)
	c.rootBytes.Add(int64(size))
}

func (c *counters) latency() Histogram {
	h := Histogram{Sum: time.Duration(c.putNanos.Load()), Buckets: make(map[float64]uint64, len(latencyBounds))}
	for i, bound := range latencyBounds {
		h.Buckets[bound.Seconds()] = uint64(c.putBuckets[i].Load())
	}
	h.Count = uint64(c.puts.Load()) // last, so that no bucket holds more
	return h
}

// Stats returns the counts so far, and how things stand now.
func (s *Sharer) Stats() Stats {
	c, now := &s.count, time.Now()
	st := Stats{
		Puts: c.puts.Load(), Skips: c.skips.Load(), Withheld: c.withheld.Load(), PutFailures: c.putFailures.Load(),
		PutBytes: c.putBytes.Load(), PutLatency: c.latency(),
		PeerValues: c.peerValues.Load(), PeerBytes: c.peerBytes.Load(), PeerRejects: c.peerRejects.Load(), EntryRejects: c.entryRejects.Load(),
		RootPuts: c.rootPuts.Load(), RootBytes: c.rootBytes.Load(), RootFailures: c.rootFailures.Load(),
		Aggregating: c.aggregating.Load(), Live: s.Live(), Ghosts: s.board.Ghosts(now), Interval: s.Interval(),
		Fuse: s.fuse.state(), Uncompacted: s.history.isOld(),
	}
	s.view.look(func() { st.Mode, st.Aggregator = s.view.in, s.view.aggregator })
	if space := s.fuse.space.Load(); space != nil {
		st.Space = *space
	}
	st.ViewAge = max(now.Sub(*s.view.current.Load()), 0)
	st.Degraded = st.ViewAge > 3*st.Interval+s.cfg.TTL
	return st
}
