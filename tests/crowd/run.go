package main

import (
	"context"
	"errors"
	"log"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/proxy/share"
	"github.com/sluice-gateway/sluice/store"
)

// settleLimit is what a busy machine may need to start a thousand nodes.
const settleLimit = 3 * time.Minute

// figures are what a run has shown.
type figures struct {
	plan     plan
	mode     share.Mode
	interval time.Duration // as the nodes have it
	settling time.Duration // from the start of all nodes until each saw all
	window   time.Duration
	cost     cost
	growth   int64 // of what etcd has in use, over the window
	lag      []time.Duration
	// stepApart and stepOff are how long after the step D and E were within their limits again, stepLeft what they were
	// when that was due, and stepReached when the last node had taken in half of it.
	stepApart, stepOff, stepReached time.Duration
	stepLeft                        agreement
	// quiet is when D stayed within a hundredth after the last sample, quietApart what it then was at the limit.
	quiet      time.Duration
	quietLimit time.Duration
	quietApart float64
	degraded   int
	late       []time.Duration // sorted; how much too late the machine ran what was due
}

// cost is the sum of what all nodes did.
type cost struct {
	puts, putBytes, putFailures, values, valueBytes, roots, rootBytes, rejects int64
	slow                                                                       uint64 // puts that took more than 100 ms
}

func (f *fleet) cost() (c cost) {
	for _, n := range f.nodes {
		s := n.sharer.Stats()
		c.puts, c.putBytes, c.putFailures = c.puts+s.Puts, c.putBytes+s.PutBytes, c.putFailures+s.PutFailures
		c.values, c.valueBytes = c.values+s.PeerValues, c.valueBytes+s.PeerBytes
		c.roots, c.rootBytes = c.roots+s.RootPuts, c.rootBytes+s.RootBytes
		c.rejects += s.PeerRejects + s.EntryRejects
		c.slow += s.PutLatency.Count - s.PutLatency.Buckets[0.1]
	}
	return c
}

func (c cost) since(o cost) cost {
	return cost{
		c.puts - o.puts, c.putBytes - o.putBytes, c.putFailures - o.putFailures, c.values - o.values, c.valueBytes - o.valueBytes,
		c.roots - o.roots, c.rootBytes - o.rootBytes, c.rejects - o.rejects, c.slow - o.slow,
	}
}

// run lets a fleet of the plan share over that etcd and measures it.
func run(ctx context.Context, p plan, endpoints []string) (out figures, err error) {
	log.Printf("%d nodes, %d targets: starting", p.nodes, p.targets)
	began := time.Now()
	f, err := muster(ctx, p, endpoints)
	defer func() { err = errors.Join(err, f.dismiss()) }()
	if err != nil {
		return out, err
	}
	if err := await(ctx, "every node to see all", settleLimit, f.settled); err != nil {
		n, stats := f.settledNodes()
		log.Printf("%d of %d nodes see all; the first: %+v", n, p.nodes, stats)
		return out, err
	}
	out = figures{plan: p, mode: f.mode(), settling: time.Since(began)}
	log.Printf("all see all after %v", out.settling.Round(time.Millisecond))
	l := &load{fleet: f, began: time.Now()}
	quiet := l.start(ctx)
	defer quiet()
	for _, measure := range []func(context.Context, *fleet, *load) error{out.steady, out.lags, out.step} {
		if err := measure(ctx, f, l); err != nil {
			return out, err
		}
	}
	if err := pause(ctx, p.recovery); err != nil {
		return out, err
	}
	quiet()
	out.late = slices.Sorted(slices.Values(l.late))
	return out, out.calm(ctx, f)
}

// steady counts what sharing costs while nothing special happens.
func (o *figures) steady(ctx context.Context, f *fleet, _ *load) error {
	if err := pause(ctx, f.plan.warmUp); err != nil {
		return err
	}
	full, err := f.space(ctx)
	if err != nil {
		return err
	}
	before, began := f.cost(), time.Now()
	if err := pause(ctx, f.plan.steady); err != nil {
		return err
	}
	o.cost, o.window, o.interval = f.cost().since(before), time.Since(began), f.nodes[0].sharer.Interval()
	fuller, err := f.space(ctx)
	o.growth = fuller.InUse - full.InUse
	for _, n := range f.nodes {
		if s := n.sharer.Stats(); s.Degraded || s.Fuse != share.FuseClosed {
			o.degraded++
		}
	}
	return err
}

// space asks an etcd that may be busy.
func (f *fleet) space(ctx context.Context) (out store.Space, err error) {
	err = await(ctx, "etcd to tell how full it is", time.Minute, func() bool {
		var failed error
		out, failed = f.stores[0].Space(ctx)
		return failed == nil
	})
	return out, err
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
