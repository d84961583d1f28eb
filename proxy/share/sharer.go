package share

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

const (
	// publishEvery is how often a node writes what it measured, SIGNALS.md §6.8 (I).
	publishEvery = time.Second
	// foldEvery is how often what the peers wrote is folded into the board, SIGNALS.md §6.8.
	foldEvery = 250 * time.Millisecond
	// urgentGap keeps a burst of cooldowns from becoming a burst of writes, SIGNALS.md §6.5.
	urgentGap = 200 * time.Millisecond
	// probeSlot is how long one node owns the right to probe a target, SIGNALS.md §6.4.
	probeSlot = 15 * time.Second
	// checkSlot is a slot that no time of probeSlot has: health checks and probes of one target need not be
	// the same node's.
	checkSlot = -1
)

// Config says who the node is.
type Config struct {
	Node, Cell string
	Logger     *slog.Logger
}

// Sharer keeps one node's place in the fleet.
type Sharer struct {
	cfg    Config
	store  *store.Store
	member *store.Member
	board  *signal.Board
	urgent chan struct{}
	peers  *peers
	stats  Stats
}

// Stats counts what sharing does; every field may be read at any time.
type Stats struct {
	Puts, Skips, PutFailures, PeerValues, PeerRejects atomic.Int64
}

// New returns a Sharer; nothing happens before Run.
func New(cfg Config, s *store.Store, board *signal.Board) *Sharer {
	member := s.Join(store.MemberConfig{Node: cfg.Node, Cell: cfg.Cell, Logger: cfg.Logger})
	return &Sharer{cfg: cfg, store: s, member: member, board: board, urgent: make(chan struct{}, 1), peers: newPeers(cfg.Node)}
}

// Run registers, publishes and follows until ctx ends, and returns ctx's error or what stopped it before.
func (s *Sharer) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.member.Run(ctx) })
	g.Go(func() error { return s.publish(ctx) })
	g.Go(func() error { return s.fold(ctx) })
	g.Go(func() error { return s.follow(ctx) })
	return g.Wait()
}

// Report publishes what the node says of itself; it never blocks.
func (s *Sharer) Report(status core.NodeStatus) error {
	value, err := json.Marshal(status)
	if err != nil {
		return err
	}
	s.member.SetStatus(value)
	return nil
}

// Announced is closed once the fleet can see this node.
func (s *Sharer) Announced() <-chan struct{} { return s.member.Announced() }

// Leave ends the membership of a node that shuts down in order; call it after Run has returned.
func (s *Sharer) Leave(ctx context.Context) error { return s.member.Leave(ctx) }

// Stats returns the counters.
func (s *Sharer) Stats() *Stats { return &s.stats }

// Live returns how many nodes publish signals in the cell, this one included.
func (s *Sharer) Live() int { return len(*s.peers.live.Load()) }

// Owns reports whether this node holds the fleet's probe slot for a target at that moment.
func (s *Sharer) Owns(k signal.Key, now time.Time) bool {
	return signal.Owns(s.cfg.Node, *s.peers.live.Load(), k, now.Unix()/int64(probeSlot/time.Second))
}

// Keeps reports whether this node is the one that checks a target's health, for as long as the fleet stays
// as it is. A node that has not heard of the others yet keeps nothing.
func (s *Sharer) Keeps(k signal.Key) bool {
	return s.peers.listed.Load() && signal.Owns(s.cfg.Node, *s.peers.live.Load(), k, checkSlot)
}

// Urgent asks for a write before the next tick, for news that others should act on at once.
func (s *Sharer) Urgent() {
	select {
	case s.urgent <- struct{}{}:
	default:
	}
}

// publish writes the board every interval, with jitter and a random phase so that a fleet that was
// started together does not write together.
func (s *Sharer) publish(ctx context.Context) error {
	timer := time.NewTimer(rand.N(publishEvery))
	defer timer.Stop()
	var last time.Time
	owed := true // the first write makes this node known even if it has measured nothing
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.urgent:
			if wait := urgentGap - time.Since(last); wait > 0 {
				timer.Reset(wait)
				continue
			}
		}
		last = time.Now()
		owed = s.put(ctx, owed)
		timer.Reset(jittered(publishEvery))
	}
}

func jittered(d time.Duration) time.Duration { return d - d/10 + rand.N(d/5) }

// put writes the board if something moved or a write is owed, and returns whether one is still owed. One
// write is in flight at a time; one that fails is dropped, for the next holds everything again.
func (s *Sharer) put(ctx context.Context, owed bool) bool {
	now := time.Now()
	if !s.board.Moved(now) && !owed {
		s.stats.Skips.Add(1)
		return false
	}
	value := s.board.Encode(nil, now) // the member keeps it
	ctx, cancel := context.WithTimeout(ctx, publishEvery)
	defer cancel()
	if err := s.member.PutSignals(ctx, value); err != nil {
		s.stats.PutFailures.Add(1)
		s.cfg.Logger.Debug("signals not published", "error", err)
		return true
	}
	s.stats.Puts.Add(1)
	return false
}

func (s *Sharer) fold(ctx context.Context) error {
	tick := time.NewTicker(foldEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			s.board.Fold(time.Now())
		}
	}
}
