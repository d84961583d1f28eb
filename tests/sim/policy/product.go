package policy

import (
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// product returns the product's own policies, the default first.
func product() []Named {
	return []Named{
		ours("adaptive", core.LatencyPolicy{}),
		ours("strict", core.LatencyPolicy{Selection: core.SelectionStrict}),
		ours("balanced", core.LatencyPolicy{Selection: core.SelectionBalanced}),
		alone(ours("adaptive unshared", core.LatencyPolicy{})),
		alone(ours("balanced unshared", core.LatencyPolicy{Selection: core.SelectionBalanced})),
	}
}

// Ablations returns the product's policies with one thing changed.
func Ablations() []Named {
	all := []Named{
		ours("balanced no in-flight", core.LatencyPolicy{Selection: core.SelectionBalanced, Inflight: core.InflightOff}),
		ours("balanced absolute", core.LatencyPolicy{Selection: core.SelectionBalanced, Inflight: core.InflightAbsolute}),
		ours("balanced K=2", core.LatencyPolicy{Selection: core.SelectionBalanced, Sharpness: 2}),
		ours("balanced K=3", core.LatencyPolicy{Selection: core.SelectionBalanced, Sharpness: 3}),
		ours("balanced K=4", core.LatencyPolicy{Selection: core.SelectionBalanced, Sharpness: 4}),
		ours("balanced K=8", core.LatencyPolicy{Selection: core.SelectionBalanced, Sharpness: 8}),
		ours("adaptive no in-flight", core.LatencyPolicy{Inflight: core.InflightOff}),
		ours("adaptive absolute", core.LatencyPolicy{Inflight: core.InflightAbsolute}),
		ours("adaptive K=2", core.LatencyPolicy{Sharpness: 2}),
		ours("adaptive K=3", core.LatencyPolicy{Sharpness: 3}),
		ours("adaptive K=4", core.LatencyPolicy{Sharpness: 4}),
		ours("adaptive K=8", core.LatencyPolicy{Sharpness: 8}),
		leastBusy(),
	}
	for i := range all {
		all[i].Ablation = true
	}
	return all
}

// ours is the product's ranking with those settings; what is zero has its default.
func ours(name string, p core.LatencyPolicy) Named {
	if p.Selection == "" {
		p.Selection = core.DefaultSelection
	}
	if p.Sharpness == 0 {
		p.Sharpness = core.DefaultSharpness
	}
	if p.Inflight == "" {
		p.Inflight = core.DefaultInflight
	}
	p.ProbeAfter = core.DefaultProbeAfter
	return Named{
		Name: name, Ours: true, Shared: true,
		Group: func(g *core.Group) { g.Strategy, g.Latency = core.StrategyLeastLatency, p },
		New:   func(int, int) Policy { return &ranked{served: map[turn]signal.Key{}} },
	}
}

// leastBusy goes by the fleet's requests in flight alone.
func leastBusy() Named {
	p := ours("least_busy", core.LatencyPolicy{})
	p.Group = func(g *core.Group) { g.Strategy = core.StrategyLeastBusy }
	return p
}

// alone is the policy without sharing.
func alone(p Named) Named {
	p.Shared = false
	return p
}
