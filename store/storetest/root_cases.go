package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/store"
)

func rootCases() []testCase {
	return []testCase{
		{"of all nodes that claim a cell one is its aggregator", claimOnce},
		{"a claim goes with its lease and another node takes it", claimLost},
		{"a node that leaves gives its claim up at once", claimLeft},
		{"a root only ever gives way to one that has processed more", rootForward},
		{"two aggregators do no harm", rootContested},
		{"a watch brings the root as it is and as it changes", rootFlow},
		{"who resigns takes the root along", rootResigned},
	}
}

// roots records what a watch of a cell's root says.
type roots struct {
	*board
	log []string
	up  bool
}

func watchRoot(t testing.TB, s *store.Store) *roots {
	t.Helper()
	p := &roots{board: newBoard()}
	say := func(format string, args ...any) {
		p.note(func() { p.log = append(p.log, fmt.Sprintf(format, args...)) })
	}
	start(t, func(ctx context.Context) error {
		return s.WatchRoot(ctx, "cell", store.RootWatcher{
			Aggregator: func(node string) { say("aggregator %q", node) },
			Live:       func(nodes []string) { say("live %s", strings.Join(nodes, " ")) },
			Root:       func(r store.Root) { say("root %d %s", r.Processed, r.Value) },
			Health:     func(err error) { p.note(func() { p.up = err == nil }) },
		})
	})
	p.await(t, "the root's watch to open", func() bool { return p.up })
	return p
}

func (p *roots) awaitLast(t testing.TB, want string) {
	t.Helper()
	p.await(t, want, func() bool { return len(p.log) > 0 && p.log[len(p.log)-1] == want })
}

// leased runs a member until the test ends, and returns once it has a lease.
func leased(t testing.TB, s *store.Store, id string) *store.Member {
	t.Helper()
	granted := make(chan struct{}, 8)
	cfg := node(id)
	cfg.Granted = func() { granted <- struct{}{} }
	m := s.Join(cfg)
	start(t, m.Run)
	<-granted
	return m
}

// claim must succeed, whoever wins.
func claim(t testing.TB, m *store.Member) bool {
	t.Helper()
	won, err := m.Claim(t.Context())
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	return won
}

// putRoot must succeed, whether the root is taken or not.
func putRoot(t testing.TB, m *store.Member, processed int64, value string, live ...string) bool {
	t.Helper()
	taken, err := m.PutRoot(t.Context(), store.Root{Processed: processed, Value: []byte(value)}, live)
	if err != nil {
		t.Fatalf("put root: %v", err)
	}
	return taken
}

func claimOnce(t *testing.T, e *env) {
	s := e.open(t)
	if _, err := s.Join(node("idle")).Claim(t.Context()); !errors.Is(err, store.ErrNoLease) {
		t.Errorf("claim without a lease: got %v, want ErrNoLease", err)
	}
	var members []*store.Member
	for i := range 8 {
		members = append(members, leased(t, s, fmt.Sprint("n", i)))
	}
	won := make([]bool, len(members))
	var wg sync.WaitGroup
	for i, m := range members {
		wg.Go(func() { won[i], _ = m.Claim(t.Context()) })
	}
	wg.Wait()
	winner := slices.Index(won, true)
	if winner < 0 || slices.Contains(won[winner+1:], true) {
		t.Fatalf("claims: got %v, want one", won)
	}
	for i, m := range members {
		if claim(t, m) != (i == winner) {
			t.Errorf("node %d claims again: got %t", i, i != winner)
		}
	}
	if value, _ := e.key(t, "/fleet/roots/cell/aggregator"); value != fmt.Sprint("n", winner) {
		t.Errorf("the aggregator is %q, want node %d", value, winner)
	}
}

func claimLost(t *testing.T, e *env) {
	s := e.open(t)
	a, b, p := leased(t, s, "a"), leased(t, s, "b"), watchRoot(t, s)
	for want, m := range []*store.Member{a, b} {
		if got, err := s.CountSignals(t.Context(), "cell"); err != nil || got != want {
			t.Errorf("signals: got %d, error %v, want %d", got, err, want)
		}
		putSignals(t, m, "signals")
	}
	if !claim(t, a) || !putRoot(t, a, 7, "root", "a", "b") {
		t.Fatal("a is not the aggregator")
	}
	p.awaitLast(t, "root 7 root")
	_, lease := e.key(t, "/fleet/roots/cell/aggregator")
	if _, other := e.key(t, "/fleet/roots/cell/root"); other != lease {
		t.Errorf("the root is under lease %x, the claim under %x", other, lease)
	}
	if _, err := e.etcd.Revoke(t.Context(), lease); err != nil {
		t.Fatalf("revoke: %v", err)
	}
	p.awaitLast(t, `aggregator ""`)
	if value, _ := e.key(t, "/fleet/roots/cell/root"); value != "" {
		t.Errorf("the root outlives its aggregator's lease: %q", value)
	}
	if _, err := a.PutRoot(t.Context(), store.Root{Processed: 8}, nil); !errors.Is(err, store.ErrNoLease) {
		t.Errorf("put root after the claim is lost: got %v, want ErrNoLease", err)
	}
	if !claim(t, b) || !putRoot(t, b, 3, "next") {
		t.Error("b does not take over")
	}
	p.awaitLast(t, "root 3 next")
}

func claimLeft(t *testing.T, e *env) {
	s := e.open(t)
	a, b := leased(t, s, "a"), leased(t, s, "b")
	if !claim(t, a) || !putRoot(t, a, 7, "root") || claim(t, b) {
		t.Fatal("a is not the aggregator")
	}
	if err := a.Leave(t.Context()); err != nil {
		t.Fatalf("leave: %v", err)
	}
	if value, _ := e.key(t, "/fleet/roots/cell/root"); !strings.HasSuffix(value, "root") {
		t.Errorf("root: got %q, want it to stay until there is another or the lease expires", value)
	}
	if !claim(t, b) {
		t.Error("b cannot claim what a has left")
	}
}

func rootForward(t *testing.T, e *env) {
	s := e.open(t)
	m := leased(t, s, "a")
	if _, err := m.PutRoot(t.Context(), store.Root{Processed: 1}, nil); !errors.Is(err, store.ErrNoLease) {
		t.Errorf("put root without a claim: got %v, want ErrNoLease", err)
	}
	claim(t, m)
	for _, step := range []struct {
		processed int64
		taken     bool
	}{{5, true}, {5, false}, {4, false}, {0, false}, {6, true}, {255, true}, {256, true}, {65536, true}, {511, false}, {1 << 40, true}, {65537, false}} {
		if got := putRoot(t, m, step.processed, "longer than any number"); got != step.taken {
			t.Errorf("root that has processed %d: taken is %t, want %t", step.processed, got, step.taken)
		}
	}
}

func rootContested(t *testing.T, e *env) {
	s := e.open(t)
	a, b, p := leased(t, s, "a"), leased(t, s, "b"), watchRoot(t, s)
	claim(t, a)
	if _, err := e.etcd.Delete(t.Context(), e.prefix+"/fleet/roots/cell/aggregator"); err != nil {
		t.Fatalf("delete: %v", err)
	}
	if !claim(t, b) {
		t.Fatal("b is not an aggregator too")
	}
	var wg sync.WaitGroup
	for i, m := range []*store.Member{a, b} {
		wg.Go(func() {
			for n := range int64(50) {
				if _, err := m.PutRoot(t.Context(), store.Root{Processed: 2*n + int64(i)}, nil); err != nil {
					t.Errorf("put root: %v", err)
				}
			}
		})
	}
	wg.Wait()
	p.awaitLast(t, "root 99 ")
	p.look(func() {
		last := int64(-1)
		for _, line := range p.log {
			var processed int64
			if n, _ := fmt.Sscanf(line, "root %d", &processed); n == 1 && processed <= last {
				t.Errorf("a root that has processed %d follows one of %d", processed, last)
			} else if n == 1 {
				last = processed
			}
		}
	})
}

func rootFlow(t *testing.T, e *env) {
	s := e.open(t)
	relay := NewRelay(t, e.cluster.Endpoints)
	empty := watchRoot(t, e.open(t, through(relay)))
	empty.awaitLast(t, `aggregator ""`)
	m := leased(t, s, "a")
	claim(t, m)
	putRoot(t, m, 1, "first", "a", "b")
	empty.awaitLast(t, "root 1 first")
	late := watchRoot(t, s)
	late.awaitLast(t, "root 1 first")
	e.put(t, "/fleet/roots/cell/other", "x")
	relay.Cut()
	e.compact(t)
	relay.Lead(t, e.cluster.Endpoints)
	putRoot(t, m, 2, "second")
	empty.awaitLast(t, "root 2 second")
	want := []string{`aggregator ""`, `aggregator "a"`, "live a b", "root 1 first", "root 2 second"}
	empty.look(func() {
		if diff := cmp.Diff(want, empty.log); diff != "" {
			t.Errorf("a watch from the beginning (-want +got):\n%s", diff)
		}
	})
	late.awaitLast(t, "root 2 second")
	late.look(func() {
		if diff := cmp.Diff(want[1:], late.log); diff != "" {
			t.Errorf("a watch that came later (-want +got):\n%s", diff)
		}
	})
}

func rootResigned(t *testing.T, e *env) {
	s := e.open(t)
	m, p := leased(t, s, "a"), watchRoot(t, s)
	claim(t, m)
	putRoot(t, m, 1, "root", "a")
	if err := m.Resign(t.Context()); err != nil {
		t.Fatalf("resign: %v", err)
	}
	p.awaitLast(t, `aggregator ""`)
	for _, leaf := range []string{"aggregator", "live", "root"} {
		if value, _ := e.key(t, "/fleet/roots/cell/"+leaf); value != "" {
			t.Errorf("%s after resigning: %q", leaf, value)
		}
	}
	if _, err := m.PutRoot(t.Context(), store.Root{Processed: 2}, nil); !errors.Is(err, store.ErrNoLease) {
		t.Errorf("put root after resigning: got %v, want ErrNoLease", err)
	}
}
