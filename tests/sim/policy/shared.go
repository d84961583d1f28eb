package policy

import (
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
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

// ranked is the product's own ranking. Each node remembers, as the product does, which target served a session last.
type ranked struct {
	passive
	served map[turn]signal.Key
}

type turn struct {
	node    *fleet.Node
	session uint64
}

func (p *ranked) Order(dst []rank.Choice, n *fleet.Node, g *core.Group, r *traffic.Request) []rank.Choice {
	v := rank.View{Board: n.Board, Class: r.Class, Now: n.Now(), Lag: n.Lag(), Owner: n.Owns, Rand: n.Rand.Uint64, Session: r.Session}
	if r.Session != 0 {
		v.Previous = p.served[turn{n, r.Session}]
	}
	return n.Ranker.Order(dst, g, v)
}

// Answered remembers the target of a session.
func (p *ranked) Answered(n *fleet.Node, t *core.Target, r *traffic.Request) {
	if r.Session != 0 {
		p.served[turn{n, r.Session}] = t.Signal
	}
}
