package main

import (
	"fmt"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/tests/soak/chaos"
	"github.com/sluice-gateway/sluice/tests/soak/ledger"
)

// limits are short, so that stalls do not take all the time there is, and long enough for a busy machine.
var limits = ledger.Limits{FirstToken: 2 * time.Second, Idle: 2 * time.Second, Attempt: 5 * time.Second}

const (
	// Cooldowns are short, so that failing targets come back many times in a run.
	cooldownFor = 50 * time.Millisecond
	cooldownMax = 400 * time.Millisecond
	// checkEvery is how often one target's health is checked, as often as can be.
	checkEvery = time.Second
	// impatient is the deadline of one routing.
	impatient = 4 * time.Second
	// nowhere refuses every connection.
	nowhere = "http://127.0.0.1:1/v1"
)

// routes are what clients ask for. What follows from them for the judge stays as it is while targets and weights
// change.
func routes() []ledger.Route {
	return []ledger.Route{
		{Model: "m2", Retries: 1, MaxFallbacks: -1, Targets: 1},
		{Model: "failover", Retries: 1, MaxFallbacks: 2, FallsOver400: true},
		{Model: "turns", Retries: 0, MaxFallbacks: 1},
		{Model: "fastest", Retries: 1, MaxFallbacks: -1, Targets: upstreamCount},
		{Model: "patient", Retries: 2, MaxFallbacks: 1, RetryOn429: true, Deadline: impatient},
		{Model: "strict", Retries: 1, MaxFallbacks: 1, Fails: true},
		{Model: "nested", Retries: 0, MaxFallbacks: -1, Targets: upstreamCount + 1},
		{Model: "moving", Retries: 1, MaxFallbacks: 1},
		{Model: "dead", Retries: 1, MaxFallbacks: 2, Dead: true},
	}
}

// route returns the route of that name.
func route(name string) ledger.Route {
	for _, r := range routes() {
		if r.Model == name {
			return r
		}
	}
	panic("soak: no route is called " + name)
}

// models are those that clients reach somehow, all but the one that nobody serves.
func models() []string {
	out := []string{"m-moving"}
	for i := range upstreamCount {
		out = append(out, fmt.Sprintf("m%d", i))
	}
	return out
}

// initial is the configuration at the start.
func initial(upstreams []*chaos.Upstream) []core.Resource {
	out := []core.Resource{
		apiKey(),
		moving(upstreams[0]),
		&core.Provider{ID: "nowhere", Kind: core.ProviderOpenAI, BaseURL: nowhere},
		model("m-moving", "moving"), model("m-dead", "nowhere"),
	}
	for i, u := range upstreams {
		name, of := fmt.Sprintf("m%d", i), fmt.Sprintf("p%d", i)
		out = append(out, provider(of, name, u), model(name, of))
	}
	return append(out, routings()...)
}

// provider points at an upstream, on behalf of its only model. Some ask for token counts that clients did not ask for.
func provider(id, model string, u *chaos.Upstream) *core.Provider {
	return &core.Provider{
		ID: id, Kind: core.ProviderOpenAI, BaseURL: u.URL(model), Auth: &core.Auth{Secret: u.Key()}, StreamUsage: id == "p3" || id == "p4",
	}
}

func moving(to *chaos.Upstream) *core.Provider { return provider("moving", "m-moving", to) }

func model(id, provider string) *core.Model {
	m := &core.Model{
		ID: id, Provider: provider, UpstreamModel: id,
		Timeouts: &core.Timeouts{FirstToken: span(limits.FirstToken), Idle: span(limits.Idle), Attempt: span(limits.Attempt)},
		Cooldown: &core.Cooldown{Duration: span(cooldownFor), Max: span(cooldownMax)},
	}
	if id == "m1" {
		m.HealthCheck = &core.HealthCheck{Interval: span(checkEvery)}
	}
	return m
}

func routings() []core.Resource {
	fastest := routing("fastest", core.StrategyLeastLatency, "m0", "m1", "m2", "m3", "m4")
	fastest.Latency = &core.Latency{ProbeAfter: span(time.Second)}
	strict := routing("strict", core.StrategyRoundRobin, "m3", "m4")
	strict.WhenAllUnavailable = core.UnavailableFail
	return []core.Resource{
		routing("failover", core.StrategyFailover, "m0", "m1", "m2"),
		routing("turns", core.StrategyRoundRobin, "m0", "m1", "m2", "m3", "m4"),
		fastest,
		routing("patient", core.StrategyFailover, "m1", "m2", "m3"),
		strict,
		routing("nested", core.StrategyFailover, "turns", "m-moving", "fastest"),
		routing("moving", core.StrategyFailover, "m-moving", "m0"),
		routing("dead", core.StrategyFailover, "m-dead", "m1", "m2"),
	}
}

// routing has the bounds that the judge knows of the route of that name.
func routing(id string, strategy core.Strategy, targets ...string) *core.Routing {
	known := route(id)
	r := &core.Routing{ID: id, Strategy: strategy, Retries: ptr(known.Retries), RetryOn429: known.RetryOn429}
	if known.MaxFallbacks >= 0 {
		r.MaxFallbacks = ptr(known.MaxFallbacks)
	}
	if known.FallsOver400 {
		r.FallbackOnStatuses = []int{400}
	}
	if known.Deadline > 0 {
		r.Deadline = span(known.Deadline)
	}
	for _, t := range targets {
		r.Targets = append(r.Targets, core.RoutingTarget{Model: t})
	}
	return r
}
