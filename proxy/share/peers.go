package share

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

// peers is who publishes signals in the cell. The set is owned by follow; live is its published copy.
type peers struct {
	self string
	set  map[string]bool
	live atomic.Pointer[[]string]
	// listed: the first list of the cell has come. Until then this node sees only itself.
	listed atomic.Bool
}

func newPeers(self string) *peers {
	p := &peers{self: self, set: map[string]bool{}}
	p.live.Store(&[]string{self})
	return p
}

func (p *peers) publish() {
	live := append(slices.Collect(maps.Keys(p.set)), p.self)
	slices.Sort(live)
	live = slices.Compact(live)
	p.live.Store(&live)
}

// follow feeds the signals of the other nodes to the board until ctx ends.
func (s *Sharer) follow(ctx context.Context) error {
	return s.store.WatchSignals(ctx, s.cfg.Cell, store.SignalsWatcher{Reset: s.reset, Put: s.heard, Gone: s.gone})
}

func (s *Sharer) reset(values map[string][]byte) {
	now := time.Now()
	decoded := make(map[string]*signal.Peer, len(values))
	clear(s.peers.set)
	for node, value := range values {
		s.peers.set[node] = true // this node's own key too: what it measured before a restart is as good as anyone's
		if p := s.decode(node, value, now); p != nil {
			decoded[node] = p
		}
	}
	s.board.Reset(decoded, now)
	s.board.Fold(now)
	s.peers.publish()
	s.peers.listed.Store(true)
}

func (s *Sharer) heard(node string, value []byte) {
	if p := s.decode(node, value, time.Now()); p != nil {
		s.board.SetPeer(node, p)
	}
	if !s.peers.set[node] {
		s.peers.set[node] = true
		s.peers.publish()
	}
}

func (s *Sharer) gone(node string) {
	s.board.Gone(node, time.Now())
	delete(s.peers.set, node)
	s.peers.publish()
}

// decode counts what it cannot read and leaves the peer's last good value in place.
func (s *Sharer) decode(node string, value []byte, now time.Time) *signal.Peer {
	s.stats.PeerValues.Add(1)
	p, err := signal.Decode(value, now)
	if err != nil {
		s.stats.PeerRejects.Add(1)
		s.cfg.Logger.Warn("signals of a peer not understood", "node", node, "error", err)
		return nil
	}
	return p
}
