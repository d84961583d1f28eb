package storetest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/store"
)

func watchCases() []testCase {
	return []testCase{
		{"one transaction is one image", oneTransactionOneImage},
		{"watches that begin under writes have no gap", noGap},
		{"a long list does not hold up a change", listBesideWatch},
		{"after a disconnect the watch goes on change by change", resume},
		{"transactions that are split on the wire arrive whole", fragments},
		{"after a compaction the document is read again with its deletes", compactedAway},
		{"a resync that finds nothing changed publishes nothing", idleResync},
		{"an idle watch moves on with the cluster and needs no resync", idleProgress},
		{"keys that are no resources are logged and nothing else", garbageIsLogged},
		{"the last resource deleted is an empty document", emptied},
	}
}

func oneTransactionOneImage(t *testing.T, e *env) {
	s := e.open(t)
	update(t, s, set(model("old"), "1"))
	w := watch(t, s)
	result := update(t, s, func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: model("old")}, {Ref: model("a"), Value: []byte("1")}, {Ref: model("b"), Value: []byte("2")}}, nil
	})
	end := update(t, s, set(model("c"), "3"))
	w.awaitRevision(t, end.Revision)
	var got []map[string]string
	w.look(func() {
		for _, img := range w.images {
			got = append(got, values(img))
		}
		if i := w.images[1]; i.Revision != result.Revision || i.Generation != result.Revision {
			t.Errorf("image: got revision %d, generation %d, want %d", i.Revision, i.Generation, result.Revision)
		}
	})
	want := []map[string]string{
		{"model/old": "1"},
		{"model/a": "1", "model/b": "2"},
		{"model/a": "1", "model/b": "2", "model/c": "3"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
	img := read(t, s)
	w.look(func() {
		if diff := cmp.Diff(img.Items, w.last().Items, cmpopts.IgnoreUnexported(store.Item{})); diff != "" {
			t.Errorf("what was followed differs from what is read (-read +followed):\n%s", diff)
		}
	})
}

func noGap(t *testing.T, e *env) {
	const each = 60
	var writers sync.WaitGroup
	for range 2 {
		s := e.open(t)
		writers.Go(func() {
			for range each {
				if _, err := s.Update(t.Context(), increment); err != nil {
					t.Errorf("update: %v", err)
				}
			}
		})
	}
	var watches []*watching
	for range 6 {
		w := watch(t, e.open(t))
		watches = append(watches, w)
		n := 0
		w.look(func() { n = counter(w.last()) })
		watches[0].await(t, "some more writes", func() bool { return counter(watches[0].last()) >= min(n+5, 2*each) })
	}
	writers.Wait()
	for i, w := range watches {
		w.await(t, "the last write", func() bool { return counter(w.last()) == 2*each })
		var images []store.Image
		w.look(func() { images = w.images })
		for j := 1; j < len(images); j++ {
			before, after := images[j-1], images[j]
			if counter(after) != counter(before)+1 || after.Revision <= before.Revision {
				t.Errorf("watch %d: counter %d at revision %d follows %d at %d", i, counter(after), after.Revision, counter(before), before.Revision)
			}
		}
	}
}

func listBesideWatch(t *testing.T, e *env) {
	fill(t, e, 10_000, 100)
	s := e.open(t)
	w := watch(t, s)
	lists := newBoard()
	done := 0
	for range 2 {
		start(t, func(ctx context.Context) error {
			for ctx.Err() == nil {
				if _, err := s.Read(ctx); err == nil {
					lists.note(func() { done++ })
				}
			}
			return nil
		})
	}
	lists.await(t, "lists under way", func() bool { return done >= 2 })
	before := 0
	lists.look(func() { before = done })
	w.awaitRevision(t, e.put(t, "/resources/model/a", "changed"))
	after := 0
	lists.look(func() { after = done })
	if after-before > 6 {
		t.Errorf("%d long lists went by before a change arrived", after-before)
	}
}

func resume(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	direct := e.open(t)
	update(t, direct, set(model("a"), "1"))
	w := watch(t, e.open(t, through(relay)))
	relay.Cut()
	w.await(t, "the lost connection to show", func() bool { return !w.up() })
	update(t, direct, set(model("b"), "2"))
	update(t, direct, remove(model("a")))
	end := update(t, direct, set(model("b"), "3"))
	relay.Lead(t, e.cluster.Endpoints)
	w.awaitRevision(t, end.Revision)
	w.look(func() {
		if len(w.images) != 4 || len(w.resyncs) != 0 {
			t.Errorf("got %d images and resyncs %q, want 4 and none", len(w.images), w.resyncs)
		}
		for _, err := range w.health {
			if err != nil && !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("health: got %v, want ErrUnavailable", err)
			}
		}
		if diff := cmp.Diff(map[string]string{"model/b": "3"}, values(w.last())); diff != "" {
			t.Errorf("document (-want +got):\n%s", diff)
		}
	})
}

func fragments(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	direct := e.open(t)
	w := watch(t, e.open(t, through(relay)))
	relay.Cut()
	w.await(t, "the lost connection to show", func() bool { return !w.up() })
	half := bytes.Repeat([]byte("x"), 600<<10)
	var end store.Result
	for i := range 4 {
		end = update(t, direct, func(store.Image) ([]store.Change, error) {
			value := append([]byte{byte('0' + i)}, half...)
			return []store.Change{{Ref: model("a"), Value: value}, {Ref: model("b"), Value: value}}, nil
		})
	}
	relay.Lead(t, e.cluster.Endpoints)
	w.awaitRevision(t, end.Revision)
	w.look(func() {
		if len(w.images) != 5 {
			t.Errorf("images: got %d, want one for each of 4 transactions after the first", len(w.images))
		}
		for _, img := range w.images[1:] {
			if a, b := img.Items[model("a")], img.Items[model("b")]; !bytes.Equal(a.Value, b.Value) || a.Modified != b.Modified {
				t.Errorf("image at %d holds half a transaction: revisions %d and %d", img.Revision, a.Modified, b.Modified)
			}
		}
	})
}

func compactedAway(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	direct := e.open(t)
	update(t, direct, func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: model("kept"), Value: []byte("1")}, {Ref: model("deleted"), Value: []byte("1")}, {Ref: model("corrupted"), Value: []byte("1")}}, nil
	})
	w := watch(t, e.open(t, through(relay)))
	relay.Cut()
	w.await(t, "the lost connection to show", func() bool { return !w.up() })
	update(t, direct, remove(model("deleted")))
	update(t, direct, set(model("added"), "2"))
	e.put(t, "/resources/model/corrupted", "\x00 not JSON")
	end := update(t, direct, set(model("kept"), "2"))
	e.compact(t)
	relay.Lead(t, e.cluster.Endpoints)
	w.awaitRevision(t, end.Revision)
	w.await(t, "the watch to open again", w.up)
	w.look(func() {
		if len(w.images) != 2 || len(w.resyncs) != 1 {
			t.Errorf("got %d images and resyncs %q, want 2 and one", len(w.images), w.resyncs)
		}
		want := map[string]string{"model/kept": "2", "model/added": "2", "model/corrupted": "\x00 not JSON"}
		if diff := cmp.Diff(want, values(w.last())); diff != "" {
			t.Errorf("document (-want +got):\n%s", diff)
		}
	})
	next := update(t, direct, set(model("kept"), "3"))
	w.awaitRevision(t, next.Revision)
	if got := w.count(); got != 3 {
		t.Errorf("images after the next write: got %d, want 3", got)
	}
}

func idleResync(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	direct := e.open(t)
	update(t, direct, set(model("a"), "1"))
	w := watch(t, e.open(t, through(relay)))
	relay.Cut()
	w.await(t, "the lost connection to show", func() bool { return !w.up() })
	busy := e.put(t, "/fleet/busy", "another prefix of the same etcd")
	e.compact(t)
	relay.Lead(t, e.cluster.Endpoints)
	w.awaitRevision(t, busy)
	w.look(func() {
		if len(w.images) != 1 || len(w.resyncs) != 1 {
			t.Errorf("got %d images and resyncs %q, want 1 and one", len(w.images), w.resyncs)
		}
	})
}

func idleProgress(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	w := watch(t, e.open(t, through(relay)))
	busy := e.put(t, "/fleet/busy", "another prefix of the same etcd")
	w.awaitRevision(t, busy)
	relay.Cut()
	w.await(t, "the lost connection to show", func() bool { return !w.up() })
	if _, err := e.etcd.Compact(t.Context(), busy, clientv3.WithCompactPhysical()); err != nil {
		t.Fatalf("compact: %v", err)
	}
	relay.Lead(t, e.cluster.Endpoints)
	end := update(t, e.open(t), set(model("a"), "1"))
	w.awaitRevision(t, end.Revision)
	w.look(func() {
		if len(w.images) != 2 || len(w.resyncs) != 0 {
			t.Errorf("got %d images and resyncs %q, want 2 and none", len(w.images), w.resyncs)
		}
	})
}

func garbageIsLogged(t *testing.T, e *env) {
	log := &lines{}
	e.put(t, "/resources/plugin/first", "garbage")
	s := e.open(t, func(cfg *store.Config) { cfg.Logger = slog.New(slog.NewTextHandler(log, nil)) })
	w := watch(t, s)
	for _, key := range garbage() {
		e.put(t, key, "garbage")
	}
	end := update(t, s, set(model("a"), "1"))
	w.awaitRevision(t, end.Revision)
	if got := w.count(); got != 2 {
		t.Errorf("images: got %d, want the first and that of the write", got)
	}
	if got := log.count("/resources/plugin/first"); got != 1 {
		t.Errorf("lines about a key that was there: got %d, want 1", got)
	}
	if got := log.count("/resources/plugin/a"); got != 1 {
		t.Errorf("lines about a key that came: got %d, want 1", got)
	}
}

func emptied(t *testing.T, e *env) {
	s := e.open(t)
	update(t, s, set(model("a"), "1"))
	w := watch(t, s)
	end := update(t, s, remove(model("a")))
	w.awaitRevision(t, end.Revision)
	w.look(func() {
		if len(w.images) != 2 || len(w.last().Items) != 0 {
			t.Errorf("got %d images, the last with %v", len(w.images), values(w.last()))
		}
	})
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for line := range strings.Lines(l.text.String()) {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}
