package scenario

import (
	"fmt"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// etcd is the store as its own operator sees it.
type etcd struct{ client *clientv3.Client }

func newEtcd(t *testing.T, env Environment) etcd {
	client, err := clientv3.New(clientv3.Config{Endpoints: env.StoreEndpoints(t), DialTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return etcd{client}
}

// keysOfANode is how many keys a living node has: its presence, its token and its signals.
const keysOfANode = 3

// keysOf returns the leases of the keys of the fleet that name the node.
func (e etcd) keysOf(t *testing.T, node string) map[string]clientv3.LeaseID {
	t.Helper()
	resp, err := e.client.Get(t.Context(), "/sluice/fleet/", clientv3.WithPrefix()) // with the values: without them etcd tells no leases
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]clientv3.LeaseID{}
	for _, kv := range resp.Kvs {
		if strings.HasSuffix(string(kv.Key), "/"+node) {
			out[string(kv.Key)] = clientv3.LeaseID(kv.Lease)
		}
	}
	return out
}

// leases returns every lease there is.
func (e etcd) leases(t *testing.T) map[clientv3.LeaseID]bool {
	t.Helper()
	resp, err := e.client.Leases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[clientv3.LeaseID]bool{}
	for _, l := range resp.Leases {
		out[l.ID] = true
	}
	return out
}

// revoke ends leases, as an etcd does to which no renewal came through.
func (e etcd) revoke(t *testing.T, leases map[clientv3.LeaseID]bool) {
	t.Helper()
	for id := range leases {
		if _, err := e.client.Revoke(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
}

// rejoined returns nil when the node is in the fleet under another lease than the old ones.
func (e etcd) rejoined(t *testing.T, p Proxy, old map[clientv3.LeaseID]bool) error {
	t.Helper()
	id := idOf(t, p)
	keys := e.keysOf(t, id)
	if lease := keys["/sluice/fleet/nodes/"+id]; lease == clientv3.NoLease || old[lease] {
		return fmt.Errorf("%s has no new lease: %v", id, keys)
	}
	return nil
}
