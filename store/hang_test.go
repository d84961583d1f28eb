package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/storetest"
)

// hurried opens a store over the relays' etcd that is quick to give up on a silent member.
func hurried(t *testing.T, relays ...*storetest.Relay) *store.Store {
	t.Helper()
	var endpoints []string
	for _, r := range relays {
		endpoints = append(endpoints, r.Endpoints()...)
	}
	s, err := store.Open(store.Config{Endpoints: endpoints, CallTimeout: 1500 * time.Millisecond})
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	store.Hurry(s)
	return s
}

// watched runs a watch and returns what it says.
func watched(t *testing.T, s *store.Store) (images chan store.Image, health chan error, resyncs chan string) {
	images, health, resyncs = make(chan store.Image, 1000), make(chan error, 1000), make(chan string, 1000)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- s.Watch(ctx, store.Watcher{
			Publish: func(i store.Image) { images <- i },
			Health:  func(err error) { offer(health, err) },
			Resync:  func(reason string) { offer(resyncs, reason) },
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return images, health, resyncs
}

func offer[T any](c chan T, v T) {
	select {
	case c <- v:
	default:
	}
}

// next returns what comes out of c, or fails when nothing ever does.
func next[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(time.Minute):
		t.Fatalf("nothing came for a minute: %s", what)
		panic("unreachable")
	}
}

func write(t *testing.T, s *store.Store, value string) store.Result {
	t.Helper()
	r, err := s.Update(t.Context(), func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: core.Ref{Kind: core.KindModel, ID: "a"}, Value: []byte(value)}}, nil
	})
	if err != nil {
		t.Fatalf("update: %v", err)
	}
	return r
}

func TestAMemberThatHangsHoldsUpNeitherReadsNorTheWatch(t *testing.T) {
	t.Parallel()
	etcd := cluster(t, "a")
	first, second := storetest.NewRelay(t, etcd.Endpoints), storetest.NewRelay(t, etcd.Endpoints)
	direct := hurried(t, storetest.NewRelay(t, etcd.Endpoints))
	s := hurried(t, first, second)
	images, _, _ := watched(t, s)
	next(t, "the first image", images)
	for i, hung := range []*storetest.Relay{first, second} {
		hung.Freeze()
		for j := range 3 {
			want := fmt.Sprint(i, j)
			revision := write(t, direct, want).Revision
			if got := next(t, "the write beside a hung member", images); got.Revision != revision {
				t.Errorf("image: got revision %d, want %d", got.Revision, revision)
			}
			img, err := s.Read(t.Context())
			if err != nil || img.Settled() != revision {
				t.Errorf("read: got revision %d, error %v, want %d", img.Settled(), err, revision)
			}
		}
		hung.Thaw()
	}
}

func TestAMemberThatNeverAnswersDoesNotHoldUpTheStart(t *testing.T) {
	t.Parallel()
	relay := storetest.NewRelay(t, cluster(t, "a").Endpoints)
	relay.Freeze()
	images, health, _ := watched(t, hurried(t, relay))
	if err := next(t, "the watch to say so", health); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("health: got %v, want ErrUnavailable", err)
	}
	relay.Thaw()
	next(t, "the first image", images)
}

// A backup with another history, the same cluster id and higher revisions looks like a continuation to
// every watch.
func TestARestoredBackupIsFoundByTheAudit(t *testing.T) {
	t.Parallel()
	before, after := cluster(t, "same"), cluster(t, "same")
	relay := storetest.NewRelay(t, before.Endpoints)
	old, restored := hurried(t, storetest.NewRelay(t, before.Endpoints)), hurried(t, storetest.NewRelay(t, after.Endpoints))
	write(t, old, "old")
	write(t, old, "newer than the backup")
	s := hurried(t, relay)
	store.Audit(s, 100*time.Millisecond)
	images, health, resyncs := watched(t, s)
	next(t, "the first image", images)
	next(t, "the watch to open", health)
	write(t, restored, "restored")
	elsewhere, err := store.Open(store.Config{Endpoints: after.Endpoints, Prefix: "/elsewhere"})
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() { elsewhere.Close() })
	for i := range 5 {
		write(t, elsewhere, fmt.Sprint(i))
	}
	relay.Lead(t, after.Endpoints)
	next(t, "the audit to find a difference", resyncs)
	img := next(t, "the restored document", images)
	if got := string(img.Items[core.Ref{Kind: core.KindModel, ID: "a"}].Value); got != "restored" {
		t.Errorf("document: got %q, want %q", got, "restored")
	}
	revision := write(t, restored, "next").Revision
	if got := next(t, "the write after it", images); got.Revision != revision {
		t.Errorf("image: got revision %d, want %d", got.Revision, revision)
	}
}

func TestAnAuditOfWhatIsRightChangesNothing(t *testing.T) {
	t.Parallel()
	etcd := cluster(t, "a")
	s := hurried(t, storetest.NewRelay(t, etcd.Endpoints))
	store.Audit(s, time.Millisecond)
	images, _, resyncs := watched(t, s)
	next(t, "the first image", images)
	for i := range 100 {
		revision := write(t, s, fmt.Sprint(i)).Revision
		if got := next(t, "the write", images); got.Revision != revision {
			t.Errorf("image: got revision %d, want %d", got.Revision, revision)
		}
	}
	if len(resyncs) > 0 {
		t.Errorf("resync: %s", <-resyncs)
	}
}
