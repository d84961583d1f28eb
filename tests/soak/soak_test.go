package main

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/tests/soak/figures"
)

// local is a node in this process. What it holds is what the whole process does, of which goroutines and heap
// can be told to come back; resident memory is the race detector's.
type local struct {
	api, status net.Listener
	store       *store.Store
	log         *os.File
	stop        context.CancelFunc
	stopped     chan error
}

func (n *local) API() string    { return "http://" + n.api.Addr().String() }
func (n *local) Status() string { return "http://" + n.status.Addr().String() }
func (n *local) Log() string    { return n.log.Name() }

func (n *local) Figures() (figures.Figures, error) { return n.Settle() }

func (n *local) Settle() (figures.Figures, error) {
	f := figures.Settle()
	f.Resident = 0
	return f, nil
}

func (n *local) Stop() error {
	n.stop()
	err := <-n.stopped
	n.log.Close()
	n.store.Close()
	return err
}

func startLocal(t *testing.T, dir string) starter {
	return func(name, etcd string) (node, error) {
		n := &local{stopped: make(chan error, 1)}
		var err error
		if n.log, err = os.Create(filepath.Join(dir, name+".log")); err != nil {
			return nil, err
		}
		logger := slog.New(slog.NewJSONHandler(n.log, nil))
		if n.store, err = store.Open(store.Config{Endpoints: []string{etcd}, PlainSecrets: true, Logger: logger}); err != nil {
			return nil, err
		}
		for _, l := range []*net.Listener{&n.api, &n.status} {
			if *l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
				return nil, err
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		n.stop = stop
		go func() {
			n.stopped <- proxy.New(proxy.Config{Store: n.store, NodeID: name, Drain: time.Second, Logger: logger}).Run(ctx, n.api, n.status)
		}()
		return n, nil
	}
}

func TestNothingThatUpstreamsOrClientsDoBreaksAnAnswer(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	s, err := run(t.Context(), dir, plan{length: 5 * time.Second, seed: 1, callers: 24}, startLocal(t, dir), &out)
	if err != nil {
		t.Fatal(err)
	}
	s.report()
	if err := s.verdict(); err != nil {
		t.Errorf("got %v, want nothing wrong\n%s", err, out.String())
	}
}
