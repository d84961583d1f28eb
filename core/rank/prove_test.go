package rank

import (
	"testing"

	"github.com/sluice-gateway/sluice/core/signal"
)

func TestFewLuckyAnswersDrawNoTraffic(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	f.answer("a", 100, 100)
	f.answer("b", 85, 2)
	order := f.order(g)
	if got := show(order); got != "b? a" {
		t.Fatalf("two answers that are a little faster: got %q, want %q", got, "b? a")
	}
	f.want(g, "a b", "while one request finds out")
	f.release(order)
	f.answer("b", 85, 100)
	f.want(g, "b a", "a hundred of them")
}

// A target that gives reason for hope gets one request at a time, of many one, and from one node.
func TestHopeDrawsOneRequestAtATime(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	f.answer("b", 85, 2)
	f.wait(2)
	f.answer("a", 100, 100)
	f.wait(0.01)
	order := f.order(g)
	if got := show(order); got != "b? a" {
		t.Fatalf("b may be faster: got %q, want %q", got, "b? a")
	}
	f.want(g, "a b", "while that is under way")
	f.answer("b", 500, 1)
	f.release(order)
	f.answer("b", 500, 1)
	f.wait(3)
	f.answer("a", 100, 100)
	f.want(g, "a b", "its next answers were slow")
}

func TestHopeIsOneInTwentyWhereTrafficIsThin(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	speed, first := map[string]float64{"a": 100, "b": 104}, map[string]int{}
	for range 400 {
		order := f.order(g)
		name := order[0].Target.Model
		first[name]++
		f.answer(name, speed[name], 1)
		f.release(order)
		f.wait(0.5)
	}
	if first["b"] > 40 {
		t.Errorf("b, hardly slower, got %d of 400 requests, want at most one in ten", first["b"])
	}
}

func TestOnlyWhoHoldsTheSlotFollowsHope(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	f.answer("b", 85, 2)
	f.wait(2)
	f.answer("a", 100, 100)
	f.wait(0.01)
	f.view.Owner = func(signal.Key) bool { return false }
	f.want(g, "a b", "another node holds the slot")
}

// The best target has a queue, and the next one none: requests go where they cost all of them the least.
func TestQueueIsChargedWhatItCostsTheOthers(t *testing.T) {
	for _, c := range []struct{ elasticity, doubt, toll float64 }{
		{0, 0.01, 1}, {0.02, 0.02, 1}, {0.2, 0, 1.25}, {0.5, 0.05, 1 / 0.625}, {5, 0, 10},
	} {
		l := leaf{elasticity: c.elasticity, doubt: c.doubt}
		if got := l.toll(); !near(got, c.toll) {
			t.Errorf("elasticity %v ± %v: got a toll of %v, want %v", c.elasticity, c.doubt, got, c.toll)
		}
	}
}
