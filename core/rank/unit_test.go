package rank

import (
	"cmp"
	"slices"
	"testing"
	"testing/quick"
)

func TestPlacesOfAnyNumberAreSorted(t *testing.T) {
	property := func(seed uint64) bool {
		r := seeded(seed)
		got := make([]place, r.IntN(3*few))
		for i := range got {
			got[i] = place{key: float64(r.IntN(10)), unit: int32(i), class: class(r.IntN(3))}
		}
		want := slices.Clone(got)
		slices.SortStableFunc(want, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.key, b.key))
		})
		r.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		if sortPlaces(got); !slices.Equal(got, want) {
			t.Logf("seed %d: got %v, want %v", seed, got, want)
			return false
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}
