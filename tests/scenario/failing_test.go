package scenario

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// quick is an upstream under load.
var quick = upstream.Behaviour{FirstToken: 4 * time.Millisecond, PerToken: time.Millisecond}

// Only whole answers are under way when the upstream dies: a stream that has begun cannot be taken over.
func anUpstreamDiesAndNoClientNotices(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "dying")
	dying, other := env.Upstream(t, quick), env.Upstream(t, upstream.Behaviour{FirstToken: 20 * time.Millisecond})
	serve(o, "dying", dying)
	serve(o, "dying-other", other)
	o.put("routings/dying-group", `{"strategy":"least_latency","targets":[{"model":"dying"},{"model":"dying-other"}]}`)

	b := newBalancer(t, env)
	clients := newCaller("http://fleet", key, b)
	l := startLoad(t, clients, "dying-group", false)
	l.more(t, 40)
	dying.Die()
	l.more(t, 80)
	l.stop(t)

	l = startLoad(t, clients, "dying-group", true)
	l.more(t, 40)
	l.stop(t)
}

func proxiesComeAndGoUnderLoad(t *testing.T, env Environment) {
	env.Scale(t, 1)
	o := newOperator(t, env)
	key := newKey(o, "scale")
	serve(o, "scale", env.Upstream(t, quick))

	b := newBalancer(t, env)
	l := startLoad(t, newCaller("http://fleet", key, b), "scale", true)
	l.more(t, 20)
	env.Scale(t, 3)
	eventually(t, patience, func() error {
		for _, p := range env.Proxies() {
			if b.served(p) < 10 {
				return fmt.Errorf("%s has answered %d requests, want 10", p.API, b.served(p))
			}
		}
		return nil
	})
	env.Scale(t, 1)
	l.more(t, 40)
	l.stop(t)

	eventually(t, patience, func() error {
		nodes, err := o.fleet()
		if err == nil && len(nodes) != 1 {
			err = fmt.Errorf("the fleet is %v, want one node: those that were stopped should have left", nodes)
		}
		return err
	})
}

func aKilledNodeFadesWithItsLease(t *testing.T, env Environment) {
	env.Scale(t, 3)
	o := newOperator(t, env)
	key := newKey(o, "killed")
	serve(o, "killed", env.Upstream(t, quick))

	victim := env.Proxies()[0]
	name := idOf(t, victim)
	direct(t, victim, key).mustChat(t, "killed", false) // so that it has signals to leave behind
	etcd := newEtcd(t, env)
	eventually(t, patience, func() error {
		if keys := etcd.keysOf(t, name); len(keys) != 2 {
			return fmt.Errorf("keys of the living node: %v, want its presence and its signals", keys)
		}
		return nil
	})

	env.Kill(t, victim)
	l := startLoad(t, newCaller("http://fleet", key, newBalancer(t, env)), "killed", true)
	eventually(t, leasePatience, func() error {
		if keys := etcd.keysOf(t, name); len(keys) > 0 {
			return fmt.Errorf("keys of the killed node: %v, want none", keys)
		}
		return nil
	})
	l.more(t, 20)
	l.stop(t)

	eventually(t, patience, func() error {
		nodes, err := o.fleet()
		if err == nil && (len(nodes) != 2 || slices.ContainsFunc(nodes, func(n node) bool { return n.ID == name })) {
			err = fmt.Errorf("the fleet is %v, want two nodes without %s", nodes, name)
		}
		return err
	})
}

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

// keysOf returns the keys of the fleet that name the node.
func (e etcd) keysOf(t *testing.T, node string) []string {
	t.Helper()
	resp, err := e.client.Get(t.Context(), "/sluice/fleet/", clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, kv := range resp.Kvs {
		if strings.HasSuffix(string(kv.Key), "/"+node) {
			out = append(out, string(kv.Key))
		}
	}
	return out
}

func etcdStopsAndComesBackUnderLoad(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "outage")
	serve(o, "outage", env.Upstream(t, quick))
	l := startLoad(t, newCaller("http://fleet", key, newBalancer(t, env)), "outage", true)
	l.more(t, 20)

	env.StopStore(t)
	for _, p := range env.Proxies() {
		eventually(t, patience, func() error { return connected(t, p, false) })
	}
	l.more(t, 60)
	t.Cleanup(func() { o.forget("providers/outage-new") })
	a, err := o.send(http.MethodPut, "/admin/v1/providers/outage-new", `{"kind":"openai","base_url":"https://a.example"}`)
	if err != nil || a.Status != http.StatusServiceUnavailable {
		t.Errorf("a write while etcd is away: got %d %v, want 503: %s", a.Status, err, a.Body)
	}

	env.StartStore(t)
	eventually(t, patience, func() error {
		a, err := o.send(http.MethodGet, "/readyz", "")
		if err == nil && a.Status != http.StatusOK {
			err = fmt.Errorf("admin's /readyz: %d %s", a.Status, a.Body)
		}
		return err
	})
	for _, p := range env.Proxies() {
		eventually(t, patience, func() error { return connected(t, p, true) })
	}
	o.put("models/outage-after", `{"provider":"outage","upstream_model":"m"}`)
	for _, p := range env.Proxies() {
		direct(t, p, key).mustChat(t, "outage-after", true)
	}
	l.more(t, 20)
	l.stop(t)
	eventually(t, leasePatience, func() error {
		nodes, err := o.fleet()
		if err == nil && len(nodes) != 2 {
			err = fmt.Errorf("the fleet after the outage is %v, want both nodes", nodes)
		}
		return err
	})
}

// connected returns nil when the node says that it reaches the store, or does not, as wanted.
func connected(t *testing.T, p Proxy, want bool) error {
	var report struct {
		Store struct {
			Connected bool `json:"connected"`
		} `json:"store"`
	}
	raw := status(t, p)
	if err := json.Unmarshal(raw, &report); err != nil {
		return err
	}
	if report.Store.Connected != want {
		return fmt.Errorf("%s/status: connected is %v, want %v: %s", p.Status, report.Store.Connected, want, raw)
	}
	return nil
}
