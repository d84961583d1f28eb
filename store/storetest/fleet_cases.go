package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/store"
)

func fleetCases() []testCase {
	return []testCase{
		{"signals come as reset then puts and deletes", signalsFlow},
		{"after a compaction only what changed is brought again", signalsResync},
		{"the set of nodes comes whole and only when it changed", nodesResync},
	}
}

// signals records what a watch of a cell's signals says.
type signals struct {
	*board
	log []string
	up  bool
}

func watchSignals(t testing.TB, s *store.Store) *signals {
	t.Helper()
	p := &signals{board: newBoard()}
	say := func(format string, args ...any) {
		p.note(func() { p.log = append(p.log, fmt.Sprintf(format, args...)) })
	}
	start(t, func(ctx context.Context) error {
		return s.WatchSignals(ctx, "cell", store.SignalsWatcher{
			Reset: func(all map[string][]byte) {
				text := "reset"
				for _, name := range slices.Sorted(maps.Keys(all)) {
					text += " " + name + "=" + string(all[name])
				}
				say("%s", text)
			},
			Put:    func(node string, value []byte) { say("put %s %s", node, value) },
			Gone:   func(node string) { say("gone %s", node) },
			Health: func(err error) { p.note(func() { p.up = err == nil }) },
		})
	})
	p.await(t, "the signals' watch to open", func() bool { return p.up })
	return p
}

func (p *signals) awaitLog(t testing.TB, want []string) {
	t.Helper()
	p.await(t, fmt.Sprintf("%q", want[len(want)-1]), func() bool { return slices.Contains(p.log, want[len(want)-1]) })
	p.look(func() {
		if diff := cmp.Diff(want, p.log); diff != "" {
			t.Errorf("signals (-want +got):\n%s", diff)
		}
	})
}

func signalsFlow(t *testing.T, e *env) {
	e.put(t, "/fleet/signals/cell/early", "1")
	p := watchSignals(t, e.open(t))
	e.put(t, "/fleet/signals/other/x", "another cell")
	e.put(t, "/fleet/signals/cell2/x", "another cell")
	e.put(t, "/fleet/signals/cell/", "garbage")
	e.put(t, "/fleet/signals/cell/a/b", "garbage")
	e.put(t, "/fleet/signals/cell/a", "2")
	e.put(t, "/fleet/signals/cell/early", "3")
	if _, err := e.etcd.Delete(t.Context(), e.prefix+"/fleet/signals/cell/a"); err != nil {
		t.Fatalf("delete: %v", err)
	}
	p.awaitLog(t, []string{"reset early=1", "put a 2", "put early 3", "gone a"})
}

func signalsResync(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	for _, node := range []string{"kept", "changed", "deleted"} {
		e.put(t, "/fleet/signals/cell/"+node, "1")
	}
	p := watchSignals(t, e.open(t, through(relay)))
	relay.Cut()
	p.await(t, "the lost connection to show", func() bool { return !p.up })
	e.put(t, "/fleet/signals/cell/changed", "2")
	if _, err := e.etcd.Delete(t.Context(), e.prefix+"/fleet/signals/cell/deleted"); err != nil {
		t.Fatalf("delete: %v", err)
	}
	e.compact(t)
	relay.Lead(t, e.cluster.Endpoints)
	p.awaitLog(t, []string{"reset changed=1 deleted=1 kept=1", "gone deleted", "put changed 2"})
}

func nodesResync(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	e.put(t, "/fleet/nodes/a", "1")
	n := watchNodes(t, e.open(t, through(relay)))
	relay.Cut()
	e.compact(t)
	relay.Lead(t, e.cluster.Endpoints)
	e.put(t, "/fleet/nodes/b", "2")
	n.awaitLive(t, map[string]string{"a": "1", "b": "2"})
	if n.calls != 2 {
		t.Errorf("calls: got %d, want 2", n.calls)
	}
}
