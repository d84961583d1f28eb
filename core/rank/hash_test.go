package rank

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"testing/quick"

	"github.com/sluice-gateway/sluice/core"
)

// hashed is a consistent_hash group over targets t0, t1, … of these weights.
func hashed(weights ...int) *core.Group {
	var members []core.Member
	for i, w := range weights {
		members = append(members, member(target(fmt.Sprint("t", i)), w, 0))
	}
	return group("g", core.StrategyConsistentHash, members...)
}

func (f *fixture) orderOf(g *core.Group, key uint64) []string {
	f.view.Hash = key
	var names []string
	for _, c := range f.order(g) {
		names = append(names, c.Target.Model)
	}
	return names
}

func TestHashIsTheSameOnEveryNode(t *testing.T) {
	// Literals: another value would move every key of a fleet that is updated node by node.
	for s, want := range map[string]uint64{"": 0xe220a8397b1dcdaf, "a": 0x39dbf41d46ecd2b6, "12345678": 0xe5044b514c4e6164, "session-4711": 0xb1be87b1856e6e15} {
		if got := Hash(s); got != want {
			t.Errorf("Hash(%q) = %#x, want %#x", s, got, want)
		}
	}
}

func TestHashTellsKeysApart(t *testing.T) {
	seen := map[uint64]string{}
	add := func(s string) {
		h := Hash(s)
		if other, twice := seen[h]; twice {
			t.Errorf("%q and %q have the hash %#x", s, other, h)
		}
		if h == 0 {
			t.Errorf("%q has the hash of no key", s)
		}
		seen[h] = s
	}
	for i := range 30000 {
		add(fmt.Sprint("user-", i))
	}
	zeros := make([]byte, 40)
	for n := range zeros {
		add(string(zeros[:n]))
	}
}

// A target that goes leaves its keys to the others and moves no other key; one that comes takes only keys for itself.
func TestHashMovesOnlyTheKeysOfATargetThatGoes(t *testing.T) {
	property := func(seed uint64) bool {
		r, f := seeded(seed), newFixture(t)
		g := hashed(make([]int, 2+r.IntN(7))...)
		for i := range g.Members {
			g.Members[i].Weight = 1 + r.IntN(5)
		}
		gone := r.IntN(len(g.Members))
		name := g.Members[gone].Target.Model
		fewer := *g
		fewer.Members = slices.Delete(slices.Clone(g.Members), gone, gone+1)
		r.Shuffle(len(fewer.Members), func(i, j int) {
			fewer.Members[i], fewer.Members[j] = fewer.Members[j], fewer.Members[i]
		})
		for range 20 {
			key := r.Uint64() | 1
			before, after := f.orderOf(g, key), f.orderOf(&fewer, key)
			if want := slices.DeleteFunc(before, func(s string) bool { return s == name }); !slices.Equal(after, want) {
				t.Logf("seed %d, key %#x without %s: got %v, want %v", seed, key, name, after, want)
				return false
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 500}); err != nil {
		t.Error(err)
	}
}

func TestHashSharesKeysByWeight(t *testing.T) {
	for _, weights := range [][]int{{1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 2, 3, 4}, {100, 1}, {7, 7, 7}} {
		const keys = 10000
		f, g := newFixture(t), hashed(weights...)
		first, second := map[string]int{}, map[string]int{}
		var total float64
		for _, w := range weights {
			total += float64(w)
		}
		for i := range keys {
			order := f.orderOf(g, Hash(fmt.Sprint("session-", i)))
			first[order[0]]++
			if order[0] == "t0" {
				second[order[1]]++
			}
		}
		for i, w := range weights {
			name, p := fmt.Sprint("t", i), float64(w)/total
			wantCount(t, fmt.Sprint("weights ", weights, ", keys of ", name), first[name], keys, p)
			if i > 0 { // the keys of t0 would go to the others by their weights
				wantCount(t, fmt.Sprint("weights ", weights, ", keys of t0 whose next is ", name), second[name], first["t0"], float64(w)/(total-float64(weights[0])))
			}
		}
	}
}

// wantCount checks a count of n trials of probability p within five standard deviations.
func wantCount(t *testing.T, what string, got, n int, p float64) {
	t.Helper()
	want, deviation := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
	if math.Abs(float64(got)-want) > 5*deviation+1 {
		t.Errorf("%s: got %d of %d, want %.0f ± %.0f", what, got, n, want, 5*deviation)
	}
}

func TestHashGoesByIdsOfTargetsAndNestedRoutings(t *testing.T) {
	f := newFixture(t)
	plain := hashed(1, 1, 1)
	inner := group("t1", core.StrategyFailover, member(target("x"), 1, 0))
	mixed := group("other", core.StrategyConsistentHash, plain.Members[2], nested(inner, 1, 0), plain.Members[0])
	for key := range uint64(100) {
		want := f.orderOf(plain, key+1)
		want[slices.Index(want, "t1")] = "x"
		if got := f.orderOf(mixed, key+1); !slices.Equal(got, want) {
			t.Errorf("key %d: got %v with another order of declaration and a routing called t1, want %v", key+1, got, want)
		}
	}
}

func TestRequestsWithoutAKeyTakeTurnsByWeight(t *testing.T) {
	f, g := newFixture(t), hashed(2, 1, 1)
	f.wantShares(g, f.spin(g, 1000), "no key")
}

func TestTiersHoldUnderHashing(t *testing.T) {
	f := newFixture(t)
	g := hashed(1, 1, 0, 1)
	g.Members[0].Priority = 5
	for key := range uint64(100) {
		got := f.orderOf(g, key+1)
		if got[0] != "t0" || got[3] != "t2" {
			t.Errorf("key %d: got %v, want t0 of the higher priority first and t2 of weight 0 last", key+1, got)
		}
	}
}
