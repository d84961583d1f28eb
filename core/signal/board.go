package signal

import (
	"maps"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Board holds one node's own live measurements and the folded table of its peers'.
type Board struct {
	boot   uint64 // tells this process from any other, whatever the nodes are called
	shards [64]shard
	folded atomic.Pointer[table]

	fleet sync.Mutex
	peers map[uint64]*member // by boot
	names map[string]uint64  // the boot that a node's key last held
	root  root               // instead of peers, in a large fleet

	wanted atomic.Pointer[map[Key]Detail]
	speaks atomic.Uint32 // the version of what is written
	wire   publication
}

// shard holds the rows of some keys; its map is replaced, never changed.
type shard struct {
	mu   sync.Mutex
	rows atomic.Pointer[map[Key]*row]
}

// row is this node's own state of one key.
type row struct {
	inflight atomic.Int64 // negative: the row is forgotten and must not be used
	claimed  atomic.Bool

	mu      sync.Mutex
	record  record
	cool    time.Time // end of this node's cooldown
	sent    sent
	waiting [classes]waiting
	cached  [classes]cached
	quota   quota
	detail  *detail // nil: none is wanted, or there was no sample
	spreads [classes]cachedSpread
}

// forgotten is what the in-flight count of a forgotten row is near.
const forgotten = math.MinInt64 / 2

// NewBoard returns an empty board.
func NewBoard() *Board {
	b := &Board{boot: rand.Uint64(), peers: map[uint64]*member{}, names: map[string]uint64{}}
	b.speaks.Store(version)
	return b
}

func (b *Board) shard(k Key) *shard { return &b.shards[k%Key(len(b.shards))] }

// find returns the row of k, or nil.
func (s *shard) find(k Key) *row {
	if m := s.rows.Load(); m != nil {
		return (*m)[k]
	}
	return nil
}

// row returns the row of k and makes it on first use.
func (b *Board) row(k Key) *row {
	s := b.shard(k)
	if r := s.find(k); r != nil {
		return r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.find(k); r != nil {
		return r
	}
	next := map[Key]*row{}
	if m := s.rows.Load(); m != nil {
		next = maps.Clone(*m)
	}
	next[k] = &row{}
	s.rows.Store(&next)
	return next[k]
}

// Begin counts a request of this node in flight and returns the load that it meets: how many the fleet had in
// flight just before. Each Begin is followed by exactly one Done.
func (b *Board) Begin(k Key) (load int) {
	for {
		r := b.row(k)
		if n := r.inflight.Add(1); n > forgotten/2 {
			load = int(n - 1)
			break
		}
		r.inflight.Add(-1)
	}
	if f := b.fold(k); f != nil {
		load += f.inflight
	}
	return load
}

// Done ends what Begin began.
func (b *Board) Done(k Key) {
	if r := b.shard(k).find(k); r != nil {
		r.inflight.Add(-1)
	}
}

// Claim takes the key's one probe slot on this node and reports whether it was free. Who has it returns it
// with Release, after the outcome of the attempt is recorded.
func (b *Board) Claim(k Key) bool { return b.row(k).claimed.CompareAndSwap(false, true) }

// Claimed reports whether the key's probe slot is taken on this node.
func (b *Board) Claimed(k Key) bool {
	r := b.shard(k).find(k)
	return r != nil && r.claimed.Load()
}

// Release frees the probe slot.
func (b *Board) Release(k Key) {
	if r := b.shard(k).find(k); r != nil {
		r.claimed.Store(false)
	}
}

// each calls f for every row of the board.
func (b *Board) each(f func(Key, *row)) {
	for i := range b.shards {
		if m := b.shards[i].rows.Load(); m != nil {
			for k, r := range *m {
				f(k, r)
			}
		}
	}
}

// Forget drops this node's measurements and cooldowns of every key that keep does not hold. What is in flight, waits
// or holds the probe slot stays counted, and such a key goes altogether at a later call.
func (b *Board) Forget(keep func(Key) bool) {
	for i := range b.shards {
		if b.shards[i].forget(keep) {
			b.wire.stale.Store(true)
		}
	}
}

// forget reports whether something was dropped that the peers may have been told of.
func (s *shard) forget(keep func(Key) bool) (dropped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.rows.Load()
	if m == nil {
		return false
	}
	next := make(map[Key]*row, len(*m))
	for k, r := range *m {
		switch {
		case keep(k):
			next[k] = r
			continue
		case r.claimed.Load() || !r.inflight.CompareAndSwap(0, forgotten):
			next[k] = r
			r.clear()
		}
		dropped = true
	}
	s.rows.Store(&next)
	return dropped
}

// clear drops what was measured.
func (r *row) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record, r.cool, r.quota, r.detail, r.spreads = record{}, time.Time{}, quota{}, nil, [classes]cachedSpread{}
	r.staleLocked()
}
