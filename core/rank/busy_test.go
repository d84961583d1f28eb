package rank

import (
	"slices"
	"testing"
	"testing/quick"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

func (f *fixture) begin(name string, n int) {
	for range n {
		f.board().Begin(key(name))
	}
}

func busyGroup(weights map[string]int, names ...string) *core.Group {
	var ms []core.Member
	for _, n := range names {
		ms = append(ms, member(target(n), max(weights[n], 1), 0))
	}
	return group("g", core.StrategyLeastBusy, ms...)
}

func TestLeastBusyForItsWeightComesFirst(t *testing.T) {
	f := newFixture(t)
	f.begin("a", 3)
	f.begin("b", 2)
	f.begin("c", 5)
	f.want(busyGroup(nil, "a", "b", "c"), "b a c", "equal weights")
	f.want(busyGroup(map[string]int{"c": 5}, "a", "b", "c"), "c b a", "c has five times the weight")
}

func TestRequestsOfPeersCountAsBusyness(t *testing.T) {
	f, peer := newFixture(t), newFixture(t)
	f.begin("b", 1)
	peer.begin("a", 2)
	p, err := signal.Decode(peer.board().Encode(nil, start), start)
	if err != nil {
		t.Fatal(err)
	}
	f.board().SetPeer("peer", p)
	f.board().Fold(start)
	f.want(busyGroup(nil, "a", "b"), "b a", "two at a peer against one here")
}

func TestIdleTargetsTakeTurnsByWeight(t *testing.T) {
	f := newFixture(t)
	g := busyGroup(map[string]int{"a": 2}, "a", "b", "c", "d")
	f.begin("d", 1)
	first := f.spin(g, 400)
	if first["a"] != 200 || first["b"] != 100 || first["c"] != 100 {
		t.Errorf("all idle but d: got %v, want 200, 100, 100 and none", first)
	}
}

// Twenty requests a second and news that is a second old on average: twenty come before anyone hears of them. They fill a and b
// up to 15 by weight, and c, which has more, gets none.
func TestWhatIsSentBeforeItIsHeardOfFillsTheLeastBusyLikeWater(t *testing.T) {
	f, g := newFixture(t), busyGroup(map[string]int{"a": 2}, "a", "b", "c")
	for range 6000 {
		f.answer("a", 10, 1)
		f.wait(0.05)
	}
	f.view.Lag = 2 * time.Second
	f.begin("a", 18)
	f.begin("b", 7)
	f.begin("c", 16)
	first := f.spin(g, 4000)
	wantCount(t, "a, which lacks 12", first["a"], 4000, 0.6)
	wantCount(t, "b, which lacks 8", first["b"], 4000, 0.4)
	if first["c"] != 0 {
		t.Errorf("c, which is above the level, came first %d times", first["c"])
	}
	f.view.Lag = 0
	f.want(g, "b a c", "with news as it happens")
}

func TestBusynessOfARoutingIsThatOfItsTargets(t *testing.T) {
	f := newFixture(t)
	f.begin("x", 1)
	f.begin("y", 1)
	f.begin("a", 3)
	inner := group("inner", core.StrategyFailover, member(target("x"), 1, 0), member(target("y"), 1, 0))
	g := group("g", core.StrategyLeastBusy, member(target("a"), 1, 0), nested(inner, 1, 0))
	f.want(g, "x y a", "two below against three")
	f.begin("y", 2)
	f.want(g, "a x y", "four below against three")
}

func TestBusyOrderNeverPutsABusierTargetFirst(t *testing.T) {
	property := func(seed uint64) bool {
		r, f := seeded(seed), newFixture(t)
		names := []string{"a", "b", "c", "d", "e"}[:2+r.IntN(4)]
		weights, load := map[string]int{}, map[string]float64{}
		for _, n := range names {
			weights[n] = 1 + r.IntN(4)
			count := r.IntN(6)
			f.begin(n, count)
			load[n] = float64(count) / float64(weights[n])
		}
		g := busyGroup(weights, names...)
		for range 10 {
			var got []float64
			for _, c := range f.order(g) {
				got = append(got, load[c.Target.Model])
			}
			if !slices.IsSorted(got) {
				t.Logf("seed %d: loads in order %v, want them to ascend", seed, got)
				return false
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 500}); err != nil {
		t.Error(err)
	}
}

func TestSessionKeepsItsTargetWhileThatIsAboutAsBusy(t *testing.T) {
	f := newFixture(t)
	g := busyGroup(nil, "a", "b")
	f.answer("a", 100, 1)
	f.answer("b", 100, 1)
	f.view.Previous = key("a")
	for range 3 {
		f.want(g, "a b", "both idle")
	}
	f.begin("a", 1)
	f.want(g, "a b", "one request more, perhaps the session's own")
	f.begin("a", 1)
	f.want(g, "b a", "two more than none")
	f.begin("b", 8)
	f.begin("a", 9)
	f.want(g, "a b", "eleven against eight: within a quarter and one")
	f.begin("a", 1)
	f.want(g, "b a", "twelve against eight")
	f.view.Previous = key("gone")
	f.want(g, "b a", "the session's target is no longer there")
}

func TestSessionLeavesATargetThatFailsOrCools(t *testing.T) {
	for _, g := range []*core.Group{busyGroup(nil, "a", "b", "c"), latencyGroup("a", "b", "c")} {
		for _, end := range []func(*fixture){
			func(f *fixture) { f.fail("a", 1, 1) },
			func(f *fixture) { f.board().Cool(key("a"), at(99), f.view.Now) },
		} {
			f := newFixture(t)
			f.begin("b", 1)
			f.begin("c", 1)
			for _, n := range []string{"b", "c"} {
				f.answer(n, 100, 1)
			}
			f.view.Previous = key("a")
			end(f)
			if got := f.order(g)[0].Target.Model; g.Strategy == core.StrategyLeastLatency && got == "a" {
				t.Errorf("%s: a session was kept at a target that fails or cools", g.Strategy)
			}
			f.view.Trace = new(Trace)
			f.order(g)
			for _, c := range f.view.Trace.Candidates {
				if c.Sticks {
					t.Errorf("%s: %s sticks, want none: it fails or cools", g.Strategy, c.Target)
				}
			}
		}
	}
}
