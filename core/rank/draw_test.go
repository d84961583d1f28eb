package rank

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/quick"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// known is a group over targets 0, 1, … whose leaves are given rather than measured.
type known struct {
	leaves    []leaf
	weights   []int
	inflight  core.Inflight
	selection core.Selection
}

// rank runs what least_latency does with what it has looked up, and tells the shares and the order.
func (k *known) rank(v View) (shares []float64, order []int) {
	var members []core.Member
	for i, l := range k.leaves {
		weight := 1
		if k.weights != nil {
			weight = k.weights[i]
		}
		m := member(target(fmt.Sprint("t", i)), weight, 0)
		m.Target.MaxConcurrency = l.target.MaxConcurrency
		members = append(members, m)
	}
	g := group("g", core.StrategyLeastLatency, members...)
	g.Latency.Selection, g.Latency.Inflight = k.selection, k.inflight
	v.Trace = new(Trace)
	o := &ordering{ranker: NewRanker(), view: v}
	o.filter = filterFor(g, &o.view)
	o.begin(g)
	t := &tier{group: g}
	o.admit(t)
	o.tellTier(t)
	o.leaves = slices.Clone(k.leaves)
	for i := range o.leaves {
		l := &o.leaves[i]
		l.unit, l.target = i, members[i].Target
		o.tellEvidence(&o.units[i], l.target, &signal.Estimate{})
	}
	o.choose(t, o.settle())
	for i := range o.view.Trace.Candidates {
		share := o.view.Trace.Candidates[i].Share
		if share == nil {
			share = new(float64)
		}
		shares = append(shares, *share)
	}
	for _, p := range o.places {
		order = append(order, int(p.unit))
	}
	return shares, order
}

// answering is a well measured leaf of that many seconds.
func answering(seconds float64) leaf {
	return leaf{target: &core.Target{}, class: answers, latency: seconds, weight: 1e9, doubt: math.Inf(1)}
}

func balanced(leaves ...leaf) *known {
	return &known{leaves: leaves, inflight: core.InflightNormalized, selection: core.SelectionBalanced}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(a), math.Abs(b)) }

func TestBalancedWeighsByThePowerOfTheScore(t *testing.T) {
	// The figures of the design: a tenth worse has 56 % of the weight, twice as slow 1.6 %, five times 0.006 %.
	for ratio, want := range map[float64]float64{1: 1, 1.1: 0.5645, 2: 1.0 / 64, 5: 1.0 / 15625} {
		shares, _ := balanced(answering(1), answering(ratio)).rank(View{Session: 1})
		if got := shares[1] / shares[0]; math.Abs(got-want) > 1e-4 {
			t.Errorf("%v times as slow: got %.5f of the weight of the best, want %.5f", ratio, got, want)
		}
	}
	k := balanced(answering(1), answering(1), answering(1))
	k.weights = []int{2, 1, 1}
	if shares, _ := k.rank(View{}); !near(shares[0], 0.5) || !near(shares[1], 0.25) || !near(shares[2], 0.25) {
		t.Errorf("weights 2, 1, 1: got shares %v", shares)
	}
}

// randomLeaves are what any target may be known for, failing and unmeasured ones among them.
func randomLeaves(seed uint64) []leaf {
	r := seeded(seed)
	ls := make([]leaf, 2+r.IntN(7))
	for i := range ls {
		ls[i] = leaf{
			target: &core.Target{}, class: class(r.IntN(3)), cools: r.IntN(5) == 0,
			latency: math.Exp(4 * r.NormFloat64()), weight: 20 * r.ExpFloat64(), failures: r.Float64() * float64(r.IntN(2)),
			inflight: float64(r.IntN(50)), usual: 20 * r.ExpFloat64(), elasticity: r.NormFloat64(), doubt: r.ExpFloat64(),
		}
		if ls[i].class == hot {
			ls[i].class = failing
		}
		if ls[i].class == unmeasured {
			ls[i].latency, ls[i].weight, ls[i].failures = 0, 0, 0
		}
	}
	return ls
}

func anyKnown(seed uint64) *known {
	r := seeded(seed + 1)
	k := &known{leaves: randomLeaves(seed)}
	k.selection = []core.Selection{core.SelectionStrict, core.SelectionBalanced, core.SelectionAdaptive}[r.IntN(3)]
	k.inflight = []core.Inflight{core.InflightNormalized, core.InflightAbsolute, core.InflightOff}[r.IntN(3)]
	for range k.leaves {
		k.weights = append(k.weights, 1+r.IntN(5))
	}
	for i := range k.leaves {
		k.leaves[i].target = &core.Target{MaxConcurrency: r.IntN(2) * r.IntN(50)}
	}
	return k
}

func TestSharesAreThoseOfTheDraw(t *testing.T) {
	const draws = 20000
	for seed := range uint64(2) {
		k := balanced(answering(1), answering(1.1), answering(0.9), answering(1.4))
		k.weights = []int{1, 3, 2, 5}
		r := seeded(seed)
		first, then := make([]int, 4), make([]int, 4)
		var shares []float64
		for range draws {
			var order []int
			shares, order = k.rank(View{Rand: r.Uint64})
			first[order[0]]++
			if order[0] == 2 {
				then[order[1]]++
			}
		}
		for i, p := range shares {
			wantCount(t, fmt.Sprint("seed ", seed, ", first draw of ", i), first[i], draws, p)
			if i != 2 { // who failed is excluded from the next draw, the others keep their weights
				wantCount(t, fmt.Sprint("seed ", seed, ", after 2 the draw of ", i), then[i], first[2], p/(1-shares[2]))
			}
		}
	}
}

func TestSlowerNeverMeansAGreaterShare(t *testing.T) {
	property := func(seed uint64) bool {
		k, r := anyKnown(seed), seeded(seed+2)
		k.selection = core.SelectionBalanced
		i := r.IntN(len(k.leaves))
		if k.leaves[i].class == unmeasured {
			return true
		}
		// What failures cost does not rise with the best latency, to which unmeasured targets fade: with them, a
		// target that becomes slower can look a little better beside one of which nothing is known.
		k.leaves[i].failures = 0
		before, _ := k.rank(View{})
		k.leaves[i].latency *= 1 + 3*r.Float64()
		after, _ := k.rank(View{})
		if after[i] > before[i]+1e-9 {
			t.Logf("seed %d: %d has %v of %v after, %v of %v before", seed, i, after[i], after, before[i], before)
			return false
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

func TestMoreInFlightNeverMeansAGreaterShare(t *testing.T) {
	property := func(seed uint64) bool {
		k, r := anyKnown(seed), seeded(seed+2)
		k.selection = core.SelectionBalanced
		if k.inflight == core.InflightOff {
			k.inflight = core.InflightAbsolute
		}
		// What is usual differs from target to target, but none is idle that is used to be busy: where all are,
		// the slow start of the others would count for more than one's own load.
		for i := range k.leaves {
			k.leaves[i].usual = k.leaves[i].inflight
		}
		before, order := k.rank(View{Session: seed | 1})
		i := r.IntN(len(k.leaves))
		k.leaves[i].inflight += float64(1 + r.IntN(20))
		after, later := k.rank(View{Session: seed | 1})
		// Who becomes hot leaves its class, within which shares are told.
		if after[i] > before[i]+1e-9 && k.inflight == core.InflightNormalized || slices.Index(later, i) < slices.Index(order, i) && k.inflight == core.InflightAbsolute {
			t.Logf("seed %d, %s: %d has %v after, %v before, order %v after, %v before", seed, k.inflight, i, after[i], before[i], later, order)
			return false
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

func TestScaleOfLatenciesDoesNotMatterToShares(t *testing.T) {
	property := func(seed uint64) bool {
		k := anyKnown(seed)
		k.leaves[0] = answering(max(k.leaves[0].latency, 0.001)) // without one, what is known fades to an absolute prior
		before, order := k.rank(View{Session: seed | 1})
		for i := range k.leaves {
			k.leaves[i].latency *= 8 // exact, so that ties stay ties
		}
		after, later := k.rank(View{Session: seed | 1})
		same := slices.Equal(order, later) && slices.EqualFunc(before, after, near)
		if !same {
			t.Logf("seed %d, %s, %s: got shares %v and order %v with all latencies eight times longer, want %v and %v", seed, k.selection, k.inflight, after, later, before, order)
		}
		return same
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

func TestOrderOfDeclarationDoesNotMatterToShares(t *testing.T) {
	property := func(seed uint64) bool {
		k := anyKnown(seed)
		k.selection = core.SelectionBalanced
		want, _ := k.rank(View{})
		perm := seeded(seed + 3).Perm(len(k.leaves))
		shuffled := *k
		shuffled.leaves, shuffled.weights = nil, nil
		for _, i := range perm {
			shuffled.leaves = append(shuffled.leaves, k.leaves[i])
			shuffled.weights = append(shuffled.weights, k.weights[i])
		}
		got, _ := shuffled.rank(View{})
		for to, from := range perm {
			if !near(got[to], want[from]) {
				t.Logf("seed %d: got %v, want %v in the order %v", seed, got, want, perm)
				return false
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

func TestClassComesBeforeAnyDraw(t *testing.T) {
	property := func(seed uint64) bool {
		k := anyKnown(seed)
		_, order := k.rank(View{Rand: seeded(seed).Uint64})
		classes := make([]class, len(order))
		for at, i := range order {
			l := k.leaves[i]
			full := k.inflight == core.InflightAbsolute && k.selection != core.SelectionStrict &&
				l.target.MaxConcurrency > 0 && l.inflight >= float64(l.target.MaxConcurrency)
			if classes[at] = l.class; full && l.class != failing {
				classes[at] = hot
			}
		}
		sorted := slices.Clone(order)
		slices.Sort(sorted)
		if !slices.IsSorted(classes) || !slices.Equal(sorted, declared(len(order))) {
			t.Logf("seed %d, %s, %s: got classes %v in order %v, want each target once and the classes to ascend", seed, k.selection, k.inflight, classes, order)
			return false
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 3000}); err != nil {
		t.Error(err)
	}
}

// Whatever a peer claims and however wrong a figure is: every target stands once, and shares are shares.
func TestAnyFigureGivesAnOrder(t *testing.T) {
	odd := []float64{0, 1, -1, 1e-300, 1e300, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64}
	property := func(seed uint64) bool {
		k, r := anyKnown(seed), seeded(seed+4)
		pick := func() float64 { return odd[r.IntN(len(odd))] }
		for i := range k.leaves {
			l := &k.leaves[i]
			for _, x := range []*float64{&l.latency, &l.weight, &l.failures, &l.inflight, &l.usual, &l.elasticity, &l.doubt} {
				if r.IntN(3) == 0 {
					*x = pick()
				}
			}
		}
		shares, order := k.rank(View{Session: seed | 1, Previous: target("t0").Signal})
		sorted := slices.Clone(order)
		slices.Sort(sorted)
		bad := func(s float64) bool { return !(s >= 0 && s <= 1) }
		if !slices.Equal(sorted, declared(len(k.leaves))) || slices.ContainsFunc(shares, bad) {
			t.Logf("seed %d: got order %v, shares %v of %+v", seed, order, shares, k.leaves)
			return false
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 6000}); err != nil {
		t.Error(err)
	}
}

func TestSessionDrawsTheSameOnEveryNode(t *testing.T) {
	differ := 0
	property := func(seed uint64) bool {
		k := anyKnown(seed)
		k.selection = core.SelectionBalanced
		_, here := k.rank(View{Session: Hash("s"), Rand: seeded(1).Uint64})
		_, there := k.rank(View{Session: Hash("s"), Rand: seeded(2).Uint64})
		_, other := k.rank(View{Session: Hash("other")})
		if !slices.Equal(here, other) {
			differ++
		}
		if !slices.Equal(here, there) {
			t.Logf("seed %d: got %v and %v for one session", seed, here, there)
		}
		return slices.Equal(here, there)
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 1000}); err != nil {
		t.Error(err)
	}
	if differ < 200 {
		t.Errorf("two sessions had different orders %d times of 1000, want at least 200", differ)
	}
}

func TestSessionsShareOutAColdFleet(t *testing.T) {
	f, g := newFixture(t), latencyGroup("a", "b", "c")
	first := map[string]int{}
	for i := range 3000 {
		f.view.Session = Hash(fmt.Sprint("s", i))
		one, two := f.peek(g), f.peek(g)
		if one != two {
			t.Fatalf("got %q and %q for one session", one, two)
		}
		first[one[:1]]++
	}
	for _, n := range []string{"a", "b", "c"} {
		wantCount(t, "sessions at "+n, first[n], 3000, 1.0/3)
	}
}

func TestPowersAreThoseOfMath(t *testing.T) {
	for _, k := range []float64{0.1, 1, 2, 5.5, 6, 13, 20, 20.5, 1e3, 1e9} {
		for _, x := range []float64{1, 1 + 1e-9, 1.1, 2, 1e3, 1e24} {
			want := math.Pow(x, k)
			if got := power(x, k); math.Abs(got-want) > 1e-6*want && !(math.IsInf(got, 1) && math.IsInf(want, 1)) {
				t.Errorf("%v to the power of %v: got %v, want %v", x, k, got, want)
			}
		}
	}
}
