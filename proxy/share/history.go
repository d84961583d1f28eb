package share

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

const (
	// oldHistory is the age from which a history shows that nobody compacts it.
	oldHistory = 30 * time.Minute
	// longHistory is how many revisions make an old history worth a warning: an etcd in which little is written
	// may stay as it is.
	longHistory = 10_000
	// lookEvery is how often the history is looked at, and lookFirst by when for the first time.
	lookEvery = oldHistory
	lookFirst = 30 * time.Second

	// sightings is how many are remembered.
	sightings = 3

	historyAdvice = "--auto-compaction-mode=periodic --auto-compaction-retention=5m"
)

// history remembers which revisions etcd had reached when, for etcd dates none.
type history struct {
	mu        sync.Mutex
	sightings []sighting
	old       bool
}

type sighting struct {
	at       time.Time
	revision int64
}

// lookBack looks at the history of etcd until ctx ends, and warns once when it is not compacted.
func (s *Sharer) lookBack(ctx context.Context) error {
	timer := time.NewTimer(rand.N(lookFirst))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		if report, err := s.store.Diagnose(ctx); err == nil {
			s.judge(&report, time.Now())
		}
		timer.Reset(jittered(lookEvery))
	}
}

func (s *Sharer) judge(r *store.Report, now time.Time) {
	if r.History.Length() <= 0 {
		return
	}
	age := max(s.history.seen(r.History, now), uncompacted(r))
	old := age >= oldHistory && r.History.Length() > longHistory
	if was := s.history.set(old); was == old {
		return
	}
	if old {
		s.cfg.Logger.Warn("history of etcd is older than 30 min and will fill it: set "+historyAdvice,
			"age", age.Round(time.Second).String(), "revisions", r.History.Length())
		return
	}
	s.cfg.Logger.Info("history of etcd is compacted again", "revisions", r.History.Length())
}

// uncompacted returns the shortest time for which a member says that it has not compacted; zero: none says so.
func uncompacted(r *store.Report) (age time.Duration) {
	for _, e := range r.Endpoints {
		if c := e.Compaction; c.Known && (age == 0 || c.Ago < age) {
			age = c.Ago
		}
	}
	return age
}

// seen notes how far etcd is, and returns how old the history is at least by what this node has seen itself.
func (h *history) seen(is store.History, now time.Time) (age time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var kept []sighting
	for _, s := range h.sightings {
		if s.revision >= is.Oldest && s.revision <= is.Newest {
			kept = append(kept, s)
			age = max(age, now.Sub(s.at))
		}
	}
	if len(kept) < sightings { // the first tells how old the history is; the next count when it is compacted
		kept = append(kept, sighting{now, is.Newest})
	}
	h.sightings = kept
	return age
}

// set notes whether the history is old and returns what was noted before.
func (h *history) set(old bool) (was bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	was, h.old = h.old, old
	return was
}

func (h *history) isOld() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.old
}
