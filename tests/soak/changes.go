package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// changeEvery is how often the configuration changes.
const changeEvery = 150 * time.Millisecond

// change keeps changing the configuration until ctx ends, and returns how often it did.
func (f *fleet) change(ctx context.Context, rng *rand.Rand) (int, error) {
	tick := time.NewTicker(changeEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return n, nil
		case <-tick.C:
		}
		if _, err := put(context.WithoutCancel(ctx), f.store, f.next(rng)); err != nil {
			return n, fmt.Errorf("change %d: %w", n, err)
		}
	}
}

// next is one change: weights, order and number of targets, where a provider points, what a check looks like.
func (f *fleet) next(rng *rand.Rand) core.Resource {
	switch rng.IntN(5) {
	case 0:
		return moving(f.upstreams[rng.IntN(len(f.upstreams))])
	case 1:
		r := routing("turns", core.StrategyRoundRobin, some(rng, 2)...)
		for i := range r.Targets {
			r.Targets[i].Weight = ptr(1 + rng.IntN(5))
		}
		return r
	case 2:
		r := routing("fastest", core.StrategyLeastLatency, some(rng, 1)...)
		r.Latency = &core.Latency{ProbeAfter: span(time.Duration(1+rng.IntN(5)) * time.Second)}
		for i := range r.Targets {
			r.Targets[i].Priority = rng.IntN(2)
		}
		return r
	case 3:
		return routing("failover", core.StrategyFailover, some(rng, 3)...)
	}
	m := model("m1", "p1")
	m.HealthCheck.Interval = span(checkEvery + time.Duration(rng.IntN(300))*time.Millisecond)
	return m
}

// some is a shuffled choice of at least n of the models whose provider stays where it is.
func some(rng *rand.Rand, n int) []string {
	all := models()[1:]
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n+rng.IntN(len(all)-n+1)]
}
