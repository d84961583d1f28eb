package share

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

// publish writes the board every interval, with jitter and a random phase, and sooner when that is urgent.
func (s *Sharer) publish(ctx context.Context) error {
	timer := time.NewTimer(rand.N(minInterval))
	defer timer.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.urgent:
			if wait := urgentGap*s.fuse.state().slowdown() - time.Since(last); wait > 0 {
				timer.Reset(wait)
				continue
			}
		}
		last = time.Now()
		s.put(ctx, last)
		timer.Reset(jittered(s.Interval()) - time.Since(last)) // a slow etcd does not stretch the interval
	}
}

// put writes the board if something moved or a write is owed, unless etcd is too full.
func (s *Sharer) put(ctx context.Context, now time.Time) {
	switch {
	case s.fuse.state().stops():
		s.count.withheld.Add(1)
	case s.owed.Load() || s.board.Moved(now):
		s.write(ctx, now)
	default:
		s.count.skips.Add(1)
	}
}

// write writes the board. One write is in flight at a time; one that fails is dropped, for the next holds
// everything again.
func (s *Sharer) write(ctx context.Context, now time.Time) {
	s.owed.Store(false)
	value := s.board.Encode(nil, now) // the ring keeps it
	s.size.Store(int64(len(value)))
	ctx, cancel := context.WithTimeout(ctx, s.Interval())
	defer cancel()
	revision, err := s.member.PutSignals(ctx, value)
	if err != nil {
		s.owed.Store(true)
		s.count.putFailures.Add(1)
		s.refused(err)
		s.cfg.Logger.Debug("signals not published", "error", err)
		return
	}
	s.written.add(revision, value, now)
	s.count.put(len(value), time.Since(now))
}

// refused opens the fuse when etcd says itself that it is full.
func (s *Sharer) refused(err error) {
	if errors.Is(err, store.ErrNoSpace) {
		s.fuse.refused.Store(true)
		s.setFuse(FuseOpen, store.Space{NoSpace: true})
	}
}
