package share

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

const (
	// probeSlot is how long one node owns the right to probe a target, SIGNALS.md §6.4.
	probeSlot = 15 * time.Second
	// checkSlot is a slot that no time of probeSlot has: health checks and probes of one target need not be
	// the same node's.
	checkSlot = -1
)

// Defaults of a Config.
const (
	// DefaultTreeAbove is how many nodes may each follow all others: there the interval between two writes has
	// grown to 2 s, SIGNALS.md §5.3.
	DefaultTreeAbove = 200
	// DefaultQuota is etcd's own default.
	DefaultQuota = 2 << 30
)

// Config says who the node is. Only Node and Cell are required.
type Config struct {
	// Node is new with every start of the process.
	Node, Cell string
	// Token is what the control plane shows to the node; empty: nothing.
	Token string
	// TreeAbove is above how many live nodes of the cell one of them aggregates for all. Default DefaultTreeAbove.
	TreeAbove int
	// Quota is how many bytes etcd may hold, where etcd does not tell it itself (before 3.6). Default DefaultQuota.
	Quota int64
	// TTL is how long this node is taken for alive without a sign of it. Default store.DefaultTTL.
	TTL    time.Duration
	Logger *slog.Logger
}

// Sharer keeps one node's place in the fleet.
type Sharer struct {
	cfg    Config
	store  *store.Store
	member *store.Member
	board  *signal.Board
	view   *view
	urgent chan struct{}
	// owed: the key is missing, or what it holds is not the last that was encoded.
	owed atomic.Bool
	// failed is how many writes have failed in a row.
	failed  atomic.Int64
	written ring
	// size is the length of the last encoded value.
	size    atomic.Int64
	lag     atomic.Int64 // nanoseconds
	fuse    fuse
	history history
	unread  unread
	count   counters
}

// New returns a Sharer; nothing happens before Run.
func New(cfg Config, s *store.Store, board *signal.Board) *Sharer {
	cfg.TreeAbove = cmp.Or(cfg.TreeAbove, DefaultTreeAbove)
	cfg.Quota = cmp.Or(cfg.Quota, DefaultQuota)
	cfg.TTL = cmp.Or(cfg.TTL, store.DefaultTTL)
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	sh := &Sharer{cfg: cfg, store: s, board: board, urgent: make(chan struct{}, 1)}
	sh.view = newView(cfg, board)
	sh.owed.Store(true)
	sh.member = s.Join(store.MemberConfig{
		Node: cfg.Node, Cell: cfg.Cell, Token: cfg.Token, TTL: cfg.TTL, Logger: cfg.Logger,
		Granted: func() { sh.owed.Store(true) }, // the next tick, whose jitter spreads those of a fleet, puts them anew
	})
	return sh
}

// Run registers, publishes and follows until ctx ends, and returns ctx's error or what stopped it before.
func (s *Sharer) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.member.Run(ctx) })
	g.Go(func() error { return s.publish(ctx) })
	g.Go(func() error { return s.fold(ctx) })
	g.Go(func() error { return s.follow(ctx) })
	g.Go(func() error { return s.guard(ctx) })
	g.Go(func() error { return s.lookBack(ctx) })
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

// Leave ends the membership of a node that shuts down in order; call it after Run has returned and the last
// request has ended. The last signals say that nothing is in flight, and stay until the lease expires.
func (s *Sharer) Leave(ctx context.Context) error {
	if !s.fuse.state().stops() {
		s.write(ctx, time.Now())
	}
	return s.member.Leave(ctx)
}

// Live returns how many nodes publish signals in the cell, this one included.
func (s *Sharer) Live() int { return len(*s.view.live.Load()) }

// Owns reports whether this node holds the fleet's probe slot for a target at that moment. Without etcd the last
// known nodes divide the slots among them.
func (s *Sharer) Owns(k signal.Key, now time.Time) bool {
	return signal.Owns(s.cfg.Node, *s.view.live.Load(), k, now.Unix()/int64(probeSlot/time.Second))
}

// Keeps reports whether this node is the one that checks a target's health, for as long as the fleet stays
// as it is. A node that has not heard of the others yet keeps nothing.
func (s *Sharer) Keeps(k signal.Key) bool {
	return s.view.listed.Load() && signal.Owns(s.cfg.Node, *s.view.live.Load(), k, checkSlot)
}

// Urgent asks for a write before the next tick, for news that others should act on at once.
func (s *Sharer) Urgent() {
	select {
	case s.urgent <- struct{}{}:
	default:
	}
}
