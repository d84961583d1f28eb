package policy

import (
	"math/rand/v2"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
)

// random takes any target.
type random struct{ passive }

func (random) Order(dst []rank.Choice, n *fleet.Node, g *core.Group, _ *traffic.Request) []rank.Choice {
	from := len(dst)
	for i := range g.Members {
		dst = append(dst, rank.Choice{Target: g.Members[i].Target})
	}
	shuffle(n.Rand, dst[from:])
	return dst
}

func shuffle(draw *rand.Rand, choices []rank.Choice) {
	draw.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
}

// split sends fixed shares of the traffic to the targets, whatever happens. The shares are those of the scenario's
// targets in order.
type split struct {
	passive
	shares []float64
}

// Order draws the first target by its share; the others follow in order of declaration.
func (s split) Order(dst []rank.Choice, _ *fleet.Node, g *core.Group, r *traffic.Request) []rank.Choice {
	from := len(dst)
	var total float64
	for i := range g.Members {
		total += s.shares[Index(g.Members[i].Target)]
	}
	left, drawn := r.Split*total, 0
	for i := range g.Members {
		t := g.Members[i].Target
		dst = append(dst, rank.Choice{Target: t})
		share := s.shares[Index(t)]
		if left >= 0 && left < share {
			drawn = i
		}
		left -= share
	}
	dst[from], dst[from+drawn] = dst[from+drawn], dst[from]
	return dst
}
