package main

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

const (
	// loadEvery is how often samples are made; the number of each is Poisson's.
	loadEvery = 50 * time.Millisecond
	// spread is the sigma of the lognormal latencies.
	spread = 0.3
)

// load feeds every node and the union with samples until ctx ends.
type load struct {
	fleet *fleet
	// slowed multiplies the latency of the first target, in thousandths.
	slowed atomic.Int64
	// stepped is when the first sample was slowed, in nanoseconds since began.
	began   time.Time
	stepped atomic.Int64
	// late is by how much each round came too late, which tells how busy the machine is.
	late []time.Duration
}

func key(target int) signal.Key { return signal.Key(1000 + target) }

// base is the usual latency of a target in seconds: 0.2 s and up.
func base(target int) float64 { return 0.2 * math.Pow(1.15, float64(target)) }

// start runs the load until stop is called, which waits for it.
func (l *load) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx)
	}()
	return func() { cancel(); <-done }
}

func (l *load) run(ctx context.Context) {
	tick := time.NewTicker(loadEvery)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			l.late = append(l.late, max(time.Since(last)-loadEvery, 0))
			l.round(now.Sub(last))
			last = now
		}
	}
}

// round makes the samples of that time.
func (l *load) round(d time.Duration) {
	mean := l.fleet.plan.rate * d.Seconds()
	for _, n := range l.fleet.nodes {
		for t := range l.fleet.plan.targets {
			for range poisson(mean) {
				l.sample(n, t)
			}
		}
	}
}

func (l *load) sample(n *node, target int) {
	seconds := base(target) * math.Exp(rand.NormFloat64()*spread)
	slowed := l.slowed.Load()
	if target == 0 && slowed > 0 {
		seconds *= float64(slowed) / 1000
	}
	now, took := time.Now(), time.Duration(seconds*float64(time.Second))
	n.board.Succeed(key(target), signal.TTFT, took, 0, now)
	l.fleet.union.Succeed(key(target), signal.TTFT, took, 0, now)
	if target == 0 && slowed > 1000 {
		l.stepped.CompareAndSwap(0, int64(now.Sub(l.began)))
	}
}

// poisson draws a number of events of that mean (Knuth's method, for small means).
func poisson(mean float64) int {
	n, p, limit := 0, rand.Float64(), math.Exp(-mean)
	for p > limit {
		n++
		p *= rand.Float64()
	}
	return n
}
