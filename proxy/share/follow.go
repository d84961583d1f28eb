package share

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

// follow keeps the view true until ctx ends: by the root's keys always, and by every member's while the cell has no
// aggregator or could do without.
func (s *Sharer) follow(ctx context.Context) error {
	for {
		session, end := context.WithCancel(ctx)
		s.view.begin(end)
		g, within := errgroup.WithContext(session)
		g.Go(func() error { return s.store.WatchRoot(within, s.cfg.Cell, s.rootWatcher()) })
		g.Go(func() error { return s.countMembers(within) })
		g.Go(func() error { return s.followMembers(within) })
		g.Go(func() error { return s.aggregate(within) })
		err := g.Wait()
		again := ctx.Err() == nil && session.Err() != nil
		end()
		if !again {
			return err
		}
	}
}

func (s *Sharer) rootWatcher() store.RootWatcher {
	v := s.view
	return store.RootWatcher{
		Aggregator: func(node string) { v.set(func() { v.aggregator = node }) },
		Live:       func(nodes []string) { v.set(func() { v.roster = nodes }) },
		Root:       func(r store.Root) { s.heardRoot(r, time.Now()) },
		Progress: func(int64) {
			v.firstRooted()
			v.upToDate(Tree, time.Now())
		},
	}
}

func (s *Sharer) heardRoot(r store.Root, now time.Time) {
	all := s.decode("root", r.Value, now)
	if all == nil {
		s.view.set(func() { s.view.unread = true })
		return
	}
	var own *signal.Peer
	if w, ok := s.written.upTo(r.Processed); ok {
		own, _ = signal.Decode(w.value, w.at) // this node's own: it can be read
	}
	s.view.heardRoot(all, own)
}

// countMembers finds out whether the cell is so large that its members must not be followed.
func (s *Sharer) countMembers(ctx context.Context) error {
	for {
		n, err := s.store.CountSignals(ctx, s.cfg.Cell)
		if err == nil {
			s.view.set(func() { s.view.counted, s.view.sized = n, true })
			return nil
		}
		if err := pause(ctx, jittered(minInterval)); err != nil {
			return err
		}
	}
}

func (s *Sharer) followMembers(ctx context.Context) error {
	v := s.view
	for {
		if err := v.await(ctx, v.wantsMembers); err != nil {
			return err
		}
		g, within := errgroup.WithContext(ctx)
		within, end := context.WithCancel(within)
		g.Go(func() error { return s.store.WatchSignals(within, s.cfg.Cell, s.membersWatcher()) })
		g.Go(func() error {
			defer end()
			return v.await(within, func() bool { return !v.wantsMembers() })
		})
		err := g.Wait()
		end()
		if ctx.Err() != nil || !errors.Is(err, context.Canceled) {
			return err
		}
	}
}

func (s *Sharer) membersWatcher() store.SignalsWatcher {
	return store.SignalsWatcher{
		Reset:    func(values map[string][]byte) { s.listed(values, time.Now()) },
		Put:      func(node string, value []byte) { s.view.heardMember(node, s.decode(node, value, time.Now())) },
		Gone:     func(node string) { s.lost(node, time.Now()) },
		Progress: func(int64) { s.view.upToDate(Flat, time.Now()) },
	}
}

func (s *Sharer) listed(values map[string][]byte, now time.Time) {
	peers, nodes := make(map[string]*signal.Peer, len(values)), make([]string, 0, len(values))
	for node, value := range values {
		nodes = append(nodes, node)
		if p := s.decode(node, value, now); p != nil {
			peers[node] = p
		}
	}
	s.view.listedMembers(peers, nodes, now)
}

func (s *Sharer) lost(node string, now time.Time) {
	s.unread.forget(node)
	s.view.lostMember(node, now)
}

// decode counts what it cannot read, says so once for each writer, and leaves the last good value in place.
func (s *Sharer) decode(from string, value []byte, now time.Time) *signal.Peer {
	s.count.peerValues.Add(1)
	s.count.peerBytes.Add(int64(len(value)))
	p, err := signal.Decode(value, now)
	if err != nil {
		s.count.peerRejects.Add(1)
		if s.unread.first(from) {
			s.cfg.Logger.Warn("signals not understood", "from", from, "error", err)
		}
		return nil
	}
	s.count.entryRejects.Add(int64(p.Rejected))
	s.unread.forget(from)
	return p
}

// fold builds the board's table of what the others say, until ctx ends.
func (s *Sharer) fold(ctx context.Context) error {
	tick := time.NewTicker(foldEvery)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now := time.Now()
		if s.slept(now.Sub(last), now.Round(0).Sub(last.Round(0))) {
			s.cfg.Logger.Warn("this process was suspended: what was measured before is dropped")
			s.view.drop()
		} else {
			s.view.fold(now)
		}
		last = now
	}
}

// slept reports whether a tick is so late that no age can be trusted any more: the monotonic clock, by which values
// age, stands still while a machine sleeps, and the wall clock does not.
func (s *Sharer) slept(monotonic, wall time.Duration) bool {
	return max(monotonic, wall) > foldEvery+2*s.cfg.TTL
}
