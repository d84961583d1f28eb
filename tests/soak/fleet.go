package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
	"github.com/sluice-gateway/sluice/tests/soak/chaos"
	"github.com/sluice-gateway/sluice/tests/soak/fault"
	"github.com/sluice-gateway/sluice/tests/soak/figures"
	"github.com/sluice-gateway/sluice/tests/soak/ledger"
)

const (
	nodeCount     = 2
	upstreamCount = 5
	// serveLimit bounds the wait for a node to serve what was written.
	serveLimit = 20 * time.Second
)

// node is a proxy under test.
type node interface {
	API() string
	Status() string
	Figures() (figures.Figures, error)
	Settle() (figures.Figures, error)
	// Log is the path of what the node logs.
	Log() string
	Stop() error
}

// starter starts a node of that name on an etcd.
type starter func(name, etcd string) (node, error)

// fleet is everything that a soak runs on.
type fleet struct {
	etcd      *embedded.Server
	store     *store.Store
	upstreams []*chaos.Upstream
	nodes     []node
}

// newFleet starts etcd, the upstreams and the nodes, and returns once the nodes serve.
func newFleet(ctx context.Context, dir string, seed uint64, l *ledger.Ledger, start starter) (f *fleet, err error) {
	f = &fleet{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.close())
		}
	}()
	if f.etcd, err = embedded.Start(embedded.Config{Dir: filepath.Join(dir, "etcd"), UnsafeNoFsync: true}); err != nil {
		return f, err
	}
	if f.store, err = store.Open(store.Config{Endpoints: f.etcd.Endpoints(), PlainSecrets: true}); err != nil {
		return f, err
	}
	now := time.Now()
	for i := range upstreamCount {
		name := fmt.Sprintf("u%d", i)
		u, err := chaos.Start(chaos.Config{
			Name: name, Key: "credential-of-" + name, Ledger: l, Weather: fault.Weather{Seed: seed, Upstream: name, Start: now},
		})
		if err != nil {
			return f, err
		}
		f.upstreams = append(f.upstreams, u)
	}
	revision, err := put(ctx, f.store, initial(f.upstreams)...)
	if err != nil {
		return f, err
	}
	return f, f.startNodes(ctx, start, revision)
}

func (f *fleet) startNodes(ctx context.Context, start starter, revision int64) error {
	for i := range nodeCount {
		n, err := start(fmt.Sprintf("node%d", i), f.etcd.Endpoints()[0])
		if err != nil {
			return err
		}
		f.nodes = append(f.nodes, n)
	}
	for _, n := range f.nodes {
		if err := await(ctx, serveLimit, func() error { return serves(ctx, n.Status(), revision) }); err != nil {
			return err
		}
	}
	return nil
}

// apis returns the base URLs of the nodes.
func (f *fleet) apis() []string {
	var out []string
	for _, n := range f.nodes {
		out = append(out, n.API())
	}
	return out
}

// settle makes every node collect its garbage and returns what each holds.
func (f *fleet) settle() ([]figures.Figures, error) {
	var out []figures.Figures
	for _, n := range f.nodes {
		held, err := n.Settle()
		if err != nil {
			return nil, err
		}
		out = append(out, held)
	}
	return out, nil
}

// close ends everything, last started first.
func (f *fleet) close() error {
	var errs []error
	for _, n := range f.nodes {
		errs = append(errs, n.Stop())
	}
	for _, u := range f.upstreams {
		u.Close()
	}
	if f.store != nil {
		errs = append(errs, f.store.Close())
	}
	if f.etcd != nil {
		f.etcd.Close()
	}
	return errors.Join(errs...)
}

// separate starts nodes in processes of their own, built into dir, which also takes their logs.
func separate(ctx context.Context, dir string) (starter, error) {
	binary, err := buildNode(ctx, dir)
	if err != nil {
		return nil, err
	}
	return func(name, etcd string) (node, error) { return startProcess(binary, name, etcd, dir) }, nil
}

// workDir makes a folder for one run.
func workDir() (string, error) { return os.MkdirTemp("", "sluice-soak-") }
