package store

import (
	"context"
	"math/rand/v2"
	"time"
)

// delay grows from first to limit by doubling; the zero step starts at first.
type delay struct {
	first, limit time.Duration
	step         int
}

// next returns how long to wait now: between half of the step's length and all of it, so that the nodes
// of a fleet do not come back in one wave.
func (d *delay) next() time.Duration {
	length := d.limit
	if d.step < 30 && d.first<<d.step < d.limit {
		length = d.first << d.step
		d.step++
	}
	return length/2 + rand.N(length/2+1)
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
