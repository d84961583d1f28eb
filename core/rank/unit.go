package rank

import (
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// unit is one member of a tier, a target or a nested group. The units of a tier stand in order of declaration.
type unit struct {
	member *core.Member
	index  int32 // in its group's members
	slot   int32 // in the tier, and on its wheel
	told   int32 // its candidate in the trace
	// from and to bound the unit's choices in dst once it is placed.
	from, to int32
	best     int32 // of scored: the appraisal by which it is judged
	// Of least_latency: what the best of its leaves is, whether the last of them cools, and the time since the last
	// sample, the recent attempts and the requests in flight of all of them.
	class    class
	cools    bool
	score    float64
	expected float64
	hope     float64
	attempts float64
	since    time.Duration
	inflight int
}

func (u *unit) name() string { return memberName(u.member) }

func memberName(m *core.Member) string {
	if m.Target != nil {
		return m.Target.Model
	}
	return m.Group.ID
}

// share is the weight of a unit in draws. Spares are equal.
func (u *unit) share() float64 { return float64(max(u.member.Weight, 1)) }

// place is a unit's place within its tier.
type place struct {
	key   float64 // lower is earlier within the class
	unit  int32   // in the tier's units
	class class
}

// before is the order within a tier. It is total, so that equals keep the order of declaration.
func (a *place) before(b *place) bool {
	switch {
	case a.class != b.class:
		return a.class < b.class
	case a.key != b.key:
		return a.key < b.key
	}
	return a.unit < b.unit
}

// few is up to how many places are sorted by insertion, without calls.
const few = 16

func sortPlaces(p []place) {
	if len(p) > few {
		slices.SortFunc(p, func(a, b place) int {
			if a.before(&b) {
				return -1
			}
			return 1 // no two are the same unit
		})
		return
	}
	for i := 1; i < len(p); i++ {
		x, j := p[i], i
		for ; j > 0 && x.before(&p[j-1]); j-- {
			p[j] = p[j-1]
		}
		p[j] = x
	}
}
