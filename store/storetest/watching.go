package storetest

import (
	"context"
	"fmt"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// watching records everything that a watch of the document says.
type watching struct {
	*board
	images   []store.Image
	progress int64
	health   []error
	resyncs  []string
}

// watch follows s until the test ends, and returns once the first image is there and the watch is open.
func watch(t testing.TB, s *store.Store) *watching {
	t.Helper()
	w := watchLater(t, s)
	w.await(t, "the watch to open", func() bool { return len(w.images) > 0 && w.up() })
	return w
}

// watchLater is watch for an etcd that is not there yet.
func watchLater(t testing.TB, s *store.Store) *watching {
	t.Helper()
	w := &watching{board: newBoard()}
	watcher := store.Watcher{
		Publish:  func(i store.Image) { w.note(func() { w.images = append(w.images, i) }) },
		Progress: func(r int64) { w.note(func() { w.progress = max(w.progress, r) }) },
		Health:   func(err error) { w.note(func() { w.health = append(w.health, err) }) },
		Resync:   func(reason string) { w.note(func() { w.resyncs = append(w.resyncs, reason) }) },
	}
	start(t, func(ctx context.Context) error { return s.Watch(ctx, watcher) })
	return w
}

// up says whether the watch is open; the board is held.
func (w *watching) up() bool { return len(w.health) > 0 && w.health[len(w.health)-1] == nil }

// last is the image published last; the board is held.
func (w *watching) last() store.Image {
	if len(w.images) == 0 {
		return store.Image{}
	}
	return w.images[len(w.images)-1]
}

// seen is the revision up to which everything was reported; the board is held.
func (w *watching) seen() int64 { return max(w.progress, w.last().Revision) }

// awaitRevision waits until everything up to that revision was reported.
func (w *watching) awaitRevision(t testing.TB, revision int64) {
	t.Helper()
	w.await(t, fmt.Sprintf("revision %d", revision), func() bool { return w.seen() >= revision })
}

// count returns how many images were published.
func (w *watching) count() (n int) {
	w.look(func() { n = len(w.images) })
	return n
}

// model is the name of a resource; the store does not look into its value.
func model(id string) core.Ref { return core.Ref{Kind: core.KindModel, ID: id} }

// set returns an apply that writes one value.
func set(ref core.Ref, value string) func(store.Image) ([]store.Change, error) {
	return func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: ref, Value: []byte(value)}}, nil
	}
}

// remove returns an apply that deletes one resource.
func remove(ref core.Ref) func(store.Image) ([]store.Change, error) {
	return func(store.Image) ([]store.Change, error) { return []store.Change{{Ref: ref}}, nil }
}

// update must succeed.
func update(t testing.TB, s *store.Store, apply func(store.Image) ([]store.Change, error)) store.Result {
	t.Helper()
	r, err := s.Update(t.Context(), apply)
	if err != nil {
		t.Fatalf("update: %v", err)
	}
	return r
}

// read must succeed.
func read(t testing.TB, s *store.Store) store.Image {
	t.Helper()
	img, err := s.Read(t.Context())
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return img
}

// values returns the document as text, for comparing.
func values(img store.Image) map[string]string {
	out := map[string]string{}
	for ref, item := range img.Items {
		out[ref.String()] = string(item.Value)
	}
	return out
}
