package load

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Plan is one round of load.
type Plan struct {
	Address string // host:port
	Request Request
	// Count is how many requests are sent in all, whatever the time it takes.
	Count int
	// Connections is how many requests may be under way at once.
	Connections int
	// Rate is how many requests are due each second; 0 is a closed loop, in which each connection
	// sends its next request as soon as it has its answer.
	Rate float64
}

// Result is what one round measured. Times count from the moment a request was due.
type Result struct {
	Elapsed      time.Duration
	Total, First []time.Duration // sorted, one each a request
	Events       int
}

// Rate returns the answers per second.
func (r Result) Rate() float64 { return float64(len(r.Total)) / r.Elapsed.Seconds() }

// Percentile returns the p-th percentile of sorted, which must not be empty; 0 ≤ p ≤ 100.
func Percentile(sorted []time.Duration, p float64) time.Duration {
	return sorted[min(int(p/100*float64(len(sorted))), len(sorted)-1)]
}

// Run carries the plan out. The first request that is not answered as expected ends the round.
func Run(ctx context.Context, p Plan) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due := make(chan time.Time, p.Count)
	workers := make([]*worker, p.Connections)
	for i := range workers {
		c, err := dial(p.Address)
		if err != nil {
			return Result{}, err
		}
		defer c.close()
		workers[i] = &worker{client: c, request: p.Request, samples: make([]sample, 0, p.Count/p.Connections*2)}
	}
	start := time.Now()
	var running sync.WaitGroup
	for _, w := range workers {
		running.Go(func() {
			if err := w.run(ctx, due); err != nil {
				cancel(err)
			}
		})
	}
	p.schedule(ctx, start, due)
	close(due)
	running.Wait()
	if err := context.Cause(ctx); err != nil {
		return Result{}, fmt.Errorf("load on %s: %w", p.Address, err)
	}
	return collect(workers, time.Since(start)), nil
}

// schedule sends the moment at which each request is due; zero moments make a closed loop.
func (p Plan) schedule(ctx context.Context, start time.Time, due chan<- time.Time) {
	if p.Rate == 0 {
		for range p.Count {
			due <- time.Time{}
		}
		return
	}
	gap := time.Duration(float64(time.Second) / p.Rate)
	for i := range p.Count {
		if ctx.Err() != nil {
			return
		}
		at := start.Add(time.Duration(i) * gap)
		pause(time.Until(at))
		due <- at
	}
}

// pause holds its thread in the kernel: the runtime's timers round up to a millisecond when idle.
func pause(d time.Duration) {
	if d <= 0 {
		return
	}
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // cut short by a signal, a request is early by less than one gap
}

type sample struct {
	total, first time.Duration
	events       int
}

type worker struct {
	client  *client
	request Request
	samples []sample
}

func (w *worker) run(ctx context.Context, due <-chan time.Time) error {
	for at := range due {
		if ctx.Err() != nil {
			return nil
		}
		if at.IsZero() {
			at = time.Now()
		}
		a, err := w.client.exchange(w.request)
		if err != nil {
			return err
		}
		w.samples = append(w.samples, sample{time.Since(at), a.First.Sub(at), a.Events})
	}
	return nil
}

func collect(workers []*worker, elapsed time.Duration) Result {
	r := Result{Elapsed: elapsed}
	for _, w := range workers {
		for _, s := range w.samples {
			r.Total = append(r.Total, s.total)
			r.First = append(r.First, s.first)
			r.Events += s.events
		}
	}
	slices.SortFunc(r.Total, cmp.Compare)
	slices.SortFunc(r.First, cmp.Compare)
	return r
}
