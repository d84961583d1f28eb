package scenario

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

const (
	// outage is how long etcd stays away: longer than a lease, so that every node loses its own.
	outage = 30 * time.Second
	// degradedWithin is by when a node says that it goes by an old view: three intervals of 1 s and a lease of 15 s
	// after the last word from etcd.
	degradedWithin = 20 * time.Second
)

func etcdStopsAndComesBackUnderLoad(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "outage")
	seen := env.Upstream(t, quick)
	serve(o, "outage", env.Upstream(t, quick))
	serve(o, "outage-seen", seen)
	ranked := newPair(t, env, o, "outage-ranked", "60s")
	nodes := env.Proxies()
	l := startLoad(t, newCaller("http://fleet", key, newBalancer(t, env)), "outage", true)
	ranked.measure(t, direct(t, nodes[0], key))
	eventually(t, learntWithin, func() error { return agree(t, nodes, ranked.slow, ranked.fast) })

	leases := newEtcd(t, env).leases(t)
	env.StopStore(t)
	stopped := time.Now()
	for _, p := range nodes {
		eventually(t, patience, func() error { return connected(t, p, false) })
	}
	refusesWrites(t, o)
	ranked.quickly.Behave(upstream.Behaviour{FirstToken: time.Second})
	for _, p := range nodes {
		ranked.turned(t, direct(t, p, key))
	}
	for _, p := range nodes {
		eventually(t, degradedWithin-time.Since(stopped), func() error { return degraded(t, p, true) })
	}
	for time.Since(stopped) < outage {
		l.more(t, 20)
	}
	learnApart(t, nodes, key, seen)

	env.StartStore(t)
	etcd := newEtcd(t, env)
	for _, p := range nodes {
		eventually(t, patience, func() error { return connected(t, p, true) })
		eventually(t, patience, func() error { return etcd.rejoined(t, p, leases) })
	}
	eventually(t, twoIntervals(status(t, nodes[0])), func() error {
		for _, p := range nodes {
			if err := degraded(t, p, false); err != nil {
				return err
			}
		}
		return agree(t, nodes, "outage-seen", ranked.slow, ranked.fast)
	})
	takesWrites(t, o, nodes, key)
	l.more(t, 20)
	l.stop(t)
	eventually(t, patience, func() error { return o.fleetIs(nodes) })
}

// turned checks that a node leaves a target that has become slow, after as few requests as it takes to outweigh what
// the fleet knew, and stays with the other.
func (p pair) turned(t *testing.T, c caller) {
	t.Helper()
	const doubts, requests = 3, 8
	for _, stream := range []bool{false, true} {
		var answered []string
		for range requests {
			answered = append(answered, c.mustChat(t, p.routing, stream))
		}
		if slices.Contains(answered[doubts:], p.fast) {
			t.Errorf("stream %v: %q has become slow and is asked all the same: %v", stream, p.fast, answered)
		}
	}
}

func degraded(t *testing.T, p Proxy, want bool) error {
	t.Helper()
	if a := status(t, p); a.Sharing.Degraded != want {
		return fmt.Errorf("%s/status: degraded is %v, want %v: %s", p.Status, a.Sharing.Degraded, want, a.raw)
	}
	return nil
}

// learnApart has each node measure another latency of the same upstream.
func learnApart(t *testing.T, nodes []Proxy, key string, seen Upstream) {
	t.Helper()
	for i, p := range nodes {
		seen.Behave(upstream.Behaviour{FirstToken: time.Duration(1+4*i) * 25 * time.Millisecond})
		for _, stream := range []bool{false, true} {
			for range 3 {
				direct(t, p, key).mustChat(t, "outage-seen", stream)
			}
		}
	}
	a, b := status(t, nodes[0]).of(t, "outage-seen"), status(t, nodes[1]).of(t, "outage-seen")
	if math.Abs(math.Log(a.TTFT.Latency/b.TTFT.Latency)) < math.Ln2 {
		t.Errorf("two nodes without etcd know the same of what they measured differently: %+v and %+v", a.TTFT, b.TTFT)
	}
}

func refusesWrites(t *testing.T, o *operator) {
	t.Helper()
	t.Cleanup(func() { o.forget("providers/outage-new") })
	a, err := o.send(http.MethodPut, "/admin/v1/providers/outage-new", `{"kind":"openai","base_url":"https://a.example"}`)
	if err != nil || a.Status != http.StatusServiceUnavailable {
		t.Errorf("a write while etcd is away: got %d %v, want 503: %s", a.Status, err, a.Body)
	}
}

// takesWrites waits until the admin is ready again and checks that every node serves what is written then.
func takesWrites(t *testing.T, o *operator, nodes []Proxy, key string) {
	t.Helper()
	eventually(t, patience, func() error {
		a, err := o.send(http.MethodGet, "/readyz", "")
		if err == nil && a.Status != http.StatusOK {
			err = fmt.Errorf("admin's /readyz: %d %s", a.Status, a.Body)
		}
		return err
	})
	o.put("models/outage-after", `{"provider":"outage","upstream_model":"m"}`)
	for _, p := range nodes {
		direct(t, p, key).mustChat(t, "outage-after", true)
	}
}
