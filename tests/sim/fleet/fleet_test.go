package fleet_test

import (
	"math"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
)

const key signal.Key = 1

// started returns a fleet of so many nodes that share.
func started(nodes int, alter func(*fleet.Config)) (*engine.Engine, *fleet.Fleet) {
	e := &engine.Engine{}
	cfg := fleet.Config{Nodes: nodes, Shared: true, Every: time.Second, Delay: 50 * time.Millisecond, Seed: 1}
	if alter != nil {
		alter(&cfg)
	}
	return e, fleet.New(e, cfg)
}

// answer lets a node measure an answer.
func answer(n *fleet.Node, took time.Duration) {
	n.Board.Succeed(key, signal.Total, took, 0, n.Now())
}

func latency(n *fleet.Node) float64 {
	n.Sync()
	return n.Board.Estimate(key, signal.Total, n.Now()).Latency
}

func TestWhatOneNodeMeasuresAllKnowWithinAnIntervalAndAFold(t *testing.T) {
	e, f := started(5, nil)
	e.Run(3 * time.Second)
	answer(f.Nodes()[0], 2*time.Second)
	e.Run(3*time.Second + 10*time.Millisecond)
	if got := latency(f.Nodes()[1]); got != 0 {
		t.Errorf("another node knows %v s before anything was delivered", got)
	}
	e.Run(3*time.Second + 1100*time.Millisecond + 50*time.Millisecond + 250*time.Millisecond)
	for _, n := range f.Nodes() {
		if got := latency(n); math.Abs(got-2) > 1e-3 {
			t.Errorf("node %d knows %v s, want 2", n.Index, got)
		}
	}
}

func TestNodesThatDoNotShareKnowTheirOwnOnly(t *testing.T) {
	e, f := started(2, func(c *fleet.Config) { c.Shared = false })
	answer(f.Nodes()[0], time.Second)
	e.Run(time.Minute)
	if got := latency(f.Nodes()[1]); got != 0 {
		t.Errorf("the other node knows %v s", got)
	}
}

// busy lets every node answer ten times a second, each at its own speed, for a while.
func busy(e *engine.Engine, f *fleet.Fleet, length time.Duration) {
	for at := e.Now(); at < e.Now()+length; at += 100 * time.Millisecond {
		e.At(at, func() {
			for _, n := range f.Nodes() {
				n.Sync()
				answer(n, time.Duration(1+n.Index%3)*time.Second)
			}
		})
	}
	e.Run(e.Now() + length)
}

func TestATreeKnowsWhatAFlatFleetKnows(t *testing.T) {
	e, f := started(12, func(c *fleet.Config) { c.Tree = true })
	busy(e, f, 30*time.Second)
	e.Run(e.Now() + 3*time.Second)
	for _, n := range f.Nodes() {
		if got := latency(n); math.Abs(got-2) > 0.06 {
			t.Errorf("node %d knows %v s, want the mean of all, 2", n.Index, got)
		}
	}
}

func TestATreeGoesOnWithANewAggregator(t *testing.T) {
	e, f := started(12, func(c *fleet.Config) { c.Tree = true })
	busy(e, f, 10*time.Second)
	f.Dethrone()
	e.Run(e.Now() + 2*time.Minute)
	answer(f.Nodes()[0], 5*time.Second)
	for range 100 {
		answer(f.Nodes()[0], 5*time.Second)
	}
	e.Run(e.Now() + 4*time.Second)
	if got := latency(f.Nodes()[11]); got < 4 {
		t.Errorf("after the change of aggregator a node knows %v s, want nearly 5", got)
	}
}

func TestANodeThatStartsKnowsWhatTheDeadOnesMeasured(t *testing.T) {
	e, f := started(3, nil)
	busy(e, f, 10*time.Second)
	f.Kill(1)
	if len(f.Nodes()) != 0 || f.Pick(0.5) != nil {
		t.Fatal("dead nodes serve")
	}
	e.Run(e.Now() + 3*time.Second)
	f.Restart()
	for _, n := range f.Nodes() {
		if got := latency(n); math.Abs(got-2) > 0.1 {
			t.Errorf("a new node knows %v s, want about 2", got)
		}
	}
}

func TestInflightOfTheDeadVanishesWithTheirLease(t *testing.T) {
	e, f := started(2, nil)
	dead, other := f.Nodes()[0], f.Nodes()[1]
	dead.Board.Begin(key)
	answer(dead, time.Second)
	inflight := func() int {
		other.Sync()
		return other.Board.Estimate(key, signal.Total, other.Now()).Inflight
	}
	e.Run(3 * time.Second)
	if got := inflight(); got != 1 {
		t.Fatalf("the other node sees %d in flight, want 1", got)
	}
	f.Kill(0.5)
	e.Run(e.Now() + 10*time.Second)
	if got := inflight(); got != 1 {
		t.Errorf("%d in flight within the lease, want 1", got)
	}
	e.Run(e.Now() + 6*time.Second)
	if got := inflight(); got != 0 {
		t.Errorf("%d in flight after the lease, want 0", got)
	}
}

func TestNothingIsHeardWhileTheStoreIsAwayAndAllIsAfterwards(t *testing.T) {
	e, f := started(2, nil)
	e.Run(2 * time.Second)
	f.Outage(true)
	answer(f.Nodes()[0], time.Second)
	e.Run(e.Now() + 10*time.Second)
	if got := latency(f.Nodes()[1]); got != 0 {
		t.Errorf("heard %v s without a store", got)
	}
	f.Outage(false)
	e.Run(e.Now() + 2*time.Second)
	if got := latency(f.Nodes()[1]); math.Abs(got-1) > 1e-3 {
		t.Errorf("heard %v s with the store back, want 1", got)
	}
}

func TestASleeperDoesNotServeAndCatchesUp(t *testing.T) {
	e, f := started(3, nil)
	sleeper := f.Nodes()[0]
	busy(e, f, 5*time.Second)
	f.Suspend(0, time.Minute)
	for range 100 {
		if f.Pick(0) == sleeper {
			t.Fatal("a sleeping node was picked")
		}
	}
	busy(e, f, time.Minute)
	e.Run(e.Now() + 3*time.Second)
	if got := latency(sleeper); math.Abs(got-2.5) > 0.3 {
		t.Errorf("knows %v s after its sleep, want what the others measured meanwhile, 2.5", got)
	}
}

func TestGarbageIsRejectedAndChangesNothing(t *testing.T) {
	e, f := started(3, nil)
	f.Garbage(3, []signal.Key{key})
	busy(e, f, time.Minute)
	clean, sound := started(3, nil)
	busy(clean, sound, time.Minute)
	if f.Rejects < 100 || sound.Rejects != 0 {
		t.Errorf("%d values were rejected, and %d without garbage; want most of 180, and none", f.Rejects, sound.Rejects)
	}
	for i, n := range f.Nodes() {
		if got, want := latency(n), latency(sound.Nodes()[i]); math.Abs(got-want) > 1e-6 {
			t.Errorf("node %d knows %v s, without garbage %v", i, got, want)
		}
	}
}

func TestClocksThatDifferChangeNothing(t *testing.T) {
	e, f := started(6, func(c *fleet.Config) { c.Spread = 5 * time.Second })
	busy(e, f, time.Minute)
	if f.Nodes()[0].Now().Sub(f.Nodes()[1].Now()).Abs() < time.Millisecond {
		t.Fatal("the clocks do not differ")
	}
	e.Run(e.Now() + 3*time.Second)
	for _, n := range f.Nodes() {
		if got := latency(n); math.Abs(got-2) > 0.06 {
			t.Errorf("node %d knows %v s, want 2", n.Index, got)
		}
	}
}
