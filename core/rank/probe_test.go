package rank

import (
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

func TestUnmeasuredTargetIsProbedOnce(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "new", "b")
	f.answer("a", 300, 10)
	f.answer("b", 200, 10)
	order := f.order(g)
	if got := show(order); got != "new? b a" {
		t.Fatalf("first request: got %q, want %q", got, "new? b a")
	}
	f.want(g, "b a new", "while the slot is claimed")
	f.board().Begin(key("new"))
	f.board().Release(key("new"))
	f.want(g, "b a new", "while it is in flight")
	f.board().Done(key("new"))
	f.want(g, "new? b a", "when the client has left without an outcome")
	f.answer("new", 250, 1)
	f.want(g, "b a new", "measured, but by one answer only")
}

func TestUnmeasuredTargetInFlightAtAPeerIsNotProbed(t *testing.T) {
	f, peer := newFixture(t), newFixture(t)
	f.answer("a", 300, 10)
	peer.board().Begin(key("new"))
	p, err := signal.Decode(peer.board().Encode(nil, start), start)
	if err != nil {
		t.Fatal(err)
	}
	f.board().SetPeer("peer", p)
	f.board().Fold(start)
	f.want(latencyGroup("new", "a"), "a new", "in flight at a peer")
}

// A stampede: nobody has an answer yet when all the orders are made.
func TestStampedeSendsOneRequestToTheUnmeasuredTarget(t *testing.T) {
	f, g := newFixture(t), latencyGroup("new", "a")
	f.answer("a", 300, 10)
	var mu sync.Mutex
	var wg sync.WaitGroup
	first := map[string]int{}
	for range 1000 {
		wg.Go(func() {
			c := f.order(g)[0]
			mu.Lock()
			first[c.Target.Model]++
			mu.Unlock()
			f.board().Begin(c.Target.Signal)
		})
	}
	wg.Wait()
	if first["new"] != 1 || first["a"] != 999 {
		t.Errorf("got %v, want one request to the unmeasured target and 999 to the known one", first)
	}
}

func TestColdFleetSpreadsByWeight(t *testing.T) {
	f := newFixture(t)
	g := group("g", core.StrategyLeastLatency, member(target("a"), 2, 0), member(target("b"), 1, 0), member(target("c"), 1, 0))
	first := map[string]int{}
	for range 1000 {
		c := f.order(g)[0]
		if c.Probe {
			t.Fatalf("got a probe of %s, want none where nothing better is known", c.Target.Model)
		}
		first[c.Target.Model]++
		f.board().Begin(c.Target.Signal)
	}
	if first["a"] != 500 || first["b"] != 250 || first["c"] != 250 {
		t.Errorf("got %v, want 500, 250 and 250", first)
	}
}

func TestColdFleetBecomesMeasured(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b", "c")
	speed := map[string]float64{"a": 300, "b": 100, "c": 200}
	for range 10 {
		order := f.order(g)
		f.answer(order[0].Target.Model, speed[order[0].Target.Model], 1)
		f.release(order)
	}
	f.want(g, "b c a", "after ten requests")
}

func TestStaleTargetIsProbedByItsOwner(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	f.answer("a", 100, 10)
	f.answer("b", 900, 10)
	f.wait(60)
	f.answer("a", 100, 1)
	f.want(g, "a b", "exactly at probe_after")
	f.wait(1)
	f.answer("a", 100, 1)
	f.view.Owner = func(signal.Key) bool { return false }
	f.want(g, "a b", "the slot is another node's")
	f.view.Owner = func(k signal.Key) bool { return k == key("b") }
	f.want(g, "b? a", "the slot is ours")
	f.board().Begin(key("b"))
	f.want(g, "a b", "something is in flight")
	f.board().Done(key("b"))
	g.Latency.ProbeAfter = 0
	f.want(g, "a b", "probing is off")
	g.Latency.ProbeAfter = time.Minute
	f.answer("b", 900, 1)
	f.want(g, "a b", "sampled again")
}

func TestRecoveredTargetIsRetriedAfterProbeAfter(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	speed := map[string]float64{"a": 100, "b": 500}
	f.answer("a", 100, 50)
	f.answer("b", 500, 50)
	dead := true
	var returned time.Duration
	for range 3000 { // five minutes
		order := f.order(g)
		for _, c := range order {
			if c.Target.Model == "a" && dead {
				f.fail("a", 1, 1)
				continue
			}
			f.answer(c.Target.Model, speed[c.Target.Model], 1)
			if c.Target.Model == "a" && !c.Probe && returned == 0 {
				returned = f.view.Now.Sub(start)
			}
			break
		}
		f.release(order)
		f.wait(0.1)
		dead = f.view.Now.Before(at(100))
	}
	if returned < 100*time.Second || returned > 190*time.Second {
		t.Errorf("dead until 100 s, leads again after %v, want at most 90 s later", returned)
	}
}

func TestProbeDoesNotStarveTheLeaderWhereTrafficIsThin(t *testing.T) {
	f, g := newFixture(t), latencyGroup("fast", "slow", "slower")
	speed := map[string]float64{"fast": 100, "slow": 800, "slower": 5000}
	first := map[string]int{}
	for range 200 {
		order := f.order(g)
		first[order[0].Target.Model]++
		f.answer(order[0].Target.Model, speed[order[0].Target.Model], 1)
		f.release(order)
		f.wait(100)
	}
	if first["fast"] < 90 || first["slow"] == 0 || first["slower"] == 0 {
		t.Errorf("a request every 100 s: got %v, want about half to the fastest and some to each other", first)
	}
}

func TestCoolingTargetIsNotProbed(t *testing.T) {
	f, g := newFixture(t), latencyGroup("new", "a")
	f.answer("a", 100, 10)
	f.board().Cool(key("new"), at(10), start)
	f.want(g, "a new", "unmeasured but cooling")
}

func TestOnlyWhereTheRequestBeginsIsProbed(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 10)
	f.answer("b", 100, 10)
	g := group("g", core.StrategyLeastLatency, member(target("a"), 1, 1), member(target("new"), 1, 0), member(target("b"), 1, 0))
	f.want(g, "a b new", "a tier above serves")
	f.board().Cool(key("a"), at(10), start)
	f.want(g, "a new? b", "the tier above cools")
}

func TestSpareTargetIsNotProbed(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 10)
	f.want(group("g", core.StrategyLeastLatency, member(target("new"), 0, 0), member(target("a"), 1, 0)), "a new", "weight 0")
}

func TestColdSpareTargetsLeaveTheWheelAlone(t *testing.T) {
	f := newFixture(t)
	g := group("g", core.StrategyLeastLatency, member(target("a"), 1, 0), member(target("b"), 1, 0), member(target("y"), 0, 0), member(target("z"), 0, 0))
	for _, want := range []string{"a b y z", "b a y z", "a b y z", "b a y z"} {
		f.want(g, want, "nothing is known")
	}
}

func TestUnmeasuredTargetsAreProbedAtTheSameTimeOnceEach(t *testing.T) {
	f, g := newFixture(t), latencyGroup("n1", "n2", "a")
	f.answer("a", 100, 10)
	f.order(g)
	f.order(g)
	f.want(g, "a n1 n2", "both are claimed")
}

func TestGroupThatIsUnmeasuredIsProbedThroughItsFirstTarget(t *testing.T) {
	for _, s := range strategies {
		f := newFixture(t)
		f.answer("a", 100, 10)
		inner := group("inner", s, member(target("n1"), 1, 0), member(target("n2"), 1, 0))
		g := group("g", core.StrategyLeastLatency, member(target("a"), 1, 0), nested(inner, 1, 0))
		f.want(g, "n1? a n2", string(s))
	}
}
