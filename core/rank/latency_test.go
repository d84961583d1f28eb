package rank

import (
	"math"
	"slices"
	"testing"
	"testing/quick"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

func TestFastestComesFirst(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 900, 10)
	f.answer("b", 100, 10)
	f.answer("c", 300, 10)
	f.want(latencyGroup("a", "b", "c"), "b c a", "measured")
}

func TestTiesKeepDeclarationOrder(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"c", "a", "b"} {
		f.answer(name, 100, 10)
	}
	f.want(latencyGroup("b", "c", "a"), "b c a", "equal")
}

func TestWhatAPeerMeasuredRanksHere(t *testing.T) {
	peer, f := newFixture(t), newFixture(t)
	peer.answer("a", 900, 10)
	peer.answer("b", 100, 10)
	p, err := signal.Decode(peer.board().Encode(nil, start), start)
	if err != nil {
		t.Fatal(err)
	}
	f.board().SetPeer("peer", p)
	f.board().Fold(start)
	f.want(latencyGroup("a", "b"), "b a", "measured by a peer only")
}

func TestStreamsRankByTheFirstToken(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 10)
	f.answer("b", 200, 10)
	f.view.Class = signal.Total
	f.answer("a", 9000, 10)
	f.answer("b", 3000, 10)
	f.want(latencyGroup("a", "b"), "b a", "total")
	f.view.Class = signal.TTFT
	f.want(latencyGroup("a", "b"), "a b", "ttft")
}

func TestTargetThatOnlyFailedIsNeitherFastNorUnmeasured(t *testing.T) {
	f := newFixture(t)
	f.fail("dead", 2, 1)
	f.answer("slow", 10000, 1)
	f.want(latencyGroup("dead", "slow"), "slow dead", "failed once after 2 ms")
	f.want(latencyGroup("dead", "new", "slow"), "new? slow dead", "beside an unmeasured one")
}

// LATEROUT-01: the sinkhole.
func TestFastFailuresDrawNoTraffic(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	first := map[string]int{}
	for range 200 {
		order := f.order(g)
		first[order[0].Target.Model]++
		for _, c := range order {
			if c.Target.Model == "a" {
				f.fail("a", 2, 1)
				continue
			}
			f.answer("b", 300, 1)
			break
		}
		f.release(order)
		f.wait(0.1)
	}
	if first["a"] > 2 {
		t.Errorf("the target that fails in 2 ms came first %d times of 200, want at most 2", first["a"])
	}
}

func TestTargetThatFailsHalfTheTimeInAnInstantLosesToASteadyOne(t *testing.T) {
	f := newFixture(t)
	for range 40 {
		f.answer("a", 10, 1)
		f.fail("a", 10, 1)
		f.answer("b", 200, 1)
		f.wait(0.1)
	}
	f.want(latencyGroup("a", "b"), "b a", "half of the calls fail")
}

func TestTimeoutsMakeATargetSlow(t *testing.T) {
	f := newFixture(t)
	f.answer("a", 100, 20)
	f.answer("b", 300, 20)
	f.want(latencyGroup("a", "b"), "a b", "before")
	f.fail("a", 60000, 2)
	f.want(latencyGroup("a", "b"), "b a", "after two timeouts of a minute among 22 attempts")
}

// A busy target that dies is left within seconds, even without any cooldown, and is not asked again and
// again while its failures fade.
func TestDeadTargetIsLeftAndStaysLeft(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	asked := 0
	var left time.Time
	for i := range 6000 {
		dead := i >= 600
		order := f.order(g)
		for _, c := range order {
			if c.Target.Model == "a" && dead {
				asked++
				left = f.view.Now
				f.fail("a", 2, 1)
				continue
			}
			f.answer(c.Target.Model, map[string]float64{"a": 100, "b": 300}[c.Target.Model], 1)
			break
		}
		f.release(order)
		f.wait(0.1)
	}
	if asked > 110 {
		t.Errorf("a target that died was asked %d times in 9 minutes, the last time %v in, want about 100 in the first seconds and one a minute", asked, left.Sub(start))
	}
}

// LATEROUT-03: an unmeasured target that refuses everything.
func TestNewTargetThatFailsIsTriedOnceAMinute(t *testing.T) {
	f, g := newFixture(t), latencyGroup("new", "a", "b")
	f.answer("a", 100, 1)
	f.answer("b", 200, 1)
	tried := 0
	for range 1000 { // 100 s
		order := f.order(g)
		for _, c := range order {
			if c.Target.Model == "new" {
				tried++
				f.fail("new", 1, 1)
				continue
			}
			f.answer(c.Target.Model, 100, 1)
			break
		}
		f.release(order)
		f.wait(0.1)
	}
	if tried != 2 {
		t.Errorf("tried %d times in 100 s, want 2: when it was new and a minute later", tried)
	}
}

// LATEROUT-05: one outlier bans a target for no longer than the window.
func TestOneOutlierIsForgiven(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	f.answer("a", 10000, 1)
	f.answer("b", 1000, 1)
	f.want(g, "b a", "after the outlier")
	for range 3000 { // 300 s at 10 requests a second
		order := f.order(g)
		f.answer(order[0].Target.Model, map[string]float64{"a": 100, "b": 1000}[order[0].Target.Model], 1)
		f.release(order)
		f.wait(0.1)
		if order[0].Target.Model == "a" && !order[0].Probe {
			return
		}
	}
	t.Error("300 s after one slow answer the faster target has not come back")
}

func TestWhatIsNotMeasuredForLongFadesToTheBestKnown(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b")
	f.answer("a", 9000, 3)
	for range 600 {
		f.answer("b", 1000, 1)
		f.wait(1)
	}
	var trace Trace
	f.view.Trace = &trace
	f.order(g)
	if e := trace.Candidates[0].Evidence[0]; math.Abs(e.Expected-1) > 0.1 {
		t.Errorf("ten minutes without a sample: expected %v s with %v samples, want about the best known, 1", e.Expected, e.Samples)
	}
}

func TestWhatCoolsIsNotTheBestKnown(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b", "c")
	g.Latency.ProbeAfter = 0
	f.answer("c", 3000, 1)
	f.wait(80)
	f.answer("a", 100, 20)
	f.answer("b", 2000, 20)
	f.want(g, "a c b", "c has faded towards the 100 ms of a")
	f.board().Cool(key("a"), f.view.Now.Add(time.Minute), f.view.Now)
	f.want(g, "a b c", "a cools, so c fades towards the two seconds of b")
}

// history is what one candidate has been through.
type history struct {
	answers  []float64 // ms
	failures int
	ago      float64 // seconds since
}

// board replays histories, each under its own key, ending at start+1h.
func replay(hs []history) (*signal.Board, time.Time) {
	b, now := signal.NewBoard(), start.Add(time.Hour)
	for i, h := range hs {
		when := now.Add(-time.Duration(h.ago * float64(time.Second)))
		for range h.failures {
			b.Fail(signal.Key(i), signal.TTFT, 0, 0, when)
		}
		for _, a := range h.answers {
			b.Succeed(signal.Key(i), signal.TTFT, ms(a), 0, when)
		}
	}
	return b, now
}

func randomHistories(seed uint64) []history {
	r := seeded(seed)
	hs := make([]history, 2+r.IntN(6))
	for i := range hs {
		hs[i] = history{ago: math.Pow(10, 3*r.Float64()), failures: int(r.ExpFloat64() * 3)}
		for range 1 + int(r.ExpFloat64()*10) {
			hs[i].answers = append(hs[i].answers, 5+r.ExpFloat64()*math.Pow(10, 1+3*r.Float64()))
		}
	}
	return hs
}

// rankOf orders the candidates in the given order of declaration and returns the names by rank.
func rankOf(hs []history, declared []int) []int {
	b, now := replay(hs)
	g := &core.Group{ID: "g", Strategy: core.StrategyLeastLatency, Leaves: len(hs), Depth: 1}
	for _, i := range declared {
		g.Members = append(g.Members, core.Member{Target: &core.Target{Signal: signal.Key(i)}, Weight: 1})
	}
	var out []int
	for _, c := range NewRanker().Order(nil, g, View{Board: b, Now: now}) {
		out = append(out, int(c.Target.Signal))
	}
	return out
}

func declared(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// The target does not fail: a failure is charged whatever the latency, but what is hardly known fades to the best
// latency of all.
func TestLowerLatencyNeverLowersTheRank(t *testing.T) {
	property := func(seed uint64) bool {
		hs, r := randomHistories(seed), seeded(seed+1)
		i, factor := r.IntN(len(hs)), r.Float64()
		hs[i].failures = 0
		before := rankOf(hs, declared(len(hs)))
		was := slices.Index(before, i)
		hs[i].answers = slices.Clone(hs[i].answers)
		for j := range hs[i].answers {
			hs[i].answers[j] = max(1, hs[i].answers[j]*factor)
		}
		after := rankOf(hs, declared(len(hs)))
		if slices.Index(after, i) > was {
			t.Logf("seed %d: candidate %d at %v of its latency fell from %v to %v; histories %+v", seed, i, factor, before, after, hs)
			return false
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 1500}); err != nil {
		t.Error(err)
	}
}

func TestDeclarationOrderDecidesOnlyExactTies(t *testing.T) {
	property := func(seed uint64) bool {
		hs := randomHistories(seed)
		want := rankOf(hs, declared(len(hs)))
		got := rankOf(hs, seeded(seed+2).Perm(len(hs)))
		if !slices.Equal(got, want) {
			t.Logf("seed %d: got %v after shuffling the declaration, want %v; histories %+v", seed, got, want, hs)
			return false
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 600}); err != nil {
		t.Error(err)
	}
}

func TestTargetThatAlwaysFailsNeverBeatsOneThatAnswers(t *testing.T) {
	property := func(seed uint64) bool {
		hs := randomHistories(seed)
		for i := range hs {
			if i%2 == 0 {
				hs[i].answers, hs[i].failures = nil, 1+hs[i].failures
			} else {
				hs[i].failures = 0
			}
		}
		got := rankOf(hs, declared(len(hs)))
		for at, i := range got {
			if answers := i%2 == 1; answers != (at < len(hs)/2) {
				t.Logf("seed %d: got %v, want the odd ones first; histories %+v", seed, got, hs)
				return false
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 600}); err != nil {
		t.Error(err)
	}
}

func TestScaleOfAllLatenciesDoesNotMatter(t *testing.T) {
	property := func(seed uint64) bool {
		hs := randomHistories(seed)
		for i := range hs {
			hs[i].ago = 1 // so that the best known, not the absolute prior, is what latencies are drawn to
			hs[i].answers = append(hs[i].answers, hs[i].answers...)
		}
		want := rankOf(hs, declared(len(hs)))
		for i := range hs {
			for j := range hs[i].answers {
				hs[i].answers[j] *= 8
			}
		}
		got := rankOf(hs, declared(len(hs)))
		if !slices.Equal(got, want) {
			t.Logf("seed %d: got %v with all latencies eight times longer, want %v", seed, got, want)
		}
		return slices.Equal(got, want)
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

// One call in ten fails at once, and the next best target, which is a quarter slower, answers then: the fastest is the
// fastest all the same. Of three in ten it is not.
func TestFewQuickFailuresCostLessThanASlowerTarget(t *testing.T) {
	for _, c := range []struct {
		name  string
		every int
		want  string
	}{{"one of ten fails", 10, "a b c"}, {"one of three fails", 3, "b c a"}} {
		f := newFixture(t)
		for i := range 120 {
			if i%c.every == 0 {
				f.fail("a", 50, 1)
			} else {
				f.answer("a", 1000, 1)
			}
			f.answer("b", 1250, 1)
			f.answer("c", 1300, 1)
			f.wait(0.1)
		}
		f.answer("a", 1000, 1)
		f.want(latencyGroup("a", "b", "c"), c.want, c.name)
	}
}
