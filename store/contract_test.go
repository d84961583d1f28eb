package store_test

import (
	"sync/atomic"
	"testing"

	"github.com/sluice-gateway/sluice/store/embedded"
	"github.com/sluice-gateway/sluice/store/storetest"
)

func TestEmbeddedEtcdKeepsTheContract(t *testing.T) {
	var tokens atomic.Int32
	storetest.Run(t, func(t *testing.T) storetest.Cluster {
		return cluster(t, string('a'+tokens.Add(1)))
	})
}

// cluster runs an embedded etcd until the test ends.
func cluster(t *testing.T, token string) storetest.Cluster {
	t.Helper()
	cfg := embedded.Config{Dir: t.TempDir(), Token: token, UnsafeNoFsync: true}
	var server *embedded.Server
	launch := func(t testing.TB) []string {
		t.Helper()
		var err error
		if server, err = embedded.Start(cfg); err != nil {
			t.Fatalf("embedded etcd: %v", err)
		}
		return server.Endpoints()
	}
	endpoints := launch(t)
	t.Cleanup(func() { server.Close() })
	restart := func(t testing.TB) []string {
		server.Close()
		return launch(t)
	}
	return storetest.Cluster{Endpoints: endpoints, Restart: restart}
}
