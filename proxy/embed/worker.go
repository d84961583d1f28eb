package embed

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/sluice-gateway/sluice/core/vector"
)

const (
	// batchTimeout bounds one call for examples, for which nobody waits.
	batchTimeout = 30 * time.Second
	// retryFirst and retryMost bound the wait after a failure, which doubles each time.
	retryFirst = time.Second
	retryMost  = 5 * time.Minute
	// refusedInARound is after how many refused texts a worker waits before it goes on: where every text is refused,
	// it is not the texts.
	refusedInARound = 4
	// turnsInARound is how often the endpoint may change its dimension in the middle of the work.
	turnsInARound = 2
)

// worker has the examples of one endpoint embedded.
type worker struct {
	x        *Examples
	endpoint *Endpoint
	cancel   context.CancelFunc
	wake     chan struct{}

	// What follows is guarded by the Examples.
	collections []*Collection
	wanted      map[Key]string
	// idle: nothing was missing when it last looked.
	idle bool
	// dimension is what the endpoint gives; 0: not known. What is known of its vectors has no other then.
	dimension  int
	driftUntil time.Time
	// refused are the texts that the endpoint does not want. They come last, so as not to keep the others waiting.
	refused map[Key]bool
	failure error
}

// sample is a text to embed.
type sample struct {
	key  Key
	text string
}

func newWorker(x *Examples, e *Endpoint) *worker {
	return &worker{x: x, endpoint: e, wake: make(chan struct{}, 1), refused: map[Key]bool{}}
}

// giveLocked says what is wanted from now on. What the worker is waiting for goes on unless there is news for it.
func (w *worker) giveLocked(collections []*Collection) {
	wanted, news := map[Key]string{}, false
	for _, c := range collections {
		for key, text := range c.samples {
			_, had := w.wanted[key]
			wanted[key], news = text, news || !had
		}
	}
	maps.DeleteFunc(w.refused, func(k Key, _ bool) bool { _, ok := wanted[k]; return !ok })
	w.collections, w.wanted = collections, wanted
	w.setDimensionLocked(w.dimension)
	for _, c := range collections {
		w.x.fillLocked(c)
	}
	if lacking, _ := w.lackingLocked(); len(lacking) > 0 && (news || w.idle) {
		w.rouse()
	}
}

func (w *worker) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// setDimensionLocked drops what has another dimension; 0 is none.
func (w *worker) setDimensionLocked(dimension int) {
	w.dimension = dimension
	if dimension == 0 {
		return
	}
	for key := range w.wanted {
		if u, ok := w.x.known[key]; ok && u.Dimension() != dimension {
			delete(w.x.known, key)
		}
	}
	for _, c := range w.collections {
		if set := c.Vectors(); set != nil && set.Dimension() != 0 && set.Dimension() != dimension {
			c.vectors.Store(nil)
		}
	}
}

// driftLocked takes the word of a prompt's vector for it that the endpoint gives another dimension now.
func (w *worker) driftLocked(dimension int, now time.Time) bool {
	if dimension == w.dimension || now.Before(w.driftUntil) {
		return false
	}
	w.driftUntil = now.Add(driftPause)
	w.setDimensionLocked(dimension)
	w.rouse()
	return true
}

// lackingLocked returns what has no vector yet, the refused texts last, and whether what is there differs in
// dimension.
func (w *worker) lackingLocked() (lacking []sample, mixed bool) {
	seen, first := map[Key]bool{}, 0
	for _, c := range w.collections {
		for key, text := range c.samples {
			if seen[key] {
				continue
			}
			seen[key] = true
			u, ok := w.x.known[key]
			if !ok {
				lacking = append(lacking, sample{key, text})
				continue
			}
			if first == 0 {
				first = u.Dimension()
			}
			mixed = mixed || u.Dimension() != first
		}
	}
	slices.SortStableFunc(lacking, func(a, b sample) int { return order(w.refused[a.key]) - order(w.refused[b.key]) })
	return lacking, mixed
}

func order(last bool) int {
	if last {
		return 1
	}
	return 0
}

// look gives the collections that can have them their vectors, and returns what is still lacking.
func (w *worker) look() []sample {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	lacking, mixed := w.lackingLocked()
	if len(lacking) == 0 && mixed {
		// Some are from before a change of dimension, and one of them tells as much as another: if it is the wrong one
		// the first call will show.
		for key := range w.wanted {
			w.setDimensionLocked(w.x.known[key].Dimension())
			break
		}
		lacking, _ = w.lackingLocked()
	}
	for _, c := range w.collections {
		w.x.fillLocked(c)
	}
	w.idle = len(lacking) == 0
	return lacking
}

// run embeds until ctx ends.
func (w *worker) run(ctx context.Context) {
	pause := &backoff.ExponentialBackOff{InitialInterval: retryFirst, MaxInterval: retryMost, Multiplier: 2, RandomizationFactor: 0.5}
	for {
		select {
		case <-w.wake: // what it is about, the round sees by itself
		default:
		}
		err := w.round(ctx)
		if ctx.Err() != nil {
			return
		}
		var again <-chan time.Time
		if err == nil {
			pause.Reset()
		} else {
			again = time.After(w.wait(pause, err))
		}
		w.note(err)
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
			pause.Reset()
		case <-again:
		}
	}
}

func (w *worker) note(err error) {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	if err == nil && w.failure != nil {
		w.x.cfg.Logger.Info("examples embedded after all", "upstream", w.endpoint.settings.Upstream.ID)
	}
	w.failure = err
}

// wait returns how long to wait after a failure, and says so.
func (w *worker) wait(pause *backoff.ExponentialBackOff, err error) time.Duration {
	wait := pause.NextBackOff()
	if e, ok := errors.AsType[*Error](err); ok {
		wait = max(wait, min(e.retryAfter, retryMost))
	}
	w.x.cfg.Logger.Warn("examples not embedded", "upstream", w.endpoint.settings.Upstream.ID, "error", err, "retry_in", wait)
	return wait
}

// keep adds what has been found to what is known, as far as it is still wanted.
func (w *worker) keep(found map[Key]vector.Unit) {
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	for key, u := range found {
		if _, wanted := w.wanted[key]; wanted && (w.dimension == 0 || w.dimension == u.Dimension()) {
			w.x.known[key] = u
			delete(w.refused, key)
		}
	}
}
