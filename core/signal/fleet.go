package signal

import (
	"maps"
	"slices"
	"time"
)

// ghostLife is how long the sums of a node that is gone stay: three half-lives of the slow rung.
const ghostLife = 3 * slow

// member is one process of the fleet. It is a ghost from the moment gone, which is zero while it lives.
type member struct {
	peer *Peer
	gone time.Time
}

// table is what all peers say together. It never changes.
type table struct {
	number uint64 // of the Fold that built it, from 1 on
	folds  map[Key]*fold
}

type fold struct {
	record   record
	inflight int
	cool     time.Time
	detail   *detail // nil: none
	quota    *quota  // nil: nothing is known
}

func (t *table) find(k Key) *fold {
	if t == nil {
		return nil
	}
	return t.folds[k]
}

// edition tells one table from another; zero: there is none.
func (t *table) edition() uint64 {
	if t == nil {
		return 0
	}
	return t.number
}

func (b *Board) fold(k Key) *fold { return b.folded.Load().find(k) }

// SetPeer takes in what a node has published. A value that is not newer than the one at hand changes
// nothing, nor does this board's own. It shows after the next Fold.
func (b *Board) SetPeer(node string, p *Peer) {
	b.fleet.Lock()
	defer b.fleet.Unlock()
	b.setLocked(node, p)
}

func (b *Board) setLocked(node string, p *Peer) {
	if before, named := b.names[node]; named && before != p.boot {
		b.goneLocked(node, p.received) // the node has restarted under its old name
	}
	if p.boot == b.boot {
		return
	}
	b.names[node] = p.boot
	m := b.peers[p.boot]
	if m == nil {
		m = &member{peer: p}
		b.peers[p.boot] = m
	}
	m.gone = time.Time{}
	if p.sequence > m.peer.sequence {
		m.peer = p
	}
}

// Gone takes a node out: its requests in flight and its cooldowns vanish, its sums stay and age out.
func (b *Board) Gone(node string, now time.Time) {
	b.fleet.Lock()
	defer b.fleet.Unlock()
	b.goneLocked(node, now)
}

func (b *Board) goneLocked(node string, now time.Time) {
	boot, named := b.names[node]
	if !named {
		return
	}
	delete(b.names, node)
	if m := b.peers[boot]; m != nil && m.gone.IsZero() { // two names may have claimed one boot
		m.gone = now
	}
}

// Reset takes in the whole fleet: a node that is not in it is gone.
func (b *Board) Reset(fleet map[string]*Peer, now time.Time) {
	b.fleet.Lock()
	defer b.fleet.Unlock()
	b.root = root{}
	for node := range b.names {
		if _, lives := fleet[node]; !lives {
			b.goneLocked(node, now)
		}
	}
	for node, p := range fleet {
		b.setLocked(node, p)
	}
}

// Fold builds the table of what all peers say together, as of now, and drops ghosts whose time is over.
func (b *Board) Fold(now time.Time) {
	b.fleet.Lock()
	defer b.fleet.Unlock()
	t := &table{number: b.folded.Load().edition() + 1, folds: map[Key]*fold{}}
	for _, boot := range slices.Sorted(maps.Keys(b.peers)) {
		m := b.peers[boot]
		if !m.gone.IsZero() && now.Sub(m.gone) > ghostLife {
			delete(b.peers, boot)
			continue
		}
		t.take(m, now)
	}
	t.takeRoot(b.root, now)
	b.folded.Store(t)
	b.speakLocked()
}

// speakLocked chooses the version of what is written: the newest that all who live read.
func (b *Board) speakLocked() {
	all := byte(version)
	for _, m := range b.peers {
		if m.gone.IsZero() {
			all = min(all, m.peer.reads)
		}
	}
	if b.root.all != nil {
		all = min(all, b.root.all.reads)
	}
	if b.speaks.Swap(uint32(all)) != uint32(all) {
		b.wire.stale.Store(true)
	}
}

func (t *table) take(m *member, now time.Time) {
	left := decay(now.Sub(m.peer.received))[rungs-1]
	for i := range m.peer.entries {
		e := &m.peer.entries[i]
		into := t.folds[e.key]
		if into == nil {
			into = &fold{record: record{at: now}}
			t.folds[e.key] = into
		}
		into.record.gather(&e.record, now)
		into.detailed(e, left, now)
		if m.gone.IsZero() {
			into.inflight += e.inflight
			into.cool = later(into.cool, e.cool)
		}
	}
}

// detailed adds what goes beyond the record of an entry, decayed to what is left of it.
func (f *fold) detailed(e *entry, left float64, now time.Time) {
	if e.parts != nil {
		if f.detail == nil {
			f.detail = &detail{at: now}
		}
		f.detail.gather(e.parts, left)
	}
	if e.quota != nil && e.quota.newer(f.quota) {
		f.quota = e.quota
	}
}

// Ghosts returns how many nodes are gone whose sums still count.
func (b *Board) Ghosts(now time.Time) (n int) {
	b.fleet.Lock()
	defer b.fleet.Unlock()
	for _, m := range b.peers {
		if !m.gone.IsZero() && now.Sub(m.gone) <= ghostLife {
			n++
		}
	}
	return n
}
