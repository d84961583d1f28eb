package scenario

import "testing"

// What a fleet knows outlives all of its nodes for as long as their leases do: a node that starts reads it before it
// says that it is ready.
func aRestartedFleetRanksRightFromItsFirstRequest(t *testing.T, env Environment) {
	for _, end := range []struct {
		name string
		all  func(*testing.T, Environment)
	}{
		{"stopped", func(t *testing.T, env Environment) { env.Scale(t, 0) }},
		{"killed", func(t *testing.T, env Environment) {
			for _, p := range env.Proxies() {
				env.Kill(t, p)
			}
		}},
	} {
		t.Run(end.name, func(t *testing.T) {
			env.Scale(t, 2)
			o := newOperator(t, env)
			key := newKey(o, "restart")
			p := newPair(t, env, o, "restart", "0s")
			p.measure(t, direct(t, env.Proxies()[0], key))
			eventually(t, learntWithin, func() error { return agree(t, env.Proxies(), p.slow, p.fast) })
			before := idOf(t, env.Proxies()[0])

			end.all(t, env)
			env.Scale(t, 1)
			started := env.Proxies()[0]
			p.rankedRight(t, direct(t, started, key))
			if now := idOf(t, started); now == before {
				t.Errorf("the node is still %s: it was not restarted", now)
			}
		})
	}
}
