package scenario

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// learntWithin is by when all nodes rank by what one of them has measured.
const learntWithin = 2 * time.Second

// pair is a routing of the default selection over two upstreams. The slow one is declared first, so that a node which
// knows nothing would begin with it.
type pair struct {
	routing, slow, fast string // models
	slowly, quickly     Upstream
}

// newPair stores a pair. probeAfter "0s" keeps probes out, so that nothing but what was measured decides.
func newPair(t *testing.T, env Environment, o *operator, name, probeAfter string) pair {
	t.Helper()
	p := pair{
		routing: name, slow: name + "-slow", fast: name + "-fast",
		slowly:  env.Upstream(t, upstream.Behaviour{FirstToken: 200 * time.Millisecond}),
		quickly: env.Upstream(t, upstream.Behaviour{FirstToken: 10 * time.Millisecond}),
	}
	serve(o, p.slow, p.slowly)
	serve(o, p.fast, p.quickly)
	o.put("routings/"+name, fmt.Sprintf(`{"strategy":"least_latency","latency":{"probe_after":%q},"targets":[{"model":%q},{"model":%q}]}`,
		probeAfter, p.slow, p.fast))
	return p
}

// measure asks both targets by name, so that this node has samples of both classes.
func (p pair) measure(t *testing.T, c caller) {
	t.Helper()
	for _, stream := range []bool{false, true} {
		for range 2 {
			c.mustChat(t, p.slow, stream)
			c.mustChat(t, p.fast, stream)
		}
	}
}

// rankedRight asks the routing a few times and fails the test unless the fast target answers, from the first
// request on.
func (p pair) rankedRight(t *testing.T, c caller) {
	t.Helper()
	asked := len(p.slowly.Requests())
	for i := range 4 {
		if answered := c.mustChat(t, p.routing, i%2 == 0); answered != p.fast {
			t.Errorf("request %d to %q was answered by %q, want %q", i+1, p.routing, answered, p.fast)
		}
	}
	if now := len(p.slowly.Requests()); now != asked {
		t.Errorf("the slow upstream of %q got %d requests, want none", p.routing, now-asked)
	}
}

func latencyLearntOnOneNodeOrdersTargetsOnAnother(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "latency")
	p := newPair(t, env, o, "latency", "0s")
	a, b := env.Proxies()[0], env.Proxies()[1]
	learner, user := direct(t, a, key), direct(t, b, key)

	p.measure(t, learner)
	eventually(t, learntWithin, func() error { return agree(t, []Proxy{a, b}, p.slow, p.fast) })
	p.rankedRight(t, user)
}

// The default selection draws among targets while they queue; light traffic never makes them.
func lightTrafficGoesToTheFastest(t *testing.T, env Environment) {
	const requests, probes = 60, 3 // of twenty, one may prove a target that is not the best
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "light")
	p := newPair(t, env, o, "light", "60s")
	var clients []caller
	for _, proxy := range env.Proxies() {
		clients = append(clients, direct(t, proxy, key))
	}

	for range 2 {
		clients[0].mustChat(t, p.routing, true)
	}
	if slow, fast := len(p.slowly.Requests()), len(p.quickly.Requests()); slow != 1 || fast != 1 {
		t.Errorf("of the first two requests %d and %d went to the two targets, want one to each, for neither is known", slow, fast)
	}
	p.measure(t, clients[0])
	eventually(t, learntWithin, func() error { return agree(t, env.Proxies(), p.slow, p.fast) })

	astray := 0
	for i := range requests {
		if clients[i%len(clients)].mustChat(t, p.routing, i/2%2 == 0) != p.fast {
			astray++
		}
	}
	if astray > probes {
		t.Errorf("%d of %d requests, one after the other, went to the slower target, want at most %d", astray, requests, probes)
	}
}
