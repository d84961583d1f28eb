package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

const (
	// lagEvery is how often the nodes are looked at for news: a fiftieth of the time between two folds.
	lagEvery = 5 * time.Millisecond
	lagLimit = time.Minute

	// compareEvery is how often estimates are compared.
	compareEvery = 100 * time.Millisecond
	// factor is by what the first target slows down.
	factor = 5
	// What D and E must be within again a while after a step, SIGNALS.md §6.7.
	stepApart = 0.05
	stepOff   = 0.10
	// quietApart is how near the estimates must come after the last sample, SIGNALS.md §6.7.
	quietApart = 0.01
)

// lags times cooldowns: from the moment when one node asks for the write until each other has it in its table.
func (o *figures) lags(ctx context.Context, f *fleet, _ *load) error {
	for trial := range f.plan.trials {
		if err := o.lagOf(ctx, f, signal.Key(1_000_000+trial)); err != nil {
			return err
		}
		if err := pause(ctx, rand.N(time.Second)); err != nil { // at no special phase
			return err
		}
	}
	slices.Sort(o.lag)
	return nil
}

func (o *figures) lagOf(ctx context.Context, f *fleet, k signal.Key) error {
	from := f.nodes[rand.N(len(f.nodes))]
	waiting := slices.DeleteFunc(slices.Clone(f.nodes), func(n *node) bool { return n == from })
	began := time.Now()
	from.board.Cool(k, began.Add(time.Hour), began)
	from.sharer.Urgent()
	for len(waiting) > 0 {
		if err := pause(ctx, lagEvery); err != nil {
			return err
		}
		now := time.Now()
		before := len(waiting)
		waiting = slices.DeleteFunc(waiting, func(n *node) bool { return n.board.Cooling(k, now) > 0 })
		for range before - len(waiting) {
			o.lag = append(o.lag, now.Sub(began))
		}
		if now.Sub(began) > lagLimit {
			return fmt.Errorf("%d nodes have not heard of a cooldown after %v", len(waiting), lagLimit)
		}
	}
	return nil
}

// percentile returns that of sorted durations; zero without any.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// step slows the first target down and sees how soon all nodes agree on it again.
func (o *figures) step(ctx context.Context, f *fleet, l *load) error {
	before := f.union.Estimate(key(0), signal.TTFT, time.Now()).Latency
	l.slowed.Store(factor * 1000)
	defer l.slowed.Store(0)
	asked := time.Now()
	for since := time.Duration(0); since < f.plan.watched; {
		if err := pause(ctx, compareEvery); err != nil {
			return err
		}
		now := time.Now()
		first := l.stepped.Load()
		if first == 0 {
			if now.Sub(asked) > lagLimit {
				return fmt.Errorf("no sample of the first target in %v", lagLimit)
			}
			continue
		}
		since = now.Sub(l.began) - time.Duration(first)
		if o.stepReached == 0 && f.reached(before, factor, now) == len(f.nodes) {
			o.stepReached = since
		}
		a := f.compare([]int{0}, now)
		if a.apart > stepApart {
			o.stepApart = since + compareEvery
		}
		if a.off > stepOff {
			o.stepOff = since + compareEvery
		}
		if since <= o.stepLimit() {
			o.stepLeft = a
		}
	}
	return nil
}

// calm sees how soon all nodes agree after the last sample.
func (o *figures) calm(ctx context.Context, f *fleet) error {
	var all []int
	for t := range f.plan.targets {
		all = append(all, t)
	}
	o.quietLimit = o.allowed()
	began := time.Now()
	for now := began; now.Sub(began) < 2*o.quietLimit; now = time.Now() {
		since := now.Sub(began)
		a := f.compare(all, now)
		if a.apart > quietApart {
			o.quiet = since + compareEvery
		}
		if since >= o.quietLimit {
			o.quietApart = max(o.quietApart, a.apart)
		}
		if err := pause(ctx, compareEvery); err != nil {
			return err
		}
	}
	return nil
}
