package fleet

import (
	"math/rand/v2"
	"time"

	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
)

// Node is one process of the fleet.
type Node struct {
	// Index is the node's place in the fleet; a process that takes over from a dead one has the same.
	Index     int
	Board     *signal.Board
	Cooldowns *cooldown.Table
	Ranker    *rank.Ranker
	Rand      *rand.Rand

	fleet *Fleet
	name  string
	// Offset is by how much the node's clock is ahead, and skew by how much its wall clock alone is.
	offset, skew time.Duration
	delay        time.Duration // until what others publish arrives
	phase        time.Duration // of its folds
	folded       time.Duration // the last of them
	heard        []int         // by line of the store: how much of it has arrived
	rooted       int           // how many roots have arrived
	line         *line         // what it publishes
	place        int           // of its line among all
	owed         bool
	published    time.Duration
	urgent       bool // a put is scheduled before the next regular one
	down         bool // dead, or suspended
	dead         bool
	resumes      time.Duration // the end of its last suspension
}

// Time returns what the node's clock shows at a time of the simulation.
func (n *Node) Time(at time.Duration) time.Time { return engine.Wall(at + n.offset) }

// Now returns what the node's clock shows.
func (n *Node) Now() time.Time { return n.Time(n.fleet.engine.Now()) }

// Dead reports whether the process has ended.
func (n *Node) Dead() bool { return n.dead }

// Lag is by how much at most the node hears late of the others, as the product has it.
func (n *Node) Lag() time.Duration {
	every := n.fleet.cfg.Every
	if len(n.fleet.nodes) == 1 {
		return 0
	}
	if n.fleet.root != nil {
		every *= 2
	}
	return every + every/10
}

// Owns reports whether the node holds the fleet's probe slot of a key.
func (n *Node) Owns(k signal.Key) bool {
	if !n.fleet.cfg.Shared {
		return true
	}
	slot := n.fleet.engine.Now() + n.skew
	return signal.Owns(n.name, n.fleet.names, k, engine.Wall(slot).Unix()/int64(probeSlot/time.Second))
}

// Sync brings the node's board to the state that its latest fold before now has left. Nothing reads a fold
// before that, so that folds which nobody would see are not made.
func (n *Node) Sync() {
	if !n.fleet.cfg.Shared {
		return
	}
	now := n.fleet.engine.Now()
	tick := now - (now-n.phase)%foldEvery
	if tick <= n.folded {
		return
	}
	n.folded = tick
	n.hear(tick)
	n.Board.Fold(n.Time(tick))
}
