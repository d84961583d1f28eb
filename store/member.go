package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/core"
)

// DefaultTTL is how long a node's keys outlive the node: three missed renewals.
const DefaultTTL = 15 * time.Second

// MemberConfig names a node of the fleet.
type MemberConfig struct {
	// Node is unique in the fleet; two nodes of one name overwrite each other.
	Node string
	// TTL is how long the node's keys outlive it. Default DefaultTTL; etcd rounds it up to seconds.
	TTL time.Duration
	// Cell is the part of the fleet that shares signals.
	Cell string
	// Token, unless empty, is what Store.NodeToken returns while the node lives: who shows it to the node may ask it what
	// others may not. It is sealed where there are keys.
	Token string
	// Granted, which may be nil, is called each time the node has a lease, and there are no signals under it yet.
	// It must not block.
	Granted func()
	Logger  *slog.Logger
}

// Member is this node's presence in the fleet: one lease and the keys under it.
type Member struct {
	store *Store
	cfg   MemberConfig
	// writing holds one token: the node's writes of its own keys happen one after the other.
	writing chan struct{}
	// changed has an element when there is a status to write.
	changed chan struct{}
	// announced is closed once a status has been written.
	announced chan struct{}

	mu     sync.Mutex
	grant  *grant // nil: no lease
	claim  *grant // under which the node is its cell's aggregator; nil: it is not
	status []byte // nil: never set
	left   bool
	known  bool // announced is closed; written by announce only
}

// Join returns this node's membership; Run makes it true.
func (s *Store) Join(cfg MemberConfig) *Member {
	cfg.TTL = cmp.Or(cfg.TTL, DefaultTTL)
	cfg.Logger = cmp.Or(cfg.Logger, s.log)
	return &Member{store: s, cfg: cfg, writing: make(chan struct{}, 1), changed: make(chan struct{}, 1), announced: make(chan struct{})}
}

func (m *Member) check() error {
	if err := core.CheckID(m.cfg.Node); err != nil {
		return fmt.Errorf("join fleet: node %q: %w", m.cfg.Node, err)
	}
	if err := core.CheckID(m.cfg.Cell); err != nil {
		return fmt.Errorf("join fleet: cell %q: %w", m.cfg.Cell, err)
	}
	return nil
}

// SetStatus sets what the node says of itself at fleet/nodes/<node>. Run writes the last value as soon as
// it can, and again under each new lease. It never blocks; value must not be changed afterwards.
func (m *Member) SetStatus(value []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.status != nil && bytes.Equal(m.status, value) {
		return
	}
	m.status = value
	select {
	case m.changed <- struct{}{}:
	default:
	}
}

// Announced is closed once a status of this node has been written: from then on those who wait for all nodes
// wait for this one too.
func (m *Member) Announced() <-chan struct{} { return m.announced }

// PutSignals writes the node's signals at fleet/signals/<cell>/<node> and returns the revision of the write: one
// attempt, whose error is the caller's, and nothing is remembered. ErrNoLease says that nothing was written;
// MemberConfig.Granted tells when to try again.
func (m *Member) PutSignals(ctx context.Context, value []byte) (int64, error) {
	if err := m.turn(ctx); err != nil {
		return 0, err
	}
	defer m.done()
	g := m.granted()
	if g == nil {
		return 0, fmt.Errorf("put signals: %w", ErrNoLease)
	}
	revision, err := m.write(ctx, g, m.putSignals(g, value))
	if err != nil {
		return 0, fmt.Errorf("put signals: %w", err)
	}
	return revision, nil
}

func (m *Member) granted() *grant {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.grant
}

// Leave ends the membership: the node's presence is deleted, and its claim to be the aggregator. Its last
// signals stay until the lease expires, so that the fleet keeps what the node measured. Run writes nothing
// afterwards.
func (m *Member) Leave(ctx context.Context) error {
	if err := m.turn(ctx); err != nil {
		return err
	}
	defer m.done()
	m.mu.Lock()
	m.left = true
	g := m.grant
	m.mu.Unlock()
	if g == nil {
		return nil // what there is expires by itself
	}
	defer g.abandon()
	// The keys may already be those of the node's next process, or of the next aggregator.
	presence, token, claim := m.store.keys.node(m.cfg.Node), m.store.keys.token(m.cfg.Node), m.store.keys.aggregator(m.cfg.Cell)
	if _, err := m.write(ctx, g, deleteOwn(presence, g), deleteOwn(token, g), deleteOwn(claim, g)); err != nil {
		return fmt.Errorf("leave fleet: %w", err)
	}
	return nil
}

// deleteOwn deletes a key if it is under that lease.
func deleteOwn(key string, g *grant) clientv3.Op {
	return clientv3.OpTxn([]clientv3.Cmp{clientv3.Compare(clientv3.LeaseValue(key), "=", g.id)}, []clientv3.Op{clientv3.OpDelete(key)}, nil)
}

func (m *Member) putSignals(g *grant, value []byte) clientv3.Op {
	return clientv3.OpPut(m.store.keys.signals(m.cfg.Cell, m.cfg.Node), string(value), clientv3.WithLease(g.id))
}

// putStatus writes the status and, sealed anew with the primary key of this moment, the token.
func (m *Member) putStatus(g *grant, value []byte) ([]clientv3.Op, error) {
	ops := []clientv3.Op{clientv3.OpPut(m.store.keys.node(m.cfg.Node), string(value), clientv3.WithLease(g.id))}
	if m.cfg.Token == "" {
		return ops, nil
	}
	token, err := m.store.vault.sealToken(m.cfg.Node, m.cfg.Token)
	if err != nil {
		return nil, err
	}
	return append(ops, clientv3.OpPut(m.store.keys.token(m.cfg.Node), string(token), clientv3.WithLease(g.id))), nil
}

// turn waits for the member's other writes; done ends the turn.
func (m *Member) turn(ctx context.Context) error {
	select {
	case m.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *Member) done() { <-m.writing }

// write is one transaction, whose revision it returns. When etcd no longer knows the lease, that ends it here
// as well.
func (m *Member) write(ctx context.Context, g *grant, ops ...clientv3.Op) (int64, error) {
	resp, err := m.store.write(ctx, m.store.streams, nil, ops)
	if errors.Is(err, ErrNoLease) {
		g.abandon()
	}
	if err != nil {
		return 0, err
	}
	return resp.Header.Revision, nil
}
