package scenario

import (
	"fmt"
	"testing"
	"time"
)

// regrantedWithin is by when a node whose lease etcd has ended has a new one and has put its keys again: it renews
// every 5 s, waits up to one so that a fleet does not come back in one wave, and writes with its next tick.
const regrantedWithin = 8 * time.Second

func allLeasesAreRevokedAndNothingIsForgotten(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "lease")
	serve(o, "lease-load", env.Upstream(t, quick))
	p := newPair(t, env, o, "lease", "0s")
	nodes := env.Proxies()
	l := startLoad(t, newCaller("http://fleet", key, newBalancer(t, env)), "lease-load", true)
	p.measure(t, direct(t, nodes[0], key))
	eventually(t, learntWithin, func() error { return agree(t, nodes, p.slow, p.fast) })
	before := status(t, nodes[1])

	etcd := newEtcd(t, env)
	revoked := etcd.leases(t)
	etcd.revoke(t, revoked)
	eventually(t, regrantedWithin, func() error {
		for _, node := range nodes {
			if err := knows(t, node, p.slow, p.fast); err != nil {
				t.Fatal(err) // at no moment is anything missing
			}
			if err := etcd.rejoined(t, node, revoked); err != nil {
				return err
			}
			if keys := etcd.keysOf(t, idOf(t, node)); len(keys) != keysOfANode {
				return fmt.Errorf("keys of a node: %v, want its presence, its token and its signals", keys)
			}
		}
		return nil
	})
	eventually(t, twoIntervals(before), func() error { return agree(t, nodes, p.slow, p.fast) })
	after := status(t, nodes[1])
	for _, model := range []string{p.slow, p.fast} {
		was, is := before.of(t, model), after.of(t, model)
		if changed(was.TTFT, is.TTFT) || changed(was.Total, is.Total) {
			t.Errorf("what is known of %q has changed, or is counted twice:\n%s\n%s", model, before.raw, after.raw)
		}
	}
	eventually(t, patience, func() error { return o.fleetIs(nodes) })

	// What was put again is all of it: a node that comes now has it from there.
	env.Scale(t, 3)
	newcomer := env.Proxies()[2]
	if err := knows(t, newcomer, p.slow, p.fast); err != nil {
		t.Error(err)
	}
	p.rankedRight(t, direct(t, newcomer, key))
	l.stop(t)
}

// changed reports whether an estimate has another latency than before, or has grown.
func changed(was, is *estimate) bool {
	return is == nil || apart(was.Latency, is.Latency) > agreement || is.Weight > was.Weight*(1+untold)
}
