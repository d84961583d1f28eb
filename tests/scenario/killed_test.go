package scenario

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// goneWithin is by when the keys of a node that died are gone: its lease of 15 s, and etcd's own check of leases.
const goneWithin = 20 * time.Second

// hanging is how many requests a node has in flight when it is killed.
const hanging = 3

// A node measures, holds requests open and sets a target aside, and dies. Only what it measured stays.
func whatAKilledNodeLearntOutlivesIt(t *testing.T, env Environment) {
	env.Scale(t, 3)
	o := newOperator(t, env)
	key := newKey(o, "killed")
	serve(o, "killed-load", env.Upstream(t, quick))
	serve(o, "killed-hanging", env.Upstream(t, upstream.Behaviour{FirstToken: time.Hour}))
	serve(o, "killed-cooling", env.Upstream(t, upstream.Behaviour{Status: 500}))
	o.put("models/killed-cooling", `{"provider":"killed-cooling","upstream_model":"m","cooldown":{"failures":1,"duration":"5m"}}`)
	p := newPair(t, env, o, "killed", "0s")

	victim, survivors := env.Proxies()[0], env.Proxies()[1:]
	name := idOf(t, victim)
	c := direct(t, victim, key)
	p.measure(t, c)
	if _, err := c.chat(t.Context(), "killed-cooling", false); err == nil {
		t.Fatal("a target that should fail answers")
	}
	hang(t, c, "killed-hanging")
	eventually(t, learntWithin, func() error { return agree(t, env.Proxies(), p.slow, p.fast) })
	eventually(t, learntWithin, func() error { return burdened(t, survivors, hanging, true) })
	etcd := newEtcd(t, env)
	if keys := etcd.keysOf(t, name); len(keys) != keysOfANode {
		t.Errorf("keys of the living node: %v, want its presence, its token and its signals", keys)
	}

	env.Kill(t, victim)
	l := startLoad(t, newCaller("http://fleet", key, newBalancer(t, env)), "killed-load", true)
	eventually(t, goneWithin, func() error {
		if keys := etcd.keysOf(t, name); len(keys) > 0 {
			return fmt.Errorf("keys of the killed node: %v, want none", keys)
		}
		return nil
	})
	eventually(t, learntWithin, func() error { return burdened(t, survivors, 0, false) })
	for _, survivor := range survivors {
		if err := agree(t, []Proxy{survivors[0], survivor}, p.slow, p.fast); err != nil {
			t.Error(err)
		}
	}
	p.rankedRight(t, direct(t, survivors[0], key))
	l.more(t, 20)
	l.stop(t)
	eventually(t, patience, func() error { return o.fleetIs(survivors) })
}

// hang leaves requests open until the test ends, or whoever should answer them is gone.
func hang(t *testing.T, c caller, model string) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	for range hanging {
		go func() {
			defer func() { done <- struct{}{} }()
			if answered, err := c.chat(ctx, model, false); err == nil {
				t.Errorf("%q answered a request that nobody answers", answered)
			}
		}()
	}
	t.Cleanup(func() {
		cancel()
		for range hanging {
			<-done
		}
	})
}

// burdened returns nil when all nodes see that many requests in flight at one target, and another one set aside or not.
func burdened(t *testing.T, nodes []Proxy, inFlight int, cooling bool) error {
	t.Helper()
	for _, p := range nodes {
		a := status(t, p)
		if n, cools := a.of(t, "killed-hanging").InFlight, a.of(t, "killed-cooling").Cooling > 0; n != inFlight || cools != cooling {
			return fmt.Errorf("%s sees %d requests in flight and a target that cools: %v; want %d, %v", a.ID, n, cools, inFlight, cooling)
		}
	}
	return nil
}

// fleetIs returns nil when the admin knows exactly these nodes.
func (o *operator) fleetIs(proxies []Proxy) error {
	nodes, err := o.fleet()
	if err != nil {
		return err
	}
	var want, got []string
	for _, p := range proxies {
		want = append(want, idOf(o.t, p))
	}
	for _, n := range nodes {
		got = append(got, n.ID)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Errorf("the fleet is %v, want %v", got, want)
	}
	return nil
}
