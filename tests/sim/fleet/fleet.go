package fleet

import (
	"fmt"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
)

// As proxy/share has them.
const (
	foldEvery = 250 * time.Millisecond
	urgentGap = 200 * time.Millisecond
	probeSlot = 15 * time.Second
	// lease is after how long the store drops a node that is silent.
	lease = 15 * time.Second
)

// Config says what fleet there is.
type Config struct {
	Nodes int
	// Shared: the nodes publish what they measure.
	Shared bool
	// Every is the time between two values of a node (I), Delay the time until a value has arrived.
	Every, Delay time.Duration
	// Spread is by how much the delays and the clocks of the nodes differ, both ways; Delay is then the mean.
	Spread time.Duration
	// Tree: an aggregator folds the nodes' values into a root, and the nodes follow that only.
	Tree bool
	Seed uint64
}

// Fleet is the nodes and the store between them.
type Fleet struct {
	cfg    Config
	engine *engine.Engine
	nodes  []*Node
	all    []*Node // those that are dead included
	names  []string
	lines  []*line
	// root is what the aggregator has written; both are nil unless the fleet is a tree.
	root       *line
	aggregator *Node
	outage     bool
	closed     bool
	born       int
	// Rejects is how many values could not be decoded, or not wholly.
	Rejects int
}

// New starts the nodes.
func New(e *engine.Engine, cfg Config) *Fleet {
	f := &Fleet{cfg: cfg, engine: e}
	for i := range cfg.Nodes {
		f.nodes = append(f.nodes, nil)
		f.start(i)
	}
	f.publishNames()
	if cfg.Shared && cfg.Tree {
		f.elect()
	}
	return f
}

// start puts a new process in place i.
func (f *Fleet) start(i int) *Node {
	f.born++
	draw := engine.Stream(f.cfg.Seed, "node", uint64(f.born))
	board := signal.NewBoard()
	n := &Node{
		Index: i, Board: board, Cooldowns: cooldown.New(board), Ranker: rank.NewRanker(), Rand: draw,
		fleet: f, name: fmt.Sprintf("node-%d-%016x", i, draw.Uint64()),
		delay: f.cfg.Delay, owed: true,
	}
	if f.cfg.Spread > 0 {
		n.delay += time.Duration(draw.Float64() * float64(f.cfg.Delay/2))
		n.skew = time.Duration((2*draw.Float64() - 1) * float64(f.cfg.Spread))
		n.offset = n.skew
	}
	n.phase = time.Duration(draw.Float64() * float64(foldEvery))
	n.folded = f.engine.Now()
	n.line = &line{name: n.name}
	f.nodes[i] = n
	f.all = append(f.all, n)
	if f.cfg.Shared {
		n.place = len(f.lines)
		f.lines = append(f.lines, n.line)
		f.engine.After(time.Duration(draw.Float64()*float64(f.cfg.Every)), n.tick)
	}
	return n
}

func (f *Fleet) publishNames() {
	f.names = nil
	for _, n := range f.nodes {
		if !n.down {
			f.names = append(f.names, n.name)
		}
	}
	slices.Sort(f.names)
}

// Pick returns the node that a balancer in front gives a request with that draw of [0, 1): any that serves.
func (f *Fleet) Pick(place float64) *Node {
	first := int(place * float64(len(f.nodes)))
	for i := range f.nodes {
		if n := f.nodes[(first+i)%len(f.nodes)]; !n.down {
			return n
		}
	}
	return nil
}

// Nodes returns the processes that serve.
func (f *Fleet) Nodes() []*Node {
	return slices.DeleteFunc(slices.Clone(f.nodes), func(n *Node) bool { return n.down })
}

// Close stops publishing once everything is answered.
func (f *Fleet) Close() { f.closed = true }

// Inflight returns the requests that any process which has not died counts as its own.
func (f *Fleet) Inflight(keys []signal.Key) int {
	alone := 0
	for _, n := range f.all {
		if n.dead {
			continue
		}
		n.Board.Reset(nil, n.Now())
		n.Board.Fold(n.Now())
		for _, k := range keys {
			alone = max(alone, n.Board.Estimate(k, signal.Total, n.Now()).Inflight)
		}
	}
	return alone
}
