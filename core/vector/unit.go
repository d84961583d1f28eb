package vector

import (
	"errors"
	"fmt"
	"math"
)

// Errors of this package, wrapped with the numbers in question.
var (
	// ErrZero is a vector without a direction: empty or all zeros.
	ErrZero = errors.New("vector has no direction")
	// ErrNotFinite is a vector with an element that is infinite or not a number.
	ErrNotFinite = errors.New("vector is not finite")
	// ErrDimension is two vectors of different dimensions in one place.
	ErrDimension = errors.New("vectors differ in dimension")
)

// Unit is a vector of length 1. The zero Unit has dimension 0, is none, and matches nothing.
type Unit struct{ values []float32 }

// alreadyUnit is how far the square of a length may be from 1 for the vector to stay as it is: what rounding to
// float32 leaves. So a vector that was normalised before, on another node, keeps every bit.
const alreadyUnit = 1e-6

// Normalise returns the direction of values, which it copies: ErrZero or ErrNotFinite if there is none.
func Normalise(values []float32) (Unit, error) {
	// The square of no float32 leaves the range of float64, in either direction.
	square := 0.0
	for _, v := range values {
		square += float64(v) * float64(v)
	}
	switch {
	case math.IsNaN(square) || math.IsInf(square, 0):
		return Unit{}, ErrNotFinite
	case square == 0:
		return Unit{}, ErrZero
	}
	scale := 1.0
	if math.Abs(square-1) > alreadyUnit {
		scale = 1 / math.Sqrt(square)
	}
	unit := make([]float32, len(values))
	for i, v := range values {
		unit[i] = float32(float64(v) * scale)
	}
	return Unit{unit}, nil
}

// Dimension returns the number of elements; 0: there is no vector.
func (u Unit) Dimension() int { return len(u.values) }

// Values returns the elements. The caller must not change them.
func (u Unit) Values() []float32 { return u.values }

// Cosine returns the cosine of the angle between a and b, in [-1, 1]: ErrDimension if their dimensions differ,
// ErrZero if there are none.
func Cosine(a, b Unit) (float64, error) {
	if err := fits(a.Dimension(), b.Dimension()); err != nil {
		return 0, err
	}
	dot, _ := dots(a.values, b.values, b.values)
	return bounded(dot), nil
}

func fits(a, b int) error {
	switch {
	case a != b:
		return fmt.Errorf("%w: %d and %d", ErrDimension, a, b)
	case a == 0:
		return ErrZero
	}
	return nil
}

// bounded takes out what rounding has put over the ends.
func bounded(dot float32) float64 { return min(1, max(-1, float64(dot))) }
