package rank

import (
	"cmp"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// target makes a target whose signal key is spelled by its name.
func target(name string) *core.Target {
	var k signal.Key
	for _, c := range []byte(name) {
		k = k<<8 | signal.Key(c)
	}
	return &core.Target{Model: name, Signal: k}
}

func key(name string) signal.Key { return target(name).Signal }

func member(t *core.Target, weight, priority int) core.Member {
	return core.Member{Target: t, Weight: weight, Priority: priority}
}

func nested(g *core.Group, weight, priority int) core.Member {
	return core.Member{Group: g, Weight: weight, Priority: priority}
}

func group(id string, s core.Strategy, members ...core.Member) *core.Group {
	g := &core.Group{ID: id, Strategy: s, Members: members}
	if s == core.StrategyLeastLatency {
		g.Latency = core.LatencyPolicy{Selection: core.SelectionStrict, Sharpness: core.DefaultSharpness, Inflight: core.InflightNormalized, ProbeAfter: time.Minute}
	}
	switch s {
	case core.StrategyScored:
		g.Score = policy(core.DefaultOptimize)
	case core.StrategySemantic:
		g.Semantic = &core.SemanticPolicy{Failover: core.FailoverCleared}
		g.Embeddings = &g.Semantic.Embeddings
	}
	for _, m := range members {
		if m.Group == nil {
			g.Leaves++
			continue
		}
		g.Embeddings = cmp.Or(g.Embeddings, m.Group.Embeddings)
		g.Leaves += m.Group.Leaves
		g.Depth = max(g.Depth, m.Group.Depth)
	}
	g.Depth++
	return g
}

// latencyGroup is a least_latency group over fresh targets of weight 1.
func latencyGroup(names ...string) *core.Group {
	var ms []core.Member
	for _, n := range names {
		ms = append(ms, member(target(n), 1, 0))
	}
	return group("g", core.StrategyLeastLatency, ms...)
}

// fixture is a ranker and a board at a moment.
type fixture struct {
	t      testing.TB
	ranker *Ranker
	view   View
}

func newFixture(t testing.TB) *fixture {
	return &fixture{t, NewRanker(), View{Board: signal.NewBoard(), Now: start}}
}

func (f *fixture) board() *signal.Board { return f.view.Board }

// answer records n answers of that many milliseconds.
func (f *fixture) answer(name string, millis float64, n int) {
	for range n {
		f.board().Succeed(key(name), f.view.Class, ms(millis), 0, f.view.Now)
	}
}

func (f *fixture) fail(name string, millis float64, n int) {
	for range n {
		f.board().Fail(key(name), f.view.Class, ms(millis), 0, f.view.Now)
	}
}

func (f *fixture) wait(seconds float64) {
	f.view.Now = f.view.Now.Add(time.Duration(seconds * float64(time.Second)))
}

func (f *fixture) order(g *core.Group) []Choice { return f.ranker.Order(nil, g, f.view) }

// show spells an order as names, a probe with a question mark.
func show(choices []Choice) string {
	var out []string
	for _, c := range choices {
		name := c.Target.Model
		if c.Probe {
			name += "?"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

// peek returns the order and gives back the probe slot that came with it.
func (f *fixture) peek(g *core.Group) string {
	choices := f.order(g)
	f.release(choices)
	return show(choices)
}

func (f *fixture) release(choices []Choice) {
	for _, c := range choices {
		if c.Probe {
			f.board().Release(c.Target.Signal)
		}
	}
}

func (f *fixture) want(g *core.Group, want, when string) {
	f.t.Helper()
	if got := f.peek(g); got != want {
		f.t.Errorf("%s: got order %q, want %q", when, got, want)
	}
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }
