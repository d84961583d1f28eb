package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
)

// grant is one lease of this node.
type grant struct {
	id  clientv3.LeaseID
	ttl time.Duration
	// deadline is when the lease ends unless etcd confirms it again: the node's own clock, counted from
	// before the last confirmed renewal was sent. Owned by renew.
	deadline time.Time

	once sync.Once
	gone chan struct{} // closed when the lease is known to be lost
}

func (g *grant) abandon() { g.once.Do(func() { close(g.gone) }) }

var errLeaseLost = errors.New("the lease is lost")

const (
	leaseRetry = 200 * time.Millisecond
	// regrant spreads the new leases of a whole fleet that lost its leases at once (etcd#15247).
	regrant = time.Second
	// leaseRetryMax: a node that cannot join serves all the same; it only is not seen.
	leaseRetryMax = 10 * time.Second
)

// Run holds a lease, with the node's last status under it, until ctx ends, and returns ctx's error. A lease
// that is lost is replaced and the status is put again; MemberConfig.Granted is told, so that the signals are
// too. When ctx ends the lease is left to expire; Leave is for a graceful stop. Run is called once.
func (m *Member) Run(ctx context.Context) error {
	if err := m.check(); err != nil {
		return err
	}
	wait := delay{first: regrant, limit: leaseRetryMax}
	for !m.hasLeft() {
		g, err := m.acquire(ctx)
		if err == nil {
			if wait.step > 0 {
				m.cfg.Logger.Info("node has a lease again", "node", m.cfg.Node)
			}
			wait.step = 0
			err = m.hold(ctx, g)
		}
		if ctx.Err() != nil || m.hasLeft() {
			break // the lease stays known: Leave may come after Run
		}
		m.setGrant(nil)
		if wait.step == 0 {
			m.cfg.Logger.Warn("node has no lease; trying again", "node", m.cfg.Node, "error", err)
		}
		if err := pause(ctx, wait.next()); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return ctx.Err()
}

func (m *Member) setGrant(g *grant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.grant = g
}

func (m *Member) hasLeft() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

func (m *Member) acquire(ctx context.Context) (*grant, error) {
	callCtx, cancel := context.WithTimeout(ctx, m.store.callTimeout)
	defer cancel()
	client, err := m.store.streams.get(callCtx)
	if err != nil {
		return nil, fmt.Errorf("grant lease: %w", readError(ctx, err))
	}
	sent := time.Now()
	lease, err := client.Grant(callCtx, int64(math.Ceil(m.cfg.TTL.Seconds())))
	if err != nil {
		// Whether etcd granted a lease that nobody will know of does not matter: it expires.
		return nil, fmt.Errorf("grant lease: %w", readError(ctx, err))
	}
	ttl := time.Duration(lease.TTL) * time.Second
	return &grant{id: lease.ID, ttl: ttl, deadline: sent.Add(ttl), gone: make(chan struct{})}, nil
}

// hold keeps the lease and the keys under it until the lease is lost or ctx ends.
func (m *Member) hold(ctx context.Context, g *grant) error {
	m.setGrant(g)
	if m.cfg.Granted != nil {
		m.cfg.Granted()
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return m.renew(ctx, g) })
	group.Go(func() error { return m.announce(ctx, g) })
	group.Go(func() error {
		select {
		case <-g.gone:
			return errLeaseLost
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return group.Wait()
}

// renew confirms the lease three times in its length. A broken stream is not the end of the lease: only
// its own deadline is, or etcd's word.
func (m *Member) renew(ctx context.Context, g *grant) error {
	for {
		err := m.renewOnStream(ctx, g)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errLeaseLost):
			return err
		case !time.Now().Before(g.deadline):
			return fmt.Errorf("%w: not confirmed within its %s: %w", errLeaseLost, g.ttl, err)
		}
		if err := pause(ctx, min(leaseRetry, time.Until(g.deadline))); err != nil {
			return err
		}
	}
}

func (m *Member) renewOnStream(ctx context.Context, g *grant) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	// An exchange that takes longer than the pause between two is given up, to try another member.
	patience := time.AfterFunc(min(g.ttl/3, time.Until(g.deadline)), cancel)
	defer patience.Stop()
	client, err := m.store.streams.get(ctx)
	if err != nil {
		return err
	}
	stream, err := pb.NewLeaseClient(client.ActiveConnection()).LeaseKeepAlive(ctx, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	for {
		sent := time.Now()
		if err := stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(g.id)}); err != nil {
			return err
		}
		answer, err := stream.Recv()
		if err != nil {
			return err
		}
		if answer.TTL <= 0 {
			return fmt.Errorf("%w: etcd does not know it", errLeaseLost)
		}
		if !patience.Stop() {
			return context.Canceled
		}
		g.deadline = sent.Add(g.ttl)
		if err := pause(ctx, g.ttl/3); err != nil {
			return err
		}
		patience.Reset(min(g.ttl/3, time.Until(g.deadline)))
	}
}

// announce writes the node's status under a new lease, and then whenever it changes.
func (m *Member) announce(ctx context.Context, g *grant) error {
	wait := delay{first: leaseRetry, limit: leaseRetryMax}
	for {
		err := m.writeStatus(ctx, g)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			wait.step = 0
			select {
			case <-m.changed:
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if wait.step == 0 {
			m.cfg.Logger.Warn("node's status is not written; trying again", "node", m.cfg.Node, "error", err)
		}
		if err := pause(ctx, wait.next()); err != nil {
			return err
		}
	}
}

// writeStatus writes the last status, if there is one.
func (m *Member) writeStatus(ctx context.Context, g *grant) error {
	if err := m.turn(ctx); err != nil {
		return err
	}
	defer m.done()
	m.mu.Lock()
	select {
	case <-m.changed: // what is written now is the last value
	default:
	}
	status, first := m.status, !m.known
	if m.left {
		status = nil
	}
	m.mu.Unlock()
	if status == nil {
		return nil
	}
	ops, err := m.putStatus(g, status)
	if err != nil {
		return err
	}
	if _, err := m.write(ctx, g, ops...); err != nil {
		return err
	}
	if first {
		m.known = true
		close(m.announced)
	}
	return nil
}
