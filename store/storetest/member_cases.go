package storetest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/store"
)

func memberCases() []testCase {
	return []testCase{
		{"a node shows its last status and signals", memberShows},
		{"a revoked lease is replaced and the status put again", memberRevoked},
		{"a node that is cut off disappears and comes back", memberCutOff},
		{"a node that dies disappears with its lease", memberDies},
		{"a node that leaves is gone at once and its signals later", memberLeaves},
		{"leaving after the run has ended is the same", memberLeavesAfterRun},
		{"an old process does not remove its successor", memberSuccessor},
		{"signals can be put whenever there is a lease", memberWithoutLease},
		{"a bad name is refused", memberBadName},
	}
}

// shortTTL is the least that every etcd grants.
const shortTTL = 2 * time.Second

func node(id string) store.MemberConfig {
	return store.MemberConfig{Node: id, Cell: "cell", TTL: shortTTL}
}

// nodes follows the live nodes until the test ends.
type nodes struct {
	*board
	live  map[string]string
	calls int
}

func watchNodes(t testing.TB, s *store.Store) *nodes {
	t.Helper()
	n := &nodes{board: newBoard()}
	start(t, func(ctx context.Context) error {
		return s.WatchNodes(ctx, func(records []store.NodeRecord) {
			n.note(func() {
				n.live = map[string]string{}
				for _, r := range records {
					n.live[r.Node] = string(r.Value)
				}
				n.calls++
			})
		})
	})
	n.await(t, "the first set of nodes", func() bool { return n.calls > 0 })
	return n
}

func (n *nodes) awaitLive(t testing.TB, want map[string]string) {
	t.Helper()
	n.await(t, "other nodes to live", func() bool { return maps.Equal(n.live, want) })
}

// run joins and runs a member until the test ends.
func run(t testing.TB, s *store.Store, cfg store.MemberConfig, status string) *store.Member {
	t.Helper()
	m := s.Join(cfg)
	m.SetStatus([]byte(status))
	start(t, m.Run)
	return m
}

// key returns a key's value and lease past the store; the value is "" when there is none.
func (e *env) key(t testing.TB, key string) (value string, lease clientv3.LeaseID) {
	t.Helper()
	resp, err := e.etcd.Get(t.Context(), e.prefix+key)
	if err != nil {
		t.Fatalf("get %s: %v", key, err)
	}
	if len(resp.Kvs) == 0 {
		return "", 0
	}
	return string(resp.Kvs[0].Value), clientv3.LeaseID(resp.Kvs[0].Lease)
}

func memberShows(t *testing.T, e *env) {
	s := e.open(t)
	n := watchNodes(t, s)
	m := run(t, s, node("a"), "first")
	n.awaitLive(t, map[string]string{"a": "first"})
	m.SetStatus([]byte("second"))
	m.SetStatus([]byte("third"))
	n.awaitLive(t, map[string]string{"a": "third"})
	putSignals(t, m, "signals")
	_, lease := e.key(t, "/fleet/nodes/a")
	if value, other := e.key(t, "/fleet/signals/cell/a"); value != "signals" || other != lease || lease == 0 {
		t.Errorf("signals: got %q under lease %x, want the node's lease %x", value, other, lease)
	}
	m.SetStatus([]byte("third"))
	records, err := s.Nodes(t.Context())
	want := []store.NodeRecord{{Node: "a", Value: []byte("third")}}
	if err != nil || len(records) != 1 || records[0].Modified == 0 {
		t.Fatalf("nodes: got %+v, error %v", records, err)
	}
	records[0].Modified = 0
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

// putSignals must succeed.
func putSignals(t testing.TB, m *store.Member, value string) int64 {
	t.Helper()
	revision, err := m.PutSignals(t.Context(), []byte(value))
	if err != nil {
		t.Fatalf("put signals: %v", err)
	}
	return revision
}

func memberRevoked(t *testing.T, e *env) {
	s := e.open(t)
	n := watchNodes(t, s)
	run(t, s, node("a"), "here")
	n.awaitLive(t, map[string]string{"a": "here"})
	_, lease := e.key(t, "/fleet/nodes/a")
	if _, err := e.etcd.Revoke(t.Context(), lease); err != nil {
		t.Fatalf("revoke: %v", err)
	}
	n.awaitLive(t, map[string]string{})
	n.awaitLive(t, map[string]string{"a": "here"})
	if _, next := e.key(t, "/fleet/nodes/a"); next == lease {
		t.Errorf("the status is under the revoked lease %x", lease)
	}
}

func memberCutOff(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	n := watchNodes(t, e.open(t))
	m := run(t, e.open(t, through(relay)), node("a"), "before")
	n.awaitLive(t, map[string]string{"a": "before"})
	relay.Freeze()
	n.awaitLive(t, map[string]string{})
	m.SetStatus([]byte("after"))
	relay.Lead(t, e.cluster.Endpoints)
	n.awaitLive(t, map[string]string{"a": "after"})
}

func memberDies(t *testing.T, e *env) {
	s := e.open(t)
	n := watchNodes(t, s)
	ctx, die := context.WithCancel(t.Context())
	m := s.Join(node("a"))
	m.SetStatus([]byte("here"))
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	n.awaitLive(t, map[string]string{"a": "here"})
	die()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("run: got %v, want the context's error", err)
	}
	if value, _ := e.key(t, "/fleet/nodes/a"); value != "here" {
		t.Errorf("the key went with the process, not with the lease: got %q", value)
	}
	n.awaitLive(t, map[string]string{})
}

func memberLeaves(t *testing.T, e *env) {
	s := e.open(t)
	n := watchNodes(t, s)
	p := watchSignals(t, s)
	m := run(t, s, node("a"), "here")
	n.awaitLive(t, map[string]string{"a": "here"})
	putSignals(t, m, "last")
	if err := m.Leave(t.Context()); err != nil {
		t.Fatalf("leave: %v", err)
	}
	if value, _ := e.key(t, "/fleet/nodes/a"); value != "" {
		t.Errorf("presence after leaving: got %q", value)
	}
	if value, _ := e.key(t, "/fleet/signals/cell/a"); value != "last" {
		t.Errorf("signals after leaving: got %q, want the last", value)
	}
	m.SetStatus([]byte("again"))
	p.await(t, "the lease to expire", func() bool { return slices.Contains(p.log, "gone a") })
	n.awaitLive(t, map[string]string{})
}

func memberLeavesAfterRun(t *testing.T, e *env) {
	s := e.open(t)
	n := watchNodes(t, s)
	ctx, stop := context.WithCancel(t.Context())
	m := s.Join(node("a"))
	m.SetStatus([]byte("here"))
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	n.awaitLive(t, map[string]string{"a": "here"})
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("run: got %v, want the context's error", err)
	}
	if err := m.Leave(t.Context()); err != nil {
		t.Fatalf("leave: %v", err)
	}
	if value, _ := e.key(t, "/fleet/nodes/a"); value != "" {
		t.Errorf("presence after leaving: got %q", value)
	}
}

func memberSuccessor(t *testing.T, e *env) {
	s := e.open(t)
	n := watchNodes(t, s)
	old := run(t, s, node("a"), "old")
	n.awaitLive(t, map[string]string{"a": "old"})
	run(t, s, node("a"), "new")
	n.awaitLive(t, map[string]string{"a": "new"})
	if err := old.Leave(t.Context()); err != nil {
		t.Fatalf("leave: %v", err)
	}
	if value, _ := e.key(t, "/fleet/nodes/a"); value != "new" {
		t.Errorf("the successor's presence: got %q, want %q", value, "new")
	}
}

func memberWithoutLease(t *testing.T, e *env) {
	s := e.open(t)
	granted := make(chan struct{}, 8)
	cfg := node("a")
	cfg.Granted = func() { granted <- struct{}{} }
	m := s.Join(cfg)
	if _, err := m.PutSignals(t.Context(), []byte("early")); !errors.Is(err, store.ErrNoLease) {
		t.Errorf("put signals: got %v, want ErrNoLease", err)
	}
	p := watchSignals(t, s)
	start(t, m.Run)
	for _, value := range []string{"first", "again"} {
		<-granted
		if first, second := putSignals(t, m, value), putSignals(t, m, value); first >= second {
			t.Errorf("two puts at revisions %d and %d", first, second)
		}
		p.await(t, "the signals", func() bool { return slices.Contains(p.log, "put a "+value) })
		_, lease := e.key(t, "/fleet/signals/cell/a")
		if _, err := e.etcd.Revoke(t.Context(), lease); err != nil {
			t.Fatalf("revoke: %v", err)
		}
	}
	<-granted
	p.look(func() {
		if slices.Contains(p.log, "put a early") {
			t.Error("what could not be put was put later")
		}
	})
}

func memberBadName(t *testing.T, e *env) {
	s := e.open(t)
	for _, cfg := range []store.MemberConfig{{Node: "a/b", Cell: "c"}, {Node: "", Cell: "c"}, {Node: "a", Cell: "c/d"}, {Node: "a"}} {
		if err := s.Join(cfg).Run(t.Context()); err == nil || t.Context().Err() != nil {
			t.Errorf("%+v: got %v, want an error at once", cfg, err)
		}
	}
}
