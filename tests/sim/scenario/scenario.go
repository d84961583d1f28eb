package scenario

import (
	"fmt"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
	"github.com/sluice-gateway/sluice/tests/sim/measure"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// Scenario is one trial of the fleet.
type Scenario struct {
	// ID is short and unique, Title says what happens.
	ID, Title string
	Load      traffic.Load
	Upstreams []upstream.Spec
	// Targets are the models over the upstreams; nil: one over each.
	Targets []Target
	// Routes is which targets the routing has from when on; nil: all of them, always.
	Routes []Route
	// Warm is how long the fleet learns before anything is counted, Length the time at which the callers stop.
	Warm, Length time.Duration
	// Spread is the difference of the nodes' clocks and of the delays between them; zero: none.
	Spread time.Duration
	// Events are what happens to the fleet.
	Events []Event
	// Slowed, unless zero, is the upstream whose step the times to leave and to return are measured by, counted
	// from 1, and Slow and Healed the times of its steps.
	Slowed       int
	Slow, Healed time.Duration
	// Split is the best fixed split where it can be told without a search; nil: it cannot.
	Split []float64
	// Gates are the limits that the product keeps to here.
	Gates []Gate
	// Nodes is the sizes of the fleet; nil: 10, or with Sweep, where the size is the question, from 1 to 1000.
	Nodes []int
	Sweep bool
	// Own: only the product's policies that share are put through it: it asks nothing of others that another scenario
	// does not.
	Own bool
	// Closely: it is plotted, and the product's policies are also tried with single parts changed.
	Closely bool
	// Failing, unless zero, is the upstream whose share must vanish from Slow until Healed, or the end, counted from 1.
	Failing int
}

// Target is one model over an upstream.
type Target struct {
	Name     string
	Key      signal.Key
	Upstream int // place in the scenario's Upstreams
}

// Route is the targets from one moment on, by their places in the scenario's Targets.
type Route struct {
	At      time.Duration
	Targets []int
}

// Event is something that happens to the fleet.
type Event struct {
	At time.Duration
	Do func(*fleet.Fleet)
}

// targets returns the scenario's targets.
func (s *Scenario) targets() []Target {
	if s.Targets != nil {
		return s.Targets
	}
	var out []Target
	for i, u := range s.Upstreams {
		out = append(out, Target{u.Name, signal.Key(i + 1), i})
	}
	return out
}

// Size returns how many targets the scenario has.
func (s *Scenario) Size() int { return len(s.targets()) }

// UpstreamOf returns the upstream of a target.
func (s *Scenario) UpstreamOf(target int) *upstream.Spec {
	return &s.Upstreams[s.targets()[target].Upstream]
}

// NameOf returns the name of a target and how fast its upstream is at first.
func (s *Scenario) NameOf(target int) string {
	return fmt.Sprintf("%s, %g s", s.targets()[target].Name, s.UpstreamOf(target).Start.Base)
}

// Marks returns the moments that a summary of the scenario is about.
func (s *Scenario) Marks() measure.Marks {
	return measure.Marks{Slowed: s.Slowed - 1, Failing: s.Failing - 1, Slow: s.Slow, Healed: s.Healed}
}

// routes returns the scenario's routes.
func (s *Scenario) routes() []Route {
	if s.Routes != nil {
		return s.Routes
	}
	all := Route{}
	for i := range s.targets() {
		all.Targets = append(all.Targets, i)
	}
	return []Route{all}
}

// group is the routing over some targets, as compiling would make it. A caller's request goes from target to
// target and none is tried twice.
func group(targets []*core.Target, settings func(*core.Group)) *core.Group {
	g := &core.Group{ID: "sim", Strategy: core.StrategyFailover, MaxFallbacks: -1, Depth: 1, Leaves: len(targets), WhenAllUnavailable: core.UnavailableTryAnyway}
	for _, t := range targets {
		g.Members = append(g.Members, core.Member{Target: t, Weight: 1})
	}
	settings(g)
	return g
}

func compile(t Target) *core.Target {
	return &core.Target{
		Model: t.Name, UpstreamModel: t.Name, Signal: t.Key,
		Upstream: &core.Upstream{ID: t.Name, Credential: core.Credential{Key: t.Name}},
		Cooldown: core.CooldownPolicy{Failures: core.DefaultCooldownFailures, Duration: core.DefaultCooldown, Max: core.DefaultCooldownMax},
	}
}

// Sizes returns the sizes of the fleet that the scenario is for.
func (s *Scenario) Sizes() []int {
	if s.Nodes != nil {
		return s.Nodes
	}
	if s.Sweep {
		return []int{1, 3, 10, 100, 1000}
	}
	return []int{10}
}
