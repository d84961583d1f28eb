package scenario

import (
	"fmt"
	"testing"
	"time"

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
