package policy_test

import (
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
)

// bench is one node and three targets under a policy.
type bench struct {
	policy  policy.Policy
	engine  *engine.Engine
	node    *fleet.Node
	group   *core.Group
	targets []*core.Target
	source  *traffic.Source
}

func newBench(named policy.Named) *bench {
	b := &bench{policy: named.New(1, 3), engine: &engine.Engine{}, group: &core.Group{ID: "g", Depth: 1, Leaves: 3}, source: traffic.New(traffic.Load{Rate: 1}, 1)}
	b.node = fleet.New(b.engine, fleet.Config{Nodes: 1, Every: time.Second, Seed: 1}).Nodes()[0]
	for _, name := range []string{"a", "b", "c"} {
		t := &core.Target{Model: name, Signal: signal.Key(len(b.targets) + 1)}
		b.targets = append(b.targets, t)
		b.group.Members = append(b.group.Members, core.Member{Target: t, Weight: 1})
	}
	named.Group(b.group)
	return b
}

// ask lets the node choose and learn that the answer took so many seconds of the chosen target.
func (b *bench) ask(seconds []float64) (first *core.Target, order []rank.Choice) {
	r := b.source.Ask(b.engine.Now())
	order = b.policy.Order(nil, b.node, b.group, r)
	first = order[0].Target
	b.node.Board.Begin(first.Signal)
	b.policy.Begin(b.node, first)
	took := seconds[policy.Index(first)]
	b.engine.Run(b.engine.Now() + time.Duration(took*float64(time.Second)))
	b.node.Board.Succeed(first.Signal, signal.Total, time.Duration(took*float64(time.Second)), 0, b.node.Now())
	b.policy.End(b.node, first, policy.Outcome{Latency: took, Now: b.engine.Now()})
	b.node.Board.Done(first.Signal)
	if order[0].Probe {
		b.node.Board.Release(first.Signal)
	}
	return first, order
}

func TestEveryPolicyOrdersAllTargetsOnce(t *testing.T) {
	for _, named := range append(policy.All(), policy.Ablations()...) {
		b := newBench(named)
		for range 50 {
			_, order := b.ask([]float64{1, 2, 3})
			seen := map[*core.Target]bool{}
			for _, c := range order {
				seen[c.Target] = true
			}
			if len(order) != 3 || len(seen) != 3 {
				t.Fatalf("%s: an order of %d targets, %d different ones; want 3", named.Name, len(order), len(seen))
			}
		}
	}
}

// least_busy goes by what is in flight, which here is nothing.
func TestEveryPolicyThatLearnsPrefersTheFastest(t *testing.T) {
	for _, named := range append(policy.All(), policy.Ablations()...) {
		b := newBench(named)
		count := map[string]int{}
		for range 300 {
			first, _ := b.ask([]float64{2, 0.5, 4})
			count[first.Model]++
		}
		learns := count["b"] > 160
		if deaf := named.Name == "random" || named.Name == "least_busy"; learns == deaf {
			t.Errorf("%s: chose %v", named.Name, count)
		}
	}
}

func TestAFixedSplitDrawsByItsShares(t *testing.T) {
	b := newBench(policy.Fixed("fixed", []float64{0.7, 0, 0.3}))
	count := map[string]int{}
	for range 2000 {
		first, _ := b.ask([]float64{1, 1, 1})
		count[first.Model]++
	}
	if count["b"] != 0 || count["a"] < 1330 || count["a"] > 1470 {
		t.Errorf("chose %v of 2000, want 1400, 0 and 600", count)
	}
}

func TestAFailureThatIsFastLooksFastToThosePoliciesOnlyThatCountIt(t *testing.T) {
	for name, fooled := range map[string]bool{"kong ewma p2c": true, "finagle p2c": true, "ewma-0.3 argmin": false, "last-10 argmin": false} {
		named, err := policy.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(named)
		for range 60 {
			b.ask([]float64{1, 1, 1})
		}
		a := b.targets[0]
		for range 60 {
			b.engine.Run(b.engine.Now() + time.Second)
			b.policy.Begin(b.node, a)
			b.policy.End(b.node, a, policy.Outcome{Failed: true, Latency: 0.01, Now: b.engine.Now()})
			for _, t := range b.targets[1:] {
				b.policy.Begin(b.node, t)
				b.policy.End(b.node, t, policy.Outcome{Latency: 1, Now: b.engine.Now()})
			}
		}
		won := 0
		for range 100 {
			if b.policy.Order(nil, b.node, b.group, b.source.Ask(b.engine.Now()))[0].Target == a {
				won++
			}
		}
		if (won > 50) != fooled {
			t.Errorf("%s: the target that fails fast came first %d times of 100", name, won)
		}
	}
}
