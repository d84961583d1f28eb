package shelf

import (
	"context"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

const (
	// sweepEvery is how often the node whose work it is looks for what is not needed any more: a list of keys, which
	// takes etcd milliseconds.
	sweepEvery = 10 * time.Minute
	// grace is how long a vector stays that no routing needs: whoever tries two wordings in turn, or rolls a change
	// back, has nothing embedded again. Nodes that lag behind are served by it too.
	grace = time.Hour
)

// sweeper is the name under which the nodes of a cell agree on who sweeps.
const sweeper signal.Key = 0x5eed5

// Run takes away what is not needed until ctx ends.
func (s *Shelf) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	// since is when each vector was first found not to be needed.
	since := map[store.VectorKey]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if !s.cfg.Keeps(sweeper) {
			clear(since)
			continue
		}
		s.sweep(ctx, since, time.Now())
	}
}

func (s *Shelf) sweep(ctx context.Context, since map[store.VectorKey]time.Time, now time.Time) {
	stored, err := s.cfg.Vectors.StoredVectors(ctx)
	if err != nil {
		s.failed(ctx, err)
		return
	}
	due := s.due(stored, since, now)
	if len(due) == 0 {
		return
	}
	if err := s.cfg.Vectors.DropVectors(ctx, due); err != nil {
		s.failed(ctx, err)
		return
	}
	s.cfg.Logger.Info("vectors of examples that no routing needs taken away", "vectors", len(due))
}

// due notes since when each vector has not been needed, and returns those for which that is long ago.
func (s *Shelf) due(stored map[store.VectorKey]int64, since map[store.VectorKey]time.Time, now time.Time) map[store.VectorKey]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.needed == nil {
		return nil // there is no configuration yet
	}
	for key := range since {
		if _, there := stored[key]; !there || s.needed[key] {
			delete(since, key)
		}
	}
	due := map[store.VectorKey]int64{}
	for key, revision := range stored {
		if s.needed[key] {
			continue
		}
		first, noted := since[key]
		switch {
		case !noted:
			since[key] = now
		case now.Sub(first) >= grace:
			due[key] = revision
		}
	}
	return due
}

func (s *Shelf) failed(ctx context.Context, err error) {
	if ctx.Err() == nil {
		s.cfg.Logger.Warn("vectors of examples not looked through", "error", err)
	}
}
