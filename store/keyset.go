package store

import (
	"context"
	"maps"
	"time"
)

// followKeys looks at the keyset file again and again. Other keys are a new image: what could not be opened before may
// open now, and whoever tells of the keys has something to tell.
func (d *documentSink) followKeys(ctx context.Context, every time.Duration) error {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	known := d.vault.keys.Keyset()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks.C:
		}
		d.vault.keys.Refresh()
		if now := d.vault.keys.Keyset(); !now.SameIDs(known) {
			known = now
			d.reopen()
		}
	}
}

func (d *documentSink) reopen() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.loaded {
		return
	}
	items := maps.Clone(d.image.Items)
	for ref, item := range items {
		if item.Locked() {
			items[ref] = d.vault.open(ref, item)
		}
	}
	d.image.Items = items
	d.watcher.Publish(d.image)
}
