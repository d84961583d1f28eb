package policy

import (
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
)

// sharedArgmin sends everything to the target with the least mean latency that the fleet has measured: what
// sharing alone does, without any of the guards of the product.
type sharedArgmin struct{ passive }

func (sharedArgmin) Order(dst []rank.Choice, n *fleet.Node, g *core.Group, r *traffic.Request) []rank.Choice {
	from := len(dst)
	dst = random{}.Order(dst, n, g, r)
	sortByCost(dst[from:], func(t *core.Target) float64 { return n.Board.Estimate(t.Signal, r.Class, n.Now()).Latency })
	return dst
}

// ranked is the product's own ranking.
type ranked struct{ passive }

func (ranked) Order(dst []rank.Choice, n *fleet.Node, g *core.Group, r *traffic.Request) []rank.Choice {
	return n.Ranker.Order(dst, g, rank.View{Board: n.Board, Class: r.Class, Now: n.Now(), Owner: n.Owns})
}
