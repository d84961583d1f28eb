package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/caller"
	"github.com/sluice-gateway/sluice/tests/soak/figures"
	"github.com/sluice-gateway/sluice/tests/soak/ledger"
)

const (
	// quietLimit bounds the wait for everything to end once the clients have.
	quietLimit = 60 * time.Second
	// judgeEvery is how often what has ended is judged.
	judgeEvery = 250 * time.Millisecond
	// tellEvery is how often a long run says how it goes.
	tellEvery = 30 * time.Second
)

// plan says how to soak.
type plan struct {
	length, warmUp time.Duration
	seed           uint64
	callers        int
}

// soak is one run.
type soak struct {
	plan
	fleet  *fleet
	ledger *ledger.Ledger
	client *http.Client
	out    io.Writer

	changes       int
	before, after []figures.Figures
	inFlight      []float64 // of each node, at the end
	unquiet       error     // nil: everything is back to where it was
	logged        logged
}

// run soaks and returns what it found; an error says that it could not.
func run(ctx context.Context, dir string, p plan, start starter, out io.Writer) (*soak, error) {
	l := ledger.New(limits)
	f, err := newFleet(ctx, dir, p.seed, l, start)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: p.callers, DisableCompression: true}
	s := &soak{plan: p, fleet: f, ledger: l, client: &http.Client{Transport: transport}, out: out}
	err = s.run(ctx)
	transport.CloseIdleConnections()
	if e := f.close(); err == nil {
		err = e
	}
	return s, err
}

func (s *soak) run(ctx context.Context) error {
	var err error
	if s.warmUp > 0 {
		if err := s.load(ctx, "warm", s.warmUp); err != nil {
			return err
		}
		if err := s.quiet(ctx); err != nil {
			return fmt.Errorf("after the warm-up: %w", err)
		}
	}
	if s.before, err = s.fleet.settle(); err != nil {
		return err
	}
	if err := s.load(ctx, "soak", s.length); err != nil {
		return err
	}
	s.unquiet = s.quiet(ctx)
	if s.unquiet == nil {
		s.unquiet = s.back(ctx)
	}
	if s.after, err = s.fleet.settle(); err != nil {
		return err
	}
	s.logged, err = s.fleet.logs()
	return err
}

// load lets the callers ask for that long, while the configuration changes, and judges what has ended.
func (s *soak) load(ctx context.Context, name string, length time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var wg sync.WaitGroup
	for i := range s.callers {
		c := caller.New(caller.Config{
			Name: fmt.Sprintf("%s%d-%x", name, i, s.seed), Rand: rand.New(rand.NewPCG(s.seed, uint64(i))), Nodes: s.fleet.apis(),
			Client: s.client, Key: callerKey, Routes: routes(), Ledger: s.ledger,
		})
		wg.Go(func() { c.Run(ctx) })
	}
	var failed error
	wg.Go(func() {
		n, err := s.fleet.change(ctx, rand.New(rand.NewPCG(s.seed, 1<<32)))
		s.changes += n
		failed = err
	})
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	s.watch(done)
	return failed
}

// watch judges, and tells how it goes, until done.
func (s *soak) watch(done <-chan struct{}) {
	judge, tell := time.NewTicker(judgeEvery), time.NewTicker(tellEvery)
	defer judge.Stop()
	defer tell.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-judge.C:
			s.ledger.Judge(now)
		case <-tell.C:
			requests, hits, broken := s.ledger.Progress()
			fmt.Fprintf(s.out, "%d requests, %d hits, %d violations so far\n", requests, hits, broken)
		}
	}
}

// quiet waits until nothing is under way on any side and judges the rest.
func (s *soak) quiet(ctx context.Context) error {
	err := await(ctx, quietLimit, func() error {
		s.rest()
		for _, u := range s.fleet.upstreams {
			if n := u.InFlight(); n > 0 {
				return fmt.Errorf("upstream %s still treats %d requests", u.Name(), n)
			}
		}
		return s.gauges(ctx)
	})
	s.ledger.Judge(time.Time{}) // nothing can come of anything any more
	if n := s.ledger.Unended(); err == nil && n > 0 {
		err = fmt.Errorf("%d requests have no end", n)
	}
	return err
}

// rest closes every idle connection on both sides of the nodes.
func (s *soak) rest() {
	s.client.CloseIdleConnections()
	for _, u := range s.fleet.upstreams {
		u.Rest()
	}
}

// gauges reads the gauges in flight of every node, all of which must be 0, and whether it serves everything.
func (s *soak) gauges(ctx context.Context) error {
	s.inFlight = nil
	var fault error
	for _, n := range s.fleet.nodes {
		v, err := inFlight(ctx, n.Status())
		if err == nil {
			err = serves(ctx, n.Status(), 0)
		}
		if err != nil {
			return err
		}
		s.inFlight = append(s.inFlight, v)
		if v != 0 {
			fault = fmt.Errorf("%s says that %v are in flight", n.Status(), v)
		}
	}
	return fault
}

// back waits until every node holds what it held before. A connection that was opened and never used is closed
// some seconds later than one that is idle.
func (s *soak) back(ctx context.Context) error {
	return await(ctx, quietLimit, func() error {
		s.rest()
		held, err := s.fleet.settle()
		if err != nil {
			return err
		}
		for i, h := range held {
			if err := returned(s.before[i], s.before[i], h); err != nil {
				return fmt.Errorf("node %d: %w", i, err)
			}
		}
		return nil
	})
}
