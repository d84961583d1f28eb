package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/sluice-gateway/sluice/store"
)

func troubleCases() []testCase {
	return []testCase{
		{"an etcd that is away at the start is found when it comes", awayAtStart},
		{"a caller that gives up gets its own error", callerGivesUp},
		{"a write without an answer has an unknown outcome", unknownOutcome},
		{"out of space refuses writes and nothing else", noSpace},
		{"another etcd is read once and then followed", anotherEtcd},
		{"a restart of etcd is survived", restart},
		{"credentials are refused as such and recover", credentials},
	}
}

// within shortens the calls of a store that is meant to miss its answers.
func within(d time.Duration) func(*store.Config) {
	return func(cfg *store.Config) { cfg.CallTimeout = d }
}

func awayAtStart(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	relay.Cut()
	s := e.open(t, through(relay), within(300*time.Millisecond))
	if _, err := s.Read(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("read: got %v, want ErrUnavailable", err)
	}
	if _, err := s.Update(t.Context(), increment); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknownOutcome) {
		t.Errorf("update: got %v, want ErrUnavailable", err)
	}
	if err := s.Ping(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("ping: got %v, want ErrUnavailable", err)
	}
	w := watchLater(t, s)
	w.await(t, "the watch to say that etcd is away", func() bool { return len(w.health) > 0 })
	w.look(func() {
		if !errors.Is(w.health[0], store.ErrUnavailable) || len(w.images) != 0 {
			t.Errorf("got health %v and %d images, want ErrUnavailable and none", w.health, len(w.images))
		}
	})
	relay.Lead(t, e.cluster.Endpoints)
	w.await(t, "the watch to open", func() bool { return len(w.images) == 1 && w.up() })
}

func callerGivesUp(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	relay.Freeze()
	s := e.open(t, through(relay))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Read(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("read: got %v, want context.Canceled alone", err)
	}
	if _, err := s.Update(ctx, increment); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnknownOutcome) {
		t.Errorf("update: got %v, want context.Canceled alone", err)
	}
	if err := s.Watch(ctx, store.Watcher{Publish: func(store.Image) {}}); !errors.Is(err, context.Canceled) {
		t.Errorf("watch: got %v, want context.Canceled", err)
	}
}

func unknownOutcome(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	s := e.open(t, through(relay), within(1500*time.Millisecond))
	w := watch(t, e.open(t))
	_, err := s.Update(t.Context(), func(img store.Image) ([]store.Change, error) {
		relay.FreezeAnswers()
		return increment(img)
	})
	if !errors.Is(err, store.ErrUnknownOutcome) {
		t.Errorf("error: got %v, want ErrUnknownOutcome", err)
	}
	w.await(t, "the write that was reported as unknown", func() bool { return counter(w.last()) == 1 })
	relay.Thaw()
	update(t, s, increment)
	if got := counter(read(t, s)); got != 2 {
		t.Errorf("counter: got %d, want 2", got)
	}
}

// alarm arms or disarms etcd's NOSPACE alarm, as reaching the quota and an operator do.
func alarm(t testing.TB, e *env, action pb.AlarmRequest_AlarmAction) {
	t.Helper()
	members, err := e.etcd.MemberList(context.Background())
	if err != nil {
		t.Fatalf("list members: %v", err)
	}
	for _, m := range members.Members {
		request := &pb.AlarmRequest{Action: action, MemberID: m.ID, Alarm: pb.AlarmType_NOSPACE}
		if _, err := pb.NewMaintenanceClient(e.etcd.ActiveConnection()).Alarm(context.Background(), request); err != nil {
			t.Fatalf("alarm: %v", err)
		}
	}
}

func noSpace(t *testing.T, e *env) {
	s := e.open(t)
	update(t, s, set(model("a"), "1"))
	n := watchNodes(t, s)
	m := run(t, s, node("member"), "here")
	n.awaitLive(t, map[string]string{"member": "here"})
	alarm(t, e, pb.AlarmRequest_ACTIVATE)
	armed := true
	t.Cleanup(func() {
		if armed {
			alarm(t, e, pb.AlarmRequest_DEACTIVATE)
		}
	})
	calls := 0
	_, err := s.Update(t.Context(), func(img store.Image) ([]store.Change, error) {
		calls++
		return increment(img)
	})
	if !errors.Is(err, store.ErrNoSpace) || calls != 1 {
		t.Errorf("update: got %v after %d calls, want ErrNoSpace without a second try", err, calls)
	}
	if _, err := m.PutSignals(t.Context(), []byte("signals")); !errors.Is(err, store.ErrNoSpace) {
		t.Errorf("put signals: got %v, want ErrNoSpace", err)
	}
	w := watch(t, e.open(t))
	w.look(func() {
		if diff := cmp.Diff(map[string]string{"model/a": "1"}, values(w.last())); diff != "" {
			t.Errorf("a watch that began without space (-want +got):\n%s", diff)
		}
	})
	m.SetStatus([]byte("later"))
	late := run(t, s, node("late"), "joined without space")
	alarm(t, e, pb.AlarmRequest_DEACTIVATE)
	armed = false
	end := update(t, s, increment)
	w.awaitRevision(t, end.Revision)
	n.awaitLive(t, map[string]string{"member": "later", "late": "joined without space"})
	if _, err := late.PutSignals(t.Context(), []byte("signals")); err != nil {
		t.Errorf("put signals with space again: %v", err)
	}
}

func anotherEtcd(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	update(t, e.open(t), set(model("here"), "1"))
	w := watch(t, e.open(t, through(relay)))
	p := watchSignals(t, e.open(t, through(relay)))
	other := e.other(t)
	restored := e.open(t, func(cfg *store.Config) { cfg.Endpoints = other.Endpoints })
	first := update(t, restored, set(model("restored"), "1"))
	if seen := read(t, e.open(t)).Revision; first.Revision >= seen {
		t.Fatalf("the other etcd is at revision %d, not behind %d", first.Revision, seen)
	}
	relay.Lead(t, other.Endpoints)
	w.await(t, "the other etcd's document", func() bool { return len(w.last().Items) == 1 && w.last().Items[model("restored")].Value != nil })
	w.await(t, "the watch to open again", w.up)
	p.await(t, "the signals to be reset", func() bool { return len(p.log) == 2 && p.log[1] == "reset" })
	for range 3 {
		update(t, restored, increment)
	}
	w.await(t, "the writes after it", func() bool { return counter(w.last()) == 3 })
	w.look(func() {
		if len(w.resyncs) != 1 || len(w.images) != 5 {
			t.Errorf("got resyncs %q and %d images, want one and 5", w.resyncs, len(w.images))
		}
	})
}

func restart(t *testing.T, e *env) {
	if e.cluster.Restart == nil {
		t.Skip("this cluster cannot be restarted")
	}
	relay := NewRelay(t, e.cluster.Endpoints)
	s := e.open(t, through(relay))
	update(t, s, set(model("a"), "1"))
	w := watch(t, s)
	n := watchNodes(t, s)
	run(t, s, node("a"), "here")
	n.awaitLive(t, map[string]string{"a": "here"})
	e.restart(t, relay)
	end := update(t, s, set(model("a"), "2"))
	w.awaitRevision(t, end.Revision)
	w.await(t, "the watch to open again", w.up)
	n.awaitLive(t, map[string]string{"a": "here"})
	w.look(func() {
		if len(w.images) != 2 || len(w.resyncs) != 0 {
			t.Errorf("got %d images and resyncs %q, want 2 and none", len(w.images), w.resyncs)
		}
	})
}

// restart restarts etcd and leads the relay to it.
func (e *env) restart(t *testing.T, relay *Relay) {
	t.Helper()
	e.cluster.Endpoints = e.cluster.Restart(t)
	e.etcd.SetEndpoints(e.cluster.Endpoints...)
	relay.Lead(t, e.cluster.Endpoints)
}
