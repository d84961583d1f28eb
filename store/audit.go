package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"
)

// startAudit compares what was followed with what etcd holds at the same revision, beside the watch. It
// finds what no watch can: a backup that was restored while the connection was down and whose revisions
// have since grown past those that were seen.
func (f *follower) startAudit(ctx context.Context, g *errgroup.Group) {
	if f.sink.verify == nil {
		return
	}
	check, revision := f.sink.verify(), f.seen
	g.Go(func() error { return f.audit(ctx, revision, check) })
}

// audit returns errDiverged when it found a difference. That etcd cannot answer is no finding.
func (f *follower) audit(ctx context.Context, revision int64, check func(listing) error) error {
	l, err := f.store.listAt(ctx, f.span, revision, clientv3.WithKeysOnly())
	if errors.Is(err, rpctypes.ErrFutureRev) {
		return fmt.Errorf("%w: revision %d is in the future", errDiverged, revision)
	}
	if err == nil {
		err = check(l)
		if err != nil {
			return fmt.Errorf("%w: %w", errDiverged, err)
		}
	}
	return nil
}

// jitter spreads d by half of it, so that a fleet that started together does not audit together.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d+1) }
