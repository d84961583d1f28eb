package share

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

const (
	// claimSpread keeps the nodes of a large cell from claiming it all at once.
	claimSpread = time.Second
	// linger is how long an aggregator goes on in a cell that has become small: the others need its root until they
	// have listed the members.
	linger = 30 * time.Second
)

var (
	errClaimLost = errors.New("another node is the aggregator, or none")
	errSmall     = errors.New("the cell is small again")
	errNoRoot    = errors.New("no root could be written")
)

// aggregate claims a large cell that has no aggregator, and serves it while it holds the claim.
func (s *Sharer) aggregate(ctx context.Context) error {
	for {
		if err := s.view.await(ctx, s.view.vacant); err != nil {
			return err
		}
		if err := pause(ctx, rand.N(claimSpread)); err != nil {
			return err
		}
		if !s.claim(ctx) {
			continue
		}
		s.cfg.Logger.Info("aggregating the signals of the cell", "nodes", s.Live())
		s.count.aggregating.Store(true)
		err := newGathering(s).run(ctx)
		s.count.aggregating.Store(false)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.cfg.Logger.Info("no longer aggregating the signals of the cell", "why", err)
		s.resign(ctx, err)
	}
}

func (s *Sharer) claim(ctx context.Context) bool {
	vacant := false
	s.view.look(func() { vacant = s.view.vacant() })
	if !vacant {
		return false
	}
	won, err := s.member.Claim(ctx)
	if err != nil {
		s.cfg.Logger.Debug("cell not claimed", "error", err)
	}
	return won
}

// resign gives up a claim that is not lost. A node that cannot write lets others try for a while.
func (s *Sharer) resign(ctx context.Context, why error) {
	if !errors.Is(why, errClaimLost) && !errors.Is(why, store.ErrNoLease) {
		if err := s.member.Resign(ctx); err != nil {
			s.cfg.Logger.Debug("not resigned", "error", err)
		}
	}
	if errors.Is(why, errNoRoot) {
		pause(ctx, jittered(2*s.cfg.TTL)) //nolint:errcheck // the caller looks at ctx
	}
}

// gathering is the work of an aggregator. Its board holds every member, this node's own value too, as of one
// revision: what it writes depends on nothing else, so that two aggregators do no harm.
type gathering struct {
	sharer *Sharer
	board  *signal.Board
	size   int64 // of the last root, bytes

	mu       sync.Mutex
	pending  []news
	members  map[string]bool
	revision int64 // up to which everything is in board
	fresh    bool  // something came since the last root
	rostered []string
}

// news is one change of a member since revision; peer is nil when it is gone or not understood.
type news struct {
	node string
	peer *signal.Peer
	gone bool
}

func newGathering(s *Sharer) *gathering {
	return &gathering{sharer: s, board: signal.NewBoard(), members: map[string]bool{}}
}

// run serves until the claim is lost or of no use, and returns why.
func (a *gathering) run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return a.sharer.store.WatchSignals(ctx, a.sharer.cfg.Cell, a.watcher()) })
	g.Go(func() error { return a.publish(ctx) })
	g.Go(func() error { return a.untilLost(ctx) })
	g.Go(func() error { return a.untilSmall(ctx) })
	return g.Wait()
}

// untilLost waits until the claim was seen and is not there any more.
func (a *gathering) untilLost(ctx context.Context) error {
	v := a.sharer.view
	for _, own := range []bool{true, false} {
		if err := v.await(ctx, func() bool { return (v.aggregator == v.cfg.Node) == own }); err != nil {
			return err
		}
	}
	return errClaimLost
}

// untilSmall waits until the cell has been small for a while.
func (a *gathering) untilSmall(ctx context.Context) error {
	v := a.sharer.view
	for {
		if err := v.await(ctx, func() bool { return !v.large }); err != nil {
			return err
		}
		within, end := context.WithTimeout(ctx, linger)
		err := v.await(within, func() bool { return v.large })
		end()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return errSmall
		}
	}
}

func (a *gathering) watcher() store.SignalsWatcher {
	note := func(n news) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.pending = append(a.pending, n)
	}
	return store.SignalsWatcher{
		Reset: func(values map[string][]byte) { a.reset(values, time.Now()) },
		Put: func(node string, value []byte) {
			note(news{node: node, peer: a.decode(node, value, time.Now())})
		},
		Gone:     func(node string) { note(news{node: node, gone: true}) },
		Progress: func(revision int64) { a.settle(revision, time.Now()) },
	}
}

func (a *gathering) decode(node string, value []byte, now time.Time) *signal.Peer {
	return a.sharer.decode(node, value, now)
}

func (a *gathering) reset(values map[string][]byte, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.members)
	a.pending = nil
	peers := make(map[string]*signal.Peer, len(values))
	for node, value := range values {
		a.members[node] = true
		if p := a.decode(node, value, now); p != nil {
			peers[node] = p
		}
	}
	a.board.Reset(peers, now)
	a.revision, a.fresh = 0, true
}

// settle takes in everything that came up to that revision.
func (a *gathering) settle(revision int64, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range a.pending {
		switch {
		case n.gone:
			delete(a.members, n.node)
			a.board.Gone(n.node, now)
		default:
			a.members[n.node] = true
			if n.peer != nil {
				a.board.SetPeer(n.node, n.peer)
			}
		}
		a.fresh = true
	}
	a.pending, a.revision = nil, revision
}

// publish writes the root every interval, if anything came.
func (a *gathering) publish(ctx context.Context) error {
	s := a.sharer
	began := time.Now()
	last := began
	for {
		every := rootInterval(s.Live(), a.size) * s.fuse.state().slowdown()
		if err := pause(ctx, jittered(every)-time.Since(began)); err != nil {
			return err
		}
		began = time.Now()
		switch done, err := a.write(ctx, every); {
		case errors.Is(err, store.ErrNoLease):
			return err
		case err != nil:
			s.refused(err)
			s.cfg.Logger.Debug("root not written", "error", err)
		case done:
			last = time.Now()
		}
		if time.Since(last) > s.cfg.TTL+2*every {
			return errNoRoot
		}
	}
}

// write writes the root once and reports whether all is as it should be: written, or nothing to write.
func (a *gathering) write(ctx context.Context, limit time.Duration) (bool, error) {
	s := a.sharer
	if s.fuse.state().stops() {
		return true, nil
	}
	root, roster := a.root(time.Now())
	if root.Value == nil {
		return root.Processed != 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	taken, err := s.member.PutRoot(ctx, root, roster)
	if err != nil || !taken {
		a.restore(roster != nil)
		s.count.rootFailures.Add(1)
		return false, err
	}
	a.size = int64(len(root.Value))
	s.count.root(len(root.Value))
	return true, nil
}

// root returns what the members say together, without a value when nothing came since the last time, and the names
// of the members, nil when they are the same as then.
func (a *gathering) root(now time.Time) (store.Root, []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.revision == 0 || !a.fresh {
		return store.Root{Processed: a.revision}, nil
	}
	a.fresh = false
	a.board.Fold(now)
	root := store.Root{Processed: a.revision, Value: a.board.EncodeFold(nil, now)}
	roster := slices.Sorted(maps.Keys(a.members))
	if a.rostered != nil && slices.Equal(roster, a.rostered) {
		return root, nil
	}
	a.rostered = roster
	return root, roster
}

// restore has the next write bring again what this one did not.
func (a *gathering) restore(roster bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fresh = true
	if roster {
		a.rostered = nil
	}
}

// pause waits, or returns ctx's error when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
