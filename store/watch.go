package store

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"golang.org/x/sync/errgroup"

	"github.com/sluice-gateway/sluice/core"
)

// Watcher receives the document. Its functions are called one at a time and in order; while one runs, the
// watch waits. All but Publish may be nil.
type Watcher struct {
	// Publish gets the document when it is first known, and once for each transaction that touched a
	// resource. What happened while etcd could not be followed change by change comes as one image.
	Publish func(Image)
	// Progress says that the published document is still true at that later revision.
	Progress func(revision int64)
	// Health gets nil each time the document is followed again, and what ended that each time it or an
	// attempt to follow it again failed. The published document stays as it is.
	Health func(error)
	// Resync says why the document is about to be read as a whole again.
	Resync func(reason string)
}

// Watch follows the document until ctx ends, and returns ctx's error. It survives everything else: lost
// connections, silent members, compaction, refused credentials, and an etcd restored from a backup. A
// failed or partial read publishes nothing, and neither does a resync that finds nothing changed.
func (s *Store) Watch(ctx context.Context, w Watcher) error {
	d := &documentSink{keys: s.keys, vault: s.vault, watcher: w, log: s.log}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return s.follow(ctx, s.keys.document(), sink{
			load: d.load, apply: d.apply, progress: d.progress, health: d.health, resync: d.resync, verify: d.verify,
		})
	})
	if s.vault.keys != nil {
		g.Go(func() error { return d.followKeys(ctx, s.timings.keys) })
	}
	return g.Wait()
}

// documentSink is called by the follower of etcd and by that of the keyset.
type documentSink struct {
	keys  keys
	vault vault
	log   *slog.Logger

	mu      sync.Mutex // held while the watcher is called, too: one call at a time
	watcher Watcher
	image   Image
	loaded  bool
}

func (d *documentSink) progress(revision int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.progressLocked(revision)
}

func (d *documentSink) progressLocked(revision int64) {
	if d.watcher.Progress != nil {
		d.watcher.Progress(revision)
	}
}

func (d *documentSink) health(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watcher.Health != nil {
		d.watcher.Health(err)
	}
}

func (d *documentSink) resync(reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watcher.Resync != nil {
		d.watcher.Resync(reason)
	}
}

func (d *documentSink) load(l listing, _ bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	img, ignored := d.vault.image(d.keys, l)
	if len(ignored) > 0 {
		d.log.Warn("keys below the prefix are no known resources; ignored", "count", len(ignored), "first", ignored[0])
	}
	same := d.loaded && d.image.sameItems(img)
	d.image, d.loaded = img, true
	if same {
		d.progressLocked(img.Revision)
	} else {
		d.watcher.Publish(img)
	}
}

func (d *documentSink) apply(revision int64, events []*mvccpb.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := d.image
	next.Revision = revision
	touched := false
	for _, e := range events {
		ref, ok := d.keys.ref(e.Kv.Key)
		switch {
		case ok:
			if !touched {
				next.Items, touched = maps.Clone(next.Items), true
			}
			d.applyItem(next.Items, ref, e)
		case string(e.Kv.Key) == d.keys.generation():
			next.Generation = generationAfter(e)
		default:
			d.log.Warn("a key below the prefix is no known resource; ignored", "key", string(e.Kv.Key))
		}
	}
	d.image = next
	if touched {
		d.watcher.Publish(next)
	} else {
		d.progressLocked(revision)
	}
}

func (d *documentSink) applyItem(items map[core.Ref]Item, ref core.Ref, e *mvccpb.Event) {
	if e.Type == mvccpb.Event_DELETE {
		delete(items, ref)
		return
	}
	items[ref] = d.vault.item(ref, e.Kv)
}

func generationAfter(e *mvccpb.Event) int64 {
	if e.Type == mvccpb.Event_DELETE {
		return 0
	}
	return e.Kv.ModRevision
}

// verify checks that a listing has the same resources at the same revisions.
func (d *documentSink) verify() func(listing) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	held := d.image
	return func(l listing) error {
		listed, _ := d.vault.image(d.keys, l)
		for ref, item := range listed.Items {
			if mine, ok := held.Items[ref]; !ok || mine.Modified != item.Modified {
				return fmt.Errorf("%s is not the one that was followed", ref)
			}
		}
		if len(listed.Items) != len(held.Items) {
			return fmt.Errorf("%d resources were followed, etcd holds %d", len(held.Items), len(listed.Items))
		}
		return nil
	}
}
