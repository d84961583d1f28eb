package scenario

import (
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
	"github.com/sluice-gateway/sluice/tests/sim/measure"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// Cell is one simulation: a scenario under a policy.
type Cell struct {
	Scenario *Scenario
	Policy   policy.Named
	Nodes    int
	Every    time.Duration
	Seed     uint64
}

// delivery is how long a published value takes to the others.
const delivery = 50 * time.Millisecond

// flat is the largest fleet in which all nodes follow all.
const flat = 200

// drain is how long after the last caller the simulation waits for the last answer.
const drain = time.Hour

// run is a cell at work.
type run struct {
	Cell
	engine    *engine.Engine
	fleet     *fleet.Fleet
	policy    policy.Policy
	source    *traffic.Source
	upstreams []*upstream.Upstream // by target
	targets   []*core.Target
	group     *core.Group
	log       *measure.Log
	open      int // requests without an answer
	witness   *witness
	sessions  map[uint64]signal.Key // which target served each last
}

// Run simulates the cell.
func (c Cell) Run() *measure.Log {
	r := c.prepare()
	r.engine.Run(c.Scenario.Length)
	r.engine.RunWhile(func() bool { return r.open > 0 }, c.Scenario.Length+drain)
	r.settle()
	r.conclude()
	return r.log
}

func (c Cell) prepare() *run {
	e, s := &engine.Engine{}, c.Scenario
	targets := s.targets()
	r := &run{
		Cell: c, engine: e, source: traffic.New(s.Load, c.Seed), policy: c.Policy.New(c.Nodes, len(targets)),
		fleet:    fleet.New(e, fleet.Config{Nodes: c.Nodes, Shared: c.Policy.Shared, Every: c.Every, Delay: delivery, Spread: s.Spread, Tree: c.Nodes > flat, Seed: c.Seed}),
		sessions: map[uint64]signal.Key{}, log: measure.NewLog(s.Warm, s.Length, len(targets)),
	}
	servers := make([]*upstream.Upstream, len(s.Upstreams))
	for i := range s.Upstreams {
		servers[i] = upstream.New(e, &s.Upstreams[i])
	}
	for _, t := range targets {
		r.upstreams = append(r.upstreams, servers[t.Upstream])
		r.targets = append(r.targets, compile(t))
	}
	for _, route := range s.routes() {
		e.At(route.At, func() { r.reroute(route) })
	}
	for _, event := range s.Events {
		e.At(event.At, func() { event.Do(r.fleet) })
	}
	r.watch()
	e.At(0, r.arrivals)
	return r
}

// reroute is a new snapshot on every node: what no routing holds any more is forgotten, as the product does.
func (r *run) reroute(route Route) {
	var now []*core.Target
	keep := map[signal.Key]bool{}
	for _, i := range route.Targets {
		now = append(now, r.targets[i])
		keep[r.targets[i].Signal] = true
	}
	r.group = group(now, r.Policy.Group)
	for _, n := range r.fleet.Nodes() {
		n.Board.Forget(func(k signal.Key) bool { return keep[k] })
	}
}

// arrivals begins the requests, each when its time has come.
func (r *run) arrivals() {
	if callers := r.Scenario.Load.Callers; callers > 0 {
		for range callers {
			r.ask()
		}
		return
	}
	next := r.source.Next()
	if next.At < r.Scenario.Length {
		r.engine.At(next.At, func() {
			r.begin(next)
			r.arrivals()
		})
	}
}

// ask begins the request of a caller that waits for its answers, while there are callers.
func (r *run) ask() {
	if r.engine.Now() < r.Scenario.Length {
		r.begin(r.source.Ask(r.engine.Now()))
	}
}

// conclude checks what must hold once everything is answered.
func (r *run) conclude() {
	r.fleet.Close()
	r.log.Unanswered = r.open
	var keys []signal.Key
	for _, t := range r.targets {
		keys = append(keys, t.Signal)
	}
	r.log.Inflight = r.fleet.Inflight(keys)
}
