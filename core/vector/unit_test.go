package vector_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sluice-gateway/sluice/core/vector"
)

// unit returns the direction of values.
func unit(tb testing.TB, values ...float32) vector.Unit {
	tb.Helper()
	u, err := vector.Normalise(values)
	if err != nil {
		tb.Fatalf("%v: %v", values, err)
	}
	return u
}

// drawn returns a vector at random, of any direction.
func drawn(r *rand.Rand, dimension int) []float32 {
	values := make([]float32, dimension)
	for i := range values {
		values[i] = float32(r.NormFloat64())
	}
	return values
}

func cosine(tb testing.TB, a, b vector.Unit) float64 {
	tb.Helper()
	c, err := vector.Cosine(a, b)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// exact is the definition of the cosine, in float64.
func exact(a, b []float32) float64 {
	dot, aa, bb := 0.0, 0.0, 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return dot / math.Sqrt(aa) / math.Sqrt(bb)
}

const draws = 2000

// near is what float32 leaves of a cosine over a few hundred elements.
const near = 1e-6

func TestAVectorWithoutADirectionIsNone(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		values []float32
		want   error
	}{
		{nil, vector.ErrZero},
		{[]float32{}, vector.ErrZero},
		{[]float32{0}, vector.ErrZero},
		{[]float32{0, float32(math.Copysign(0, -1)), 0}, vector.ErrZero},
		{[]float32{nan}, vector.ErrNotFinite},
		{[]float32{1, 0, nan}, vector.ErrNotFinite},
		{[]float32{inf, 1}, vector.ErrNotFinite},
		{[]float32{inf, -inf}, vector.ErrNotFinite},
	} {
		u, err := vector.Normalise(c.values)
		if !errors.Is(err, c.want) || u.Dimension() != 0 {
			t.Errorf("%v: got %v and error %v, want %v", c.values, u, err, c.want)
		}
	}
	if _, err := vector.Cosine(vector.Unit{}, vector.Unit{}); !errors.Is(err, vector.ErrZero) {
		t.Errorf("cosine of nothing with nothing: got error %v, want %v", err, vector.ErrZero)
	}
	if _, err := vector.Cosine(unit(t, 1), vector.Unit{}); !errors.Is(err, vector.ErrDimension) {
		t.Errorf("cosine with nothing: got error %v, want %v", err, vector.ErrDimension)
	}
}

func TestTheLargestAndTheSmallestNumbersHaveADirection(t *testing.T) {
	for _, scale := range []float32{math.MaxFloat32, 1e30, 1, 1e-30, 1e-38, 4 * math.SmallestNonzeroFloat32} {
		u := unit(t, scale, 0, scale, 0)
		want := unit(t, 1, 0, 1, 0)
		if got := cosine(t, u, want); math.Abs(got-1) > near {
			t.Errorf("scale %g: got %v, cosine %v", scale, u.Values(), got)
		}
	}
}

func TestLengthsAreOneAndStayBitForBit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range draws {
		u := unit(t, drawn(r, 1+r.IntN(300))...)
		square := 0.0
		for _, v := range u.Values() {
			square += float64(v) * float64(v)
		}
		if math.Abs(square-1) > near {
			t.Fatalf("length² %v of %v", square, u.Values())
		}
		if again := unit(t, u.Values()...); !slices.Equal(again.Values(), u.Values()) {
			t.Fatalf("normalised again %v became %v", u.Values(), again.Values())
		}
	}
}

func TestNormaliseLeavesItsArgumentAlone(t *testing.T) {
	in := []float32{3, 4}
	u := unit(t, in...)
	if in[0] != 3 || in[1] != 4 {
		t.Errorf("the argument became %v", in)
	}
	in[0] = 17
	if u.Values()[0] != 0.6 {
		t.Errorf("the unit became %v with its argument", u.Values())
	}
}

func TestCosineIsWhatItsDefinitionSays(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range draws {
		n := 1 + r.IntN(300)
		a, b := drawn(r, n), drawn(r, n)
		if got, want := cosine(t, unit(t, a...), unit(t, b...)), exact(a, b); math.Abs(got-want) > near {
			t.Fatalf("%v and %v: got %v, want %v", a, b, got, want)
		}
	}
}

func TestCosineIsSymmetricBoundedAndBlindToScale(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range draws {
		n := 1 + r.IntN(300)
		raw := drawn(r, n)
		a, b := unit(t, raw...), unit(t, drawn(r, n)...)
		c := cosine(t, a, b)
		if back := cosine(t, b, a); back != c {
			t.Fatalf("%v one way and %v the other", c, back)
		}
		if self, opposite := cosine(t, a, a), cosine(t, a, unit(t, scaled(raw, -1)...)); self > 1 || self < 1-near || opposite < -1 || opposite > -1+near || c > 1 || c < -1 {
			t.Fatalf("out of bounds: with itself %v, with its opposite %v, with another %v", self, opposite, c)
		}
		by := float32(math.Exp(20 * r.NormFloat64()))
		if got := cosine(t, unit(t, scaled(raw, by)...), b); math.Abs(got-c) > near {
			t.Fatalf("scaled by %v: got %v, want %v", by, got, c)
		}
	}
}

func scaled(values []float32, by float32) []float32 {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = v * by
	}
	return out
}

func TestVectorsOfDifferentDimensionsAreNotCompared(t *testing.T) {
	if _, err := vector.Cosine(unit(t, 1, 2), unit(t, 1, 2, 3)); !errors.Is(err, vector.ErrDimension) {
		t.Errorf("got error %v, want %v", err, vector.ErrDimension)
	}
}
