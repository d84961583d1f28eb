package rank

import (
	"math"
	"slices"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

// loaded is a well measured leaf with that many requests in flight, of places of which 0 is unknown, and usual
// ones.
func loaded(seconds, inflight, usual float64, places int) leaf {
	l := answering(seconds)
	l.inflight, l.usual, l.target = inflight, usual, &core.Target{MaxConcurrency: places}
	return l
}

func TestWhatIsBusierThanUsualHasASmallerShare(t *testing.T) {
	same := []leaf{loaded(1, 10, 10, 0), loaded(1, 10, 10, 0)}
	if shares, _ := balanced(same...).rank(View{}); !near(shares[0], shares[1]) {
		t.Errorf("as busy as usual: got %v, want equal shares", shares)
	}
	k := balanced(loaded(1, 31, 10, 0), loaded(1, 9, 10, 0))
	a0 := 1 + 0.5*20.0
	want := math.Pow(math.Sqrt((31+a0)/(10+a0))/math.Sqrt((9+a0)/(10+a0)), -6)
	if shares, _ := k.rank(View{}); !near(shares[0]/shares[1], want) {
		t.Errorf("31 and 9 where 10 are usual: got a ratio of %v, want %v", shares[0]/shares[1], want)
	}
	k.inflight = core.InflightOff
	if shares, _ := k.rank(View{}); !near(shares[0], shares[1]) {
		t.Errorf("in-flight off: got %v, want equal shares", shares)
	}
	k.inflight = core.InflightAbsolute
	if shares, _ := k.rank(View{}); !near(shares[0]/shares[1], math.Pow(32.0/10, -6)) {
		t.Errorf("absolute: got a ratio of %v, want that of 32 and 10 to the power of -6", shares[0]/shares[1])
	}
}

func TestScoreOfATargetThatQueuesIsItsMarginalCost(t *testing.T) {
	for _, mode := range []core.Inflight{core.InflightNormalized, core.InflightAbsolute, core.InflightOff} {
		queues := loaded(1, 4, 4, 10)
		queues.elasticity, queues.doubt = 0.5, 0
		leaves := []leaf{queues, loaded(1, 4, 4, 10)}
		for i := range leaves {
			leaves[i].expect(prior)
		}
		burden(leaves, mode, 4)
		if got := leaves[0].score / leaves[1].score; !near(got, 2) {
			t.Errorf("%s: a queue of elasticity 0.5 counts %v times as much, want 2", mode, got)
		}
	}
}

func TestFullTargetsAreOnlyUsedWhenAllAreFull(t *testing.T) {
	fast, slow, none := loaded(0.1, 4, 0, 4), loaded(60, 3, 0, 4), answering(0)
	none.class, none.weight = unmeasured, 0
	for _, selection := range []core.Selection{core.SelectionBalanced, core.SelectionAdaptive} {
		k := &known{leaves: []leaf{fast, slow}, inflight: core.InflightAbsolute, selection: selection}
		for session := range uint64(50) {
			if _, order := k.rank(View{Session: session + 1}); order[0] != 1 {
				t.Fatalf("%s: got %v, want the slow one with a free place first", selection, order)
			}
		}
		k.leaves = []leaf{fast, none}
		if _, order := k.rank(View{}); order[0] != 1 {
			t.Errorf("%s: got %v, want the unmeasured one with free places before a full one", selection, order)
		}
		k.leaves = []leaf{loaded(0.1, 9, 0, 4), loaded(60, 8, 0, 8), loaded(1, 20, 0, 10)}
		for session := range uint64(50) {
			if _, order := k.rank(View{Session: session + 1}); !slices.Equal(order, []int{1, 2, 0}) {
				t.Fatalf("%s: all are full: got %v, want them by how far, 1, 2 and 2.25", selection, order)
			}
		}
	}
	for _, mode := range []core.Inflight{core.InflightNormalized, core.InflightOff} {
		k := &known{leaves: []leaf{fast, slow}, inflight: mode, selection: core.SelectionBalanced}
		if _, order := k.rank(View{Session: 1}); order[0] != 0 {
			t.Errorf("%s: got %v, want the limit to matter to absolute counts alone", mode, order)
		}
	}
	k := &known{leaves: []leaf{fast, slow}, inflight: core.InflightAbsolute, selection: core.SelectionStrict}
	if _, order := k.rank(View{}); order[0] != 0 {
		t.Errorf("strict: got %v, want the fastest first, always", order)
	}
}

func TestLatencyDoesNotCountLessBecausePlacesAreFree(t *testing.T) {
	k := &known{leaves: []leaf{loaded(1, 0, 0, 100), loaded(1, 99, 0, 100)}, inflight: core.InflightAbsolute, selection: core.SelectionBalanced}
	if shares, _ := k.rank(View{}); !near(shares[0], shares[1]) {
		t.Errorf("0 and 99 of 100 places: got %v, want equal shares while there is room", shares)
	}
}
