package vector

import (
	"fmt"
	"slices"
)

// Set holds the examples of some targets, all of one dimension.
type Set struct {
	dimension int
	// flat holds the examples one after the other, those of the first target first, and a row of zeros where that
	// makes their number even.
	flat []float32
	// first is where each target's examples begin, in rows, and where the last one's end.
	first []int
}

// NewSet returns the set of targets, each given by its examples, of which it may have none. The vectors are copied.
// ErrDimension and ErrZero tell which example does not fit.
func NewSet(targets [][]Unit) (*Set, error) {
	s := &Set{first: make([]int, 1, len(targets)+1)}
	rows := 0
	for t, examples := range targets {
		for i, e := range examples {
			if rows == 0 {
				s.dimension = e.Dimension()
			}
			if err := fits(s.dimension, e.Dimension()); err != nil {
				return nil, fmt.Errorf("example %d of target %d: %w", i, t, err)
			}
			rows++
		}
		s.first = append(s.first, rows)
	}
	s.flat = make([]float32, 0, (rows+rows%2)*s.dimension)
	for _, examples := range targets {
		for _, e := range examples {
			s.flat = append(s.flat, e.values...)
		}
	}
	s.flat = s.flat[:cap(s.flat)]
	return s, nil
}

// Dimension returns the dimension of the examples; 0: there are none.
func (s *Set) Dimension() int { return s.dimension }

// Targets returns the number of targets.
func (s *Set) Targets() int { return len(s.first) - 1 }

// Examples returns the number of examples of a target.
func (s *Set) Examples(target int) int { return s.first[target+1] - s.first[target] }

// Example returns one example of a target; it shares the memory of the set.
func (s *Set) Example(target, i int) Unit { return Unit{s.row(s.first[target] + i)} }

func (s *Set) row(i int) []float32 {
	from, to := i*s.dimension, (i+1)*s.dimension
	return s.flat[from:to:to]
}

// Match compares q with every example and returns the match of each target, in their order, in dst, whose contents
// are overwritten and which grows where it must. ErrDimension and ErrZero: q is of another dimension, or none. A set
// without any example takes every q.
func (s *Set) Match(dst []Match, q Unit) ([]Match, error) {
	dst = slices.Grow(dst[:0], s.Targets())[:s.Targets()]
	for i := range dst {
		dst[i] = none
	}
	if s.dimension == 0 {
		return dst, nil
	}
	if err := fits(s.dimension, q.Dimension()); err != nil {
		return nil, err
	}
	target := 0
	take := func(row int, dot float32) {
		for target < len(dst) && row >= s.first[target+1] {
			target++
		}
		if target < len(dst) { // the row of zeros belongs to none
			dst[target].take(bounded(dot), row-s.first[target])
		}
	}
	for row := 0; row*s.dimension < len(s.flat); row += 2 {
		a, b := dots(q.values, s.row(row), s.row(row+1))
		take(row, a)
		take(row+1, b)
	}
	return dst, nil
}
