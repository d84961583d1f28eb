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
	var rest time.Duration
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-s.urgent:
			if wait := min(s.gap(), rest) - time.Since(last); wait > 0 {
				timer.Reset(wait)
				continue
			}
		}
		last = time.Now()
		s.noteLag()
		rest = s.rest(s.put(ctx, last))
		timer.Reset(jittered(rest) - time.Since(last)) // a slow etcd does not stretch the interval
	}
}

// gap is the least time between two writes.
func (s *Sharer) gap() time.Duration {
	if s.failed.Load() > 0 {
		return s.pace()
	}
	return urgentGap * s.fuse.state().slowdown()
}

// pace is the interval, doubled for each write that has failed in a row: an etcd that cannot follow still works on what
// was given up, and would never catch up with a fleet that writes again at once.
func (s *Sharer) pace() time.Duration {
	every := s.Interval()
	return min(every<<min(s.failed.Load(), 8), max(every, maxInterval))
}

// rest is the time from a write that ended with err, which may be nil, to the next. Without a lease etcd is not
// asked at all, and the first write under a new one must not wait for what failed under the old.
func (s *Sharer) rest(err error) time.Duration {
	if errors.Is(err, store.ErrNoLease) {
		return s.Interval()
	}
	return s.pace()
}

// put writes the board if something moved or a write is owed, unless etcd is too full.
func (s *Sharer) put(ctx context.Context, now time.Time) error {
	switch {
	case s.fuse.state().stops():
		s.count.withheld.Add(1)
	case s.owed.Load() || s.board.Moved(now):
		return s.write(ctx, now)
	default:
		s.count.skips.Add(1)
	}
	return nil
}

// write writes the board. One write is in flight at a time; one that fails is dropped, for the next holds
// everything again.
func (s *Sharer) write(ctx context.Context, now time.Time) error {
	s.owed.Store(false)
	value := s.board.Encode(nil, now) // the ring keeps it
	s.size.Store(int64(len(value)))
	ctx, cancel := context.WithTimeout(ctx, s.pace())
	defer cancel()
	revision, err := s.member.PutSignals(ctx, value)
	if err != nil {
		s.notWritten(err)
		return err
	}
	s.failed.Store(0)
	s.written.add(revision, value, now)
	s.count.put(len(value), time.Since(now))
	return nil
}

func (s *Sharer) notWritten(err error) {
	s.owed.Store(true)
	s.count.putFailures.Add(1)
	if !errors.Is(err, store.ErrNoLease) { // which costs etcd nothing
		s.failed.Add(1)
	}
	s.refused(err)
	s.cfg.Logger.Debug("signals not published", "error", err)
}

// refused opens the fuse when etcd says itself that it is full.
func (s *Sharer) refused(err error) {
	if errors.Is(err, store.ErrNoSpace) {
		s.fuse.refused.Store(true)
		s.setFuse(FuseOpen, store.Space{NoSpace: true})
	}
}
