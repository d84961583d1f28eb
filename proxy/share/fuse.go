package share

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

// Fuse says what the node does so that signals never fill etcd, SIGNALS.md §6.6.
type Fuse int32

// The states of the fuse.
const (
	// FuseClosed: there is room.
	FuseClosed Fuse = iota
	// FuseSlow: more than half of the quota is in use, and signals are written a quarter as often.
	FuseSlow
	// FuseOpen: etcd is nearly full or refuses writes, and no signals are written, urgent ones neither.
	FuseOpen
)

// String names the state as logs and metrics show it.
func (f Fuse) String() string {
	switch f {
	case FuseSlow:
		return "slow"
	case FuseOpen:
		return "open"
	}
	return "closed"
}

const (
	// guardEvery is how often etcd is asked how full it is: at cellBytes it fills by less than a hundredth meanwhile.
	guardEvery = 30 * time.Second

	// Shares of the quota. Those of the way back are lower, so that one that hovers changes nothing.
	slowAbove = 0.50
	slowUntil = 0.45
	openAbove = 0.70
	openUntil = 0.40

	slowedBy = 4
)

func (f Fuse) stops() bool { return f == FuseOpen }

// slowdown is by what intervals are multiplied.
func (f Fuse) slowdown() time.Duration {
	if f == FuseClosed {
		return 1
	}
	return slowedBy
}

// after returns the state that follows when etcd is that full.
func (f Fuse) after(s store.Space, quota int64) Fuse {
	if s.Quota != 0 {
		quota = s.Quota
	}
	used := float64(s.InUse) / float64(quota)
	switch {
	case s.NoSpace, used > openAbove, f == FuseOpen && used >= openUntil:
		return FuseOpen
	case used > slowAbove, f == FuseSlow && used >= slowUntil:
		return FuseSlow
	}
	return FuseClosed
}

// fuse is the state and what it was read from.
type fuse struct {
	now     atomic.Int32
	refused atomic.Bool                 // a write was, since space was read
	space   atomic.Pointer[store.Space] // nil: never read
}

func (f *fuse) state() Fuse { return Fuse(f.now.Load()) }

// guard reads how full etcd is until ctx ends.
func (s *Sharer) guard(ctx context.Context) error {
	tick := time.NewTicker(guardEvery)
	defer tick.Stop()
	for {
		s.check(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// check sets the fuse by what etcd says. Where it says nothing the state stays, except that one which a refused
// write has set gives way to the next try.
func (s *Sharer) check(ctx context.Context) {
	space, err := s.store.Space(ctx)
	if err != nil {
		s.cfg.Logger.Debug("etcd does not tell how full it is", "error", err)
		if s.fuse.refused.Swap(false) {
			s.setFuse(FuseSlow, store.Space{})
		}
		return
	}
	s.fuse.refused.Store(false)
	s.fuse.space.Store(&space)
	s.setFuse(s.fuse.state().after(space, s.cfg.Quota), space)
}

func (s *Sharer) setFuse(next Fuse, space store.Space) {
	before := Fuse(s.fuse.now.Swap(int32(next)))
	if before == next {
		return
	}
	attrs := []any{"fuse", next.String(), "was", before.String(), "in_use", space.InUse, "quota", space.Quota, "no_space", space.NoSpace}
	if next > before {
		s.cfg.Logger.Warn("etcd fills up: signals are published less, so that configuration can still be written", attrs...)
		return
	}
	s.cfg.Logger.Info("etcd has room again for signals", attrs...)
}
