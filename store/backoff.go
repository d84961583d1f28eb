package store

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff grows from first to limit by doubling; the zero step starts at first.
type backoff struct {
	first, limit time.Duration
	step         int
}

// next returns how long to wait now: between half of the step's length and all of it, so that the nodes
// of a fleet do not come back in one wave.
func (b *backoff) next() time.Duration {
	d := b.limit
	if b.step < 30 && b.first<<b.step < b.limit {
		d = b.first << b.step
		b.step++
	}
	return d/2 + rand.N(d/2+1)
}

// pause waits, or returns ctx's error when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
