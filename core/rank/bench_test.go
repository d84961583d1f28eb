package rank

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// benchCase is a strategy as its users would have it.
type benchCase struct {
	name string
	core.Strategy
	core.Selection
	view func(*View)
}

func benchCases() []benchCase {
	asIs := func(*View) {}
	return []benchCase{
		{"failover", core.StrategyFailover, "", asIs},
		{"round_robin", core.StrategyRoundRobin, "", asIs},
		{"consistent_hash", core.StrategyConsistentHash, "", func(v *View) { v.Hash = 1 }},
		{"least_cost", core.StrategyLeastCost, "", asIs},
		{"least_busy", core.StrategyLeastBusy, "", asIs},
		{"strict", core.StrategyLeastLatency, core.SelectionStrict, asIs},
		{"balanced", core.StrategyLeastLatency, core.SelectionBalanced, asIs},
		{"session", core.StrategyLeastLatency, core.SelectionBalanced, func(v *View) { v.Session, v.Previous = 1, 1 }},
		{"adaptive", core.StrategyLeastLatency, core.SelectionAdaptive, asIs},
		{"scored", core.StrategyScored, "", benchScored},
		{"semantic", core.StrategySemantic, "", benchSemantic},
	}
}

// benchSetup returns a group of n targets that this node and a peer have measured.
func benchSetup(tb testing.TB, c benchCase, n int) (*fixture, *core.Group, []Choice) {
	f, peer := newFixture(tb), newFixture(tb)
	now := time.Now() // with a monotonic reading, as in a node
	f.view.Now, peer.view.Now = now, now
	var members []core.Member
	for i := range n {
		name := fmt.Sprint("target-of-usual-length-", i)
		members = append(members, member(target(name), 1, 0))
		for _, x := range []*fixture{f, peer} {
			x.answer(name, float64(100+i*7%n), 20)
			x.board().Begin(key(name))
		}
	}
	p, err := signal.Decode(peer.board().Encode(nil, now), now)
	if err != nil {
		tb.Fatal(err)
	}
	f.board().SetPeer("peer", p)
	f.board().Fold(now)
	f.view.Now = f.view.Now.Add(200 * time.Millisecond)
	c.view(&f.view)
	g := group("g", c.Strategy, members...)
	g.Latency.Selection = c.Selection
	return f, g, make([]Choice, 0, n)
}

// benchScored gives all that scored can look at.
func benchScored(v *View) {
	v.Price = func(t *core.Target) (float64, bool) { return float64(len(t.Model)), true }
	v.Quota = func(t *core.Target) (float64, bool) { return 0.5, t.Signal%2 == 0 }
	v.Spread = func(t *core.Target) (p50, p90, p99 float64, known bool) { return 1, 2, 3, true }
	v.Throughput = func(t *core.Target) (float64, bool) { return 50, true }
}

// benchSemantic clears every other member of a group of up to 64.
func benchSemantic(v *View) {
	scores := make([]float64, 64)
	for i := range scores {
		scores[i] = float64(i*37%64)/32 - 1
	}
	v.Meaning = func(g *core.Group) Meaning { return Meaning{State: MeaningScored, Scores: scores[:len(g.Members)]} }
}

func BenchmarkScored32(bm *testing.B) { benchOne(bm, "scored", 32) }

func BenchmarkSemantic8(bm *testing.B) { benchOne(bm, "semantic", 8) }

func BenchmarkSemantic64(bm *testing.B) { benchOne(bm, "semantic", 64) }

func benchOne(bm *testing.B, name string, n int) {
	cases := benchCases()
	f, g, dst := benchSetup(bm, cases[slices.IndexFunc(cases, func(c benchCase) bool { return c.name == name })], n)
	if p := g.Score; p != nil {
		p.P50, p.MinThroughput, p.MaxCost, p.MaxLatency = time.Second, 10, 100, time.Minute
	}
	bm.ReportAllocs()
	for bm.Loop() {
		f.ranker.Order(dst, g, f.view)
	}
}

func BenchmarkOrder(bm *testing.B) {
	for _, c := range benchCases() {
		for _, n := range []int{8, 32} {
			bm.Run(fmt.Sprintf("%s/%d", c.name, n), func(bm *testing.B) {
				f, g, dst := benchSetup(bm, c, n)
				bm.ReportAllocs()
				for bm.Loop() {
					f.ranker.Order(dst, g, f.view)
				}
			})
		}
	}
}

func TestOrderAllocatesNothing(t *testing.T) {
	for _, c := range benchCases() {
		f, g, _ := benchSetup(t, c, 8)
		inner := group("inner", c.Strategy, member(target("x"), 1, 0), g.Members[0])
		g = group("g", c.Strategy, append(g.Members, nested(inner, 1, 0))...)
		g.Members[0].Tags, g.Tagged = []string{"eu"}, true
		inner.Latency.Selection, g.Latency.Selection = c.Selection, c.Selection
		f.view.Need = Need{Tags: []string{"us", "eu"}, Capabilities: core.CapabilitiesOf(core.CapabilityVision)}
		dst := make([]Choice, 0, g.Leaves)
		least := math.Inf(1) // of many: a pool may be emptied at any time, and is at random under the race detector
		for range 50 {
			least = min(least, testing.AllocsPerRun(1, func() { f.ranker.Order(dst, g, f.view) }))
		}
		if least != 0 {
			t.Errorf("%s: got %v allocations, want 0", c.name, least)
		}
	}
}

// BenchmarkScoredTraced32 is with a trace that is used again.
func BenchmarkScoredTraced32(bm *testing.B) {
	cases := benchCases()
	f, g, dst := benchSetup(bm, cases[slices.IndexFunc(cases, func(c benchCase) bool { return c.name == "scored" })], 32)
	f.view.Trace = new(Trace)
	bm.ReportAllocs()
	for bm.Loop() {
		f.ranker.Order(dst, g, f.view)
	}
}
