package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/share"
	"github.com/sluice-gateway/sluice/store"
)

// node is one of the fleet.
type node struct {
	board  *signal.Board
	sharer *share.Sharer
}

// fleet is all nodes and the board that sees every sample at once, with which theirs are compared.
type fleet struct {
	plan  plan
	nodes []*node
	union *signal.Board

	stores []*store.Store
	wg     sync.WaitGroup
	cancel context.CancelFunc
}

// muster starts the nodes.
func muster(ctx context.Context, p plan, endpoints []string) (*fleet, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &fleet{plan: p, union: signal.NewBoard(), cancel: cancel}
	for i := range p.nodes {
		if i%p.sharing == 0 {
			// Each store prefers another member, as nodes on many machines do.
			at := i / p.sharing % len(endpoints)
			s, err := store.Open(store.Config{Endpoints: append(append([]string{}, endpoints[at:]...), endpoints[:at]...)})
			if err != nil {
				return f, err
			}
			f.stores = append(f.stores, s)
		}
		n := &node{board: signal.NewBoard()}
		cfg := share.Config{Node: fmt.Sprintf("node-%04d", i), Cell: "crowd", TreeAbove: p.treeAbove, TTL: p.ttl, Logger: slog.New(slog.DiscardHandler)}
		n.sharer = share.New(cfg, f.stores[len(f.stores)-1], n.board)
		f.wg.Go(func() { n.sharer.Run(ctx) }) //nolint:errcheck // it ends with ctx
		f.nodes = append(f.nodes, n)
	}
	return f, nil
}

// dismiss ends the nodes.
func (f *fleet) dismiss() error {
	f.cancel()
	f.wg.Wait()
	var faults []error
	for _, s := range f.stores {
		faults = append(faults, s.Close())
	}
	return errors.Join(faults...)
}

// settled reports whether every node sees all others, in the mode that their number asks for.
func (f *fleet) settled() bool {
	n, _ := f.settledNodes()
	return n == len(f.nodes)
}

// settledNodes returns how many nodes see all others, and how the first stands.
func (f *fleet) settledNodes() (n int, first share.Stats) {
	first = f.nodes[0].sharer.Stats()
	for _, node := range f.nodes {
		if node.sharer.Live() == len(f.nodes) && node.sharer.Stats().Mode == f.mode() {
			n++
		}
	}
	return n, first
}

func (f *fleet) mode() share.Mode {
	if f.plan.nodes > f.plan.treeAbove {
		return share.Tree
	}
	return share.Flat
}

// await waits until ok, and is an error after a while.
func await(ctx context.Context, what string, limit time.Duration, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		}
	}
	return nil
}
