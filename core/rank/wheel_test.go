package rank

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

// ring is a round_robin group with the weights given by name.
func ring(id string, weights ...int) *core.Group {
	var members []core.Member
	for i, w := range weights {
		members = append(members, member(target(string(rune('a'+i))), w, 0))
	}
	return group(id, core.StrategyRoundRobin, members...)
}

// spin counts which target comes first in n orders.
func (f *fixture) spin(g *core.Group, n int) map[string]int {
	first := map[string]int{}
	for range n {
		first[f.order(g)[0].Target.Model]++
	}
	return first
}

func (f *fixture) wantShares(g *core.Group, first map[string]int, when string) {
	f.t.Helper()
	var total, turns float64
	for _, m := range g.Members {
		total += float64(m.Weight)
	}
	for _, n := range first {
		turns += float64(n)
	}
	for _, m := range g.Members {
		got, want := float64(first[m.Target.Model])/turns, float64(m.Weight)/total
		if math.Abs(got-want) > 0.02 {
			f.t.Errorf("%s: %s has a share of %.3f, want %.3f within 0.02", when, m.Target.Model, got, want)
		}
	}
}

func TestRoundRobinIsSmooth(t *testing.T) {
	f := newFixture(t)
	var got []string
	for range 14 {
		got = append(got, f.order(ring("g", 5, 1, 1))[0].Target.Model)
	}
	if s := strings.Join(got, ""); s != "aabacaaaabacaa" {
		t.Errorf("weights 5, 1, 1: got %s, want aabacaa twice", s)
	}
}

func TestRoundRobinSharesFollowTheWeights(t *testing.T) {
	for _, weights := range [][]int{{1, 1}, {50, 50}, {0, 1}, {1, 1000}, {3, 2, 1, 0}, {7, 7, 7, 7, 7, 7, 7}, {math.MaxInt, math.MaxInt}, {100, 1, 50, 25, 3}} {
		f, g := newFixture(t), ring("g", weights...)
		first := f.spin(g, 5000)
		f.wantShares(g, first, fmt.Sprint("weights ", weights))
		for i, w := range weights {
			if name := string(rune('a' + i)); w == 0 && first[name] > 0 {
				t.Errorf("weights %v: %s came first, want never", weights, name)
			}
		}
	}
}

func TestRoundRobinFallsBackToWhoseTurnIsNext(t *testing.T) {
	f := newFixture(t)
	for _, want := range []string{"a b c", "b c a", "c a b", "a b c"} {
		f.want(ring("g", 1, 1, 1), want, "equal weights")
	}
}

func TestRoundRobinStaysFairWhenMembersChange(t *testing.T) {
	f := newFixture(t)
	f.spin(ring("g", 1000, 1, 1, 500), 777)
	for _, weights := range [][]int{{1, 1, 1}, {1, 1}, {3, 1, 1, 1, 1}, {1, 1000}, {1, 1}, {0, 2, 1}, {5}, {1, 1, 1, 1, 1, 1}} {
		g := ring("g", weights...)
		f.wantShares(g, f.spin(g, 1000), fmt.Sprint("changed to weights ", weights))
	}
}

// A weight that is moved a little before every request must not start the round anew each time, or the
// light target would never have its turn.
func TestRoundRobinSurvivesConstantChange(t *testing.T) {
	f := newFixture(t)
	first := map[string]int{}
	for i := range 1000 {
		g := ring("g", 900+i%7, 100, 1)
		g.Members = g.Members[:2+i%2]
		first[f.order(g)[0].Target.Model]++
	}
	if first["b"] < 80 || first["b"] > 120 {
		t.Errorf("the target with a tenth of the weight had %d of 1000 turns, want about 100", first["b"])
	}
}

func TestRoundRobinOfTwoGroupsAndTiersIsIndependent(t *testing.T) {
	f := newFixture(t)
	g := group("g", core.StrategyRoundRobin, member(target("a"), 1, 1), member(target("b"), 1, 1), member(target("c"), 1, 0), member(target("d"), 1, 0))
	for _, want := range []string{"a b c d", "b a d c", "a b c d"} {
		f.want(g, want, "two tiers")
		f.order(ring("other", 1, 1))
	}
}

func TestRoundRobinIsFairUnderConcurrency(t *testing.T) {
	f, g := newFixture(t), ring("g", 3, 2, 1)
	var mu sync.Mutex
	var wg sync.WaitGroup
	first := map[string]int{}
	for range 10 {
		wg.Go(func() {
			for range 300 {
				name := f.order(g)[0].Target.Model
				mu.Lock()
				first[name]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	f.wantShares(g, first, "3000 orders from ten goroutines")
}

func TestForgottenGroupsLeaveNoWheel(t *testing.T) {
	f := newFixture(t)
	f.order(ring("g", 1, 1))
	f.order(ring("h", 1, 1))
	f.ranker.Forget(func(id string) bool { return id == "h" })
	if len(f.ranker.wheels) != 1 {
		t.Errorf("got %d wheels, want 1", len(f.ranker.wheels))
	}
}

// Which targets take part may change from request to request. Everyone has its share of the requests that it
// may serve, and the round does not start anew.
func TestRoundRobinIsFairAmongRequestsWithDifferentTags(t *testing.T) {
	f := newFixture(t)
	g := tagged(bears(member(target("a"), 1, 0), "eu"), bears(member(target("b"), 1, 0), "eu", "us"), bears(member(target("c"), 1, 0), "us"))
	g.Strategy = core.StrategyRoundRobin
	r := seeded(3)
	asked, first := map[string]int{}, map[string]int{}
	for range 3000 {
		tag := "eu"
		if r.IntN(3) == 0 {
			tag = "us"
		}
		f.view.Need.Tags = []string{tag}
		asked[tag]++
		first[tag+" "+f.order(g)[0].Target.Model]++
	}
	for pair, n := range first {
		if half := float64(asked[pair[:2]]) / 2; math.Abs(float64(n)-half) > 0.02*half+4 {
			t.Errorf("%s: got %d requests of %d, want half", pair, n, asked[pair[:2]])
		}
	}
}
