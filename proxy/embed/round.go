package embed

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/sluice-gateway/sluice/core/vector"
)

const (
	// pollEvery is how often the Store is asked for what another node is embedding.
	pollEvery = time.Second
	// patience is how long that node may take without anything new; to each node's is added up to as much at random,
	// so that they do not all begin at once where that node cannot.
	patience = 5 * time.Second
)

// round is one go at everything that is lacking.
type round struct {
	w *worker
	// storeless: the Store is not there, or has failed.
	storeless bool
	// asked are the keys that the Store has been asked for.
	asked map[Key]bool
	// size is how many texts go into one call.
	size    int
	refused int
	turns   int
	// What follows is for a node that waits for another one's vectors.
	alone   bool
	lacking int
	until   time.Time
}

// round embeds what is lacking, and returns why something still is; nil: nothing is.
func (w *worker) round(ctx context.Context) error {
	r := &round{w: w, storeless: w.x.cfg.Store == nil, asked: map[Key]bool{}, size: MaxBatch}
	r.alone = r.storeless
	for ctx.Err() == nil {
		lacking := w.look()
		if len(lacking) == 0 {
			return nil
		}
		if batch := r.unasked(lacking); len(batch) > 0 {
			r.recall(ctx, batch)
			continue
		}
		if r.standBy(ctx, len(lacking)) {
			continue
		}
		if err := r.learn(ctx, lacking[:min(r.size, len(lacking))]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// unasked returns a batch of what the Store may have.
func (r *round) unasked(lacking []sample) []sample {
	if r.storeless {
		return nil
	}
	var batch []sample
	for _, s := range lacking {
		if !r.asked[s.key] && len(batch) < MaxBatch {
			batch = append(batch, s)
		}
	}
	return batch
}

// recall takes from the Store what it has. A value that is damaged, or from before a change of dimension, is as
// good as none, and will be overwritten.
func (r *round) recall(ctx context.Context, batch []sample) {
	keys := make([]Key, len(batch))
	for i, s := range batch {
		keys[i], r.asked[s.key] = s.key, true
	}
	values, err := r.w.x.cfg.Store.Get(ctx, keys)
	if err != nil || len(values) != len(keys) {
		r.storeFailed(ctx, "vectors not read from the store", err)
		return
	}
	found := map[Key]vector.Unit{}
	for i, value := range values {
		u, err := decodeStored(value)
		if want := r.w.endpoint.settings.Dimensions; err == nil && (want == 0 || u.Dimension() == want) {
			found[keys[i]] = u
		}
	}
	r.w.keep(found)
}

func (r *round) storeFailed(ctx context.Context, what string, err error) {
	r.storeless, r.alone = true, true
	if ctx.Err() == nil {
		r.w.x.cfg.Logger.Warn(what, "error", err)
	}
}

// standBy waits a moment for the node whose work it is, and reports whether to look again.
func (r *round) standBy(ctx context.Context, lacking int) bool {
	// A node that has just started does not know its place in the fleet yet: it asks each time.
	if r.alone = r.alone || r.w.x.cfg.Keeps(r.w.endpoint.owner()); r.alone {
		return false
	}
	if now := time.Now(); r.until.IsZero() || lacking < r.lacking {
		r.until = now.Add(patience + rand.N(patience))
	} else if now.After(r.until) {
		r.alone = true
		return false
	}
	r.lacking = lacking
	select {
	case <-ctx.Done():
	case <-r.w.wake:
	case <-time.After(pollEvery):
	}
	clear(r.asked)
	return true
}

// learn makes one call. A batch that is refused is tried again in halves, down to the text that is at fault.
func (r *round) learn(ctx context.Context, batch []sample) error {
	texts := make([]string, len(batch))
	for i, s := range batch {
		texts[i] = s.text
	}
	vectors, err := r.w.x.cfg.Embedder.call(ctx, r.w.endpoint, texts, batchTimeout)
	if e, ok := errors.AsType[*Error](err); ok && e.refused() {
		return r.divide(batch, e)
	}
	if err != nil {
		return err
	}
	if err := r.turn(vectors[0].Dimension()); err != nil {
		return err
	}
	found, values := map[Key]vector.Unit{}, map[Key][]byte{}
	for i, s := range batch {
		found[s.key], values[s.key] = vectors[i], encode(vectors[i])
	}
	r.w.keep(found)
	if !r.storeless {
		if err := r.w.x.cfg.Store.Put(ctx, values); err != nil {
			r.storeFailed(ctx, "vectors not written to the store", err)
		}
	}
	return nil
}

// divide makes the next batch smaller, or lets the one text that was in this one wait until the others are done.
func (r *round) divide(batch []sample, e *Error) error {
	if len(batch) > 1 {
		r.size = len(batch) / 2
		return nil
	}
	w := r.w
	w.x.mu.Lock()
	again := w.refused[batch[0].key]
	w.refused[batch[0].key] = true
	w.x.mu.Unlock()
	r.refused++
	if again || r.refused >= refusedInARound {
		return e
	}
	r.size = MaxBatch
	return nil
}

// turn notes the dimension that the endpoint gives. A new one makes the vectors of another void.
func (r *round) turn(dimension int) error {
	w := r.w
	w.x.mu.Lock()
	defer w.x.mu.Unlock()
	if w.dimension == dimension {
		return nil
	}
	if w.dimension != 0 {
		r.turns++
		clear(r.asked) // the Store may have some of these
	}
	if r.turns > turnsInARound {
		return &Error{Cause: WrongDimension, Upstream: w.endpoint.settings.Upstream.ID, detail: "it changes from call to call"}
	}
	w.setDimensionLocked(dimension)
	return nil
}
