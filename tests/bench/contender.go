package main

import (
	"context"
	"fmt"

	"github.com/sluice-gateway/sluice/tests/bench/load"
)

// contender is a proxy under test in a process of its own.
type contender struct {
	name    string
	address string // host:port of its API
	metrics string // URL of its Prometheus page
	pid     int
}

// round is what one round of load cost one contender.
type round struct {
	load load.Result
	used usage
}

// measure sends the plan to the contender and counts what its process used meanwhile. The counters are
// read over HTTP, which allocates: what one reading costs is measured first and taken off.
func (c contender) measure(ctx context.Context, p load.Plan) (r round, err error) {
	var pages [3]usage
	for i := range 2 {
		if pages[i], err = heap(ctx, c.metrics); err != nil {
			return r, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	before, err := processCPU(c.pid)
	if err != nil {
		return r, err
	}
	p.Address = c.address
	if r.load, err = load.Run(ctx, p); err != nil {
		return r, fmt.Errorf("%s: %w", c.name, err)
	}
	after, err := processCPU(c.pid)
	if err != nil {
		return r, err
	}
	if pages[2], err = heap(ctx, c.metrics); err != nil {
		return r, fmt.Errorf("%s: %w", c.name, err)
	}
	reading := pages[1].minus(pages[0])
	r.used = pages[2].minus(pages[1]).minus(reading)
	r.used.cpu = after - before
	return r, nil
}
