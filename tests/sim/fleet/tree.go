package fleet

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
)

// elect makes a new aggregator, which knows nothing but what the store holds. It serves no requests; in the product
// it runs beside a node that does.
func (f *Fleet) elect() {
	f.born++
	draw := engine.Stream(f.cfg.Seed, "aggregator", uint64(f.born))
	a := &Node{Board: signal.NewBoard(), Rand: draw, fleet: f, name: "aggregator", delay: f.cfg.Delay}
	if f.root == nil {
		f.root = &line{}
	}
	f.aggregator = a
	f.engine.After(time.Duration(draw.Float64()*float64(f.cfg.Every)), a.aggregate)
}

// aggregate writes the root and schedules the next.
func (n *Node) aggregate() {
	f := n.fleet
	if n.dead || f.closed {
		return
	}
	now := f.engine.Now()
	n.hear(now)
	n.Board.Fold(n.Now())
	if !f.outage {
		holds := append([]int(nil), n.heard...)
		f.root.entries = append(f.root.entries, entry{at: now, value: n.Board.EncodeFold(nil, n.Now()), holds: holds})
	}
	f.engine.After(n.interval(), n.aggregate)
}

// hearRoot takes in the last root that has arrived by then.
func (n *Node) hearRoot(by time.Duration) {
	last := n.fleet.root.arrived(n.rooted, by-n.delay)
	if last == n.rooted {
		return
	}
	n.rooted = last
	e := &n.fleet.root.entries[last-1]
	if all := n.fleet.decode(e, n.received(e.at)); all != nil {
		n.Board.SetRoot(all, n.own(e))
	}
}

// own returns the node's own value that is folded into the root, as of its encoding; nil if there is none.
func (n *Node) own(root *entry) *signal.Peer {
	if n.place >= len(root.holds) || root.holds[n.place] == 0 {
		return nil
	}
	e := &n.line.entries[root.holds[n.place]-1]
	if e.value == nil {
		return nil
	}
	return n.fleet.decode(e, n.Time(e.at))
}
