package storetest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/sluice-gateway/sluice/store"
)

// Cluster is one etcd, of any number of members, without authentication and empty but for other tests'
// prefixes.
type Cluster struct {
	Endpoints []string
	// Restart, which is optional, stops all of etcd and starts it again with its data. It returns the
	// endpoints from then on.
	Restart func(t testing.TB) []string
}

// patience is how long a test waits for what must happen. It is no measure of how fast it should: a
// correct store never comes near it, on a loaded machine either.
const patience = 60 * time.Second

// Run proves the contract of package store. newCluster is called twice: the cases share the first
// cluster, each below a prefix of its own; the second is what the first is swapped for.
func Run(t *testing.T, newCluster func(t *testing.T) Cluster) {
	shared := newCluster(t)
	e := &env{cluster: &shared, other: newCluster}
	for _, group := range []struct {
		name  string
		cases []testCase
		// parallel cases mostly wait for leases to expire, and do nothing to the cluster as a whole.
		parallel bool
	}{
		{"document", documentCases(), false},
		{"watch", watchCases(), false},
		{"member", memberCases(), true},
		{"fleet", fleetCases(), false},
		{"root", rootCases(), false},
		{"state", stateCases(), false},
		{"vectors", vectorCases(), false},
		{"trouble", troubleCases(), false},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
					if group.parallel {
						t.Parallel()
					}
					c.run(t, e.at(t))
				})
			}
		})
	}
}

type testCase struct {
	name string
	run  func(t *testing.T, e *env)
}

// env is what a case works with: a prefix of its own in the shared cluster.
type env struct {
	cluster *Cluster
	other   func(t *testing.T) Cluster
	prefix  string
	etcd    *clientv3.Client
}

// at returns the environment of one case.
func (e *env) at(t *testing.T) *env {
	return &env{cluster: e.cluster, other: e.other, prefix: "/" + strings.ReplaceAll(t.Name(), "/", "."), etcd: client(t, e.cluster.Endpoints)}
}

// client returns a plain etcd client: what an operator's etcdctl would do past the store.
func client(t testing.TB, endpoints []string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop()})
	if err != nil {
		t.Fatalf("etcd client: %v", err)
	}
	closeAfter(t, c)
	return c
}

// open returns a store over the case's prefix, at the cluster or at what replaces it.
func (e *env) open(t testing.TB, change ...func(*store.Config)) *store.Store {
	t.Helper()
	cfg := store.Config{Endpoints: e.cluster.Endpoints, Prefix: e.prefix, Logger: slog.New(slog.DiscardHandler)}
	for _, f := range change {
		f(&cfg)
	}
	s, err := store.Open(cfg)
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	closeAfter(t, s)
	return s
}

func closeAfter(t testing.TB, c io.Closer) {
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

// through leads a store over a relay.
func through(r *Relay) func(*store.Config) {
	return func(cfg *store.Config) { cfg.Endpoints = r.Endpoints() }
}

// put writes a key below the prefix past the store.
func (e *env) put(t testing.TB, key, value string) int64 {
	t.Helper()
	resp, err := e.etcd.Put(t.Context(), e.prefix+key, value)
	if err != nil {
		t.Fatalf("put %s: %v", key, err)
	}
	return resp.Header.Revision
}

// compact forgets all of the cluster's history up to now, which a write outside the prefix moves on first.
func (e *env) compact(t testing.TB) {
	t.Helper()
	resp, err := e.etcd.Put(t.Context(), "/elsewhere", t.Name())
	if err == nil {
		_, err = e.etcd.Compact(t.Context(), resp.Header.Revision, clientv3.WithCompactPhysical())
	}
	if err != nil {
		t.Fatalf("compact: %v", err)
	}
}

// start runs f beside the test and ends it, by its context, before the test's other clean-ups.
func start(t testing.TB, f func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("what ran beside the test: %v", err)
			}
		case <-time.After(patience):
			t.Errorf("still running %s after its context ended", patience)
		}
	})
}
