package vector_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sluice-gateway/sluice/core/vector"
)

func set(tb testing.TB, targets ...[]vector.Unit) *vector.Set {
	tb.Helper()
	s, err := vector.NewSet(targets)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func match(tb testing.TB, s *vector.Set, q vector.Unit) []vector.Match {
	tb.Helper()
	m, err := s.Match(nil, q)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// leaning returns a vector of the plane whose cosine with (1, 0) is c.
func leaning(tb testing.TB, c float64) vector.Unit {
	tb.Helper()
	return unit(tb, float32(c), float32(math.Sqrt(1-c*c)))
}

func TestTheBestExampleDecidesAndNotTheirMean(t *testing.T) {
	s := set(t,
		[]vector.Unit{leaning(t, 1), leaning(t, 0.5), leaning(t, 0.4)},
		[]vector.Unit{leaning(t, 0.7), leaning(t, 0.7)},
	)
	m := match(t, s, unit(t, 1, 0))
	if m[0].Score != 1 || m[0].Example != 0 || math.Abs(m[1].Score-0.7) > near || m[1].Example != 0 {
		t.Errorf("got %+v, want 1 by example 0, and 0.7 by example 0", m)
	}
}

// groups draws some targets, with and without examples.
func groups(tb testing.TB, r *rand.Rand, dimension int) [][]vector.Unit {
	tb.Helper()
	out := make([][]vector.Unit, 1+r.IntN(8))
	for i := range out {
		for range r.IntN(6) {
			out[i] = append(out[i], unit(tb, drawn(r, dimension)...))
		}
	}
	return out
}

func TestAMatchIsTheGreatestCosineAmongTheExamples(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var dst []vector.Match
	for range draws {
		n := 1 + r.IntN(100)
		targets, q := groups(t, r, n), unit(t, drawn(r, n)...)
		var err error
		if dst, err = set(t, targets...).Match(dst, q); err != nil || len(dst) != len(targets) {
			t.Fatalf("got %d matches and error %v, want %d", len(dst), err, len(targets))
		}
		for i, examples := range targets {
			want := vector.Match{Score: -1, Example: -1}
			for j, e := range examples {
				if c := cosine(t, q, e); want.Example < 0 || c > want.Score {
					want = vector.Match{Score: c, Example: j}
				}
			}
			if dst[i] != want {
				t.Fatalf("target %d of %d: got %+v, want %+v", i, len(targets), dst[i], want)
			}
		}
	}
}

func TestAnotherExampleNeverLowersAScore(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range draws {
		n := 1 + r.IntN(100)
		targets, q := groups(t, r, n), unit(t, drawn(r, n)...)
		before := match(t, set(t, targets...), q)
		grown := r.IntN(len(targets))
		targets[grown] = append(targets[grown], unit(t, drawn(r, n)...))
		for i, after := range match(t, set(t, targets...), q) {
			if after.Score < before[i].Score || (i != grown && after != before[i]) {
				t.Fatalf("target %d (target %d got one more): before %+v, after %+v", i, grown, before[i], after)
			}
		}
	}
}

func TestATargetWithoutExamplesMatchesNothing(t *testing.T) {
	m := match(t, set(t, nil, []vector.Unit{unit(t, -1, 0)}, nil), unit(t, 1, 0))
	if m[0].Found() || m[2].Found() || m[0].Clears(-1) || m[0].Clears(-2) {
		t.Errorf("got %+v, want no match of targets 0 and 2", m)
	}
	if !m[1].Found() || m[1].Score != -1 || !m[1].Clears(-1) {
		t.Errorf("got %+v, want the opposite direction found with -1", m[1])
	}
	for _, empty := range []*vector.Set{set(t), set(t, nil), set(t, nil, nil)} {
		if m := match(t, empty, unit(t, 1, 2, 3)); len(m) != empty.Targets() || empty.Dimension() != 0 {
			t.Errorf("got %+v of a set of %d targets without examples", m, empty.Targets())
		}
	}
}

func TestAScoreAtTheThresholdClearsIt(t *testing.T) {
	s := set(t, []vector.Unit{unit(t, 1, 0)})
	for hundredths := range 100 {
		threshold := float64(hundredths) / 100
		m := match(t, s, leaning(t, threshold))[0]
		if !m.Clears(threshold) || m.Clears(threshold+1e-4) {
			t.Errorf("score %v: clears %v: %t, clears 0.0001 more: %t", m.Score, threshold, m.Clears(threshold), m.Clears(threshold+1e-4))
		}
	}
}

func TestASetTakesOneDimensionOnly(t *testing.T) {
	plane, space := unit(t, 1, 0), unit(t, 1, 0, 0)
	for _, targets := range [][][]vector.Unit{{{plane, space}}, {{plane}, nil, {space}}} {
		if _, err := vector.NewSet(targets); !errors.Is(err, vector.ErrDimension) {
			t.Errorf("%v: got error %v, want %v", targets, err, vector.ErrDimension)
		}
	}
	for _, targets := range [][][]vector.Unit{{{{}}}, {{{}, {}}}} {
		if _, err := vector.NewSet(targets); !errors.Is(err, vector.ErrZero) {
			t.Errorf("%v: got error %v, want %v", targets, err, vector.ErrZero)
		}
	}
	if _, err := set(t, []vector.Unit{plane}).Match(nil, space); !errors.Is(err, vector.ErrDimension) {
		t.Errorf("match of another dimension: got error %v, want %v", err, vector.ErrDimension)
	}
	if _, err := set(t, []vector.Unit{plane}).Match(nil, vector.Unit{}); !errors.Is(err, vector.ErrDimension) {
		t.Errorf("match of nothing: got error %v, want %v", err, vector.ErrDimension)
	}
}

func TestExamplesAreFoundWhereTheyWerePut(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	targets := groups(t, r, 12)
	s := set(t, targets...)
	for i, examples := range targets {
		if s.Examples(i) != len(examples) {
			t.Fatalf("target %d has %d examples, want %d", i, s.Examples(i), len(examples))
		}
		for j, e := range examples {
			if got := cosine(t, s.Example(i, j), e); got < 1-near {
				t.Errorf("example %d of target %d has cosine %v with itself", j, i, got)
			}
		}
	}
}

// large is the largest set that a routing may have.
func large(tb testing.TB) (*vector.Set, vector.Unit) {
	tb.Helper()
	const targets, examples, dimension = 64, 16, 1536
	r := rand.New(rand.NewPCG(7, 7))
	all := make([][]vector.Unit, targets)
	for i := range all {
		for range examples {
			all[i] = append(all[i], unit(tb, drawn(r, dimension)...))
		}
	}
	return set(tb, all...), unit(tb, drawn(r, dimension)...)
}

func TestMatchingAllocatesNothingOnceItsResultHasRoom(t *testing.T) {
	s, q := large(t)
	dst := make([]vector.Match, 0, s.Targets())
	if got := testing.AllocsPerRun(10, func() { dst, _ = s.Match(dst, q) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

// The limit is 1 ms on one core that has nothing else to do.
func BenchmarkMatch64TargetsOf16Examples(b *testing.B) {
	s, q := large(b)
	var dst []vector.Match
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = s.Match(dst, q)
	}
}
