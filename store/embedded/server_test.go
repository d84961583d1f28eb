package embedded_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

func start(t *testing.T, cfg embedded.Config) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(cfg)
	if err != nil {
		t.Fatalf("start %+v: %v", cfg, err)
	}
	return s
}

func open(t *testing.T, s *embedded.Server) *store.Store {
	t.Helper()
	st, err := store.Open(store.Config{Endpoints: s.Endpoints()})
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// With fsync, as an operator runs it.
func TestWhatWasWrittenIsThereAfterARestart(t *testing.T) {
	cfg := embedded.Config{Dir: t.TempDir() + "/new/folder"}
	ref := core.Ref{Kind: core.KindModel, ID: "a"}
	first := start(t, cfg)
	_, err := open(t, first).Update(t.Context(), func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: ref, Value: []byte("kept")}}, nil
	})
	if err != nil {
		t.Fatalf("update: %v", err)
	}
	first.Close()
	second := start(t, cfg)
	defer second.Close()
	img, err := open(t, second).Read(t.Context())
	if err != nil || string(img.Items[ref].Value) != "kept" {
		t.Errorf("got %v, error %v, want what was written before", img.Items, err)
	}
}

func TestTwoServersRunBesideEachOther(t *testing.T) {
	a := start(t, embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true, Token: "a"})
	defer a.Close()
	b := start(t, embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true, Token: "b"})
	defer b.Close()
	one, err := open(t, a).Read(t.Context())
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	two, err := open(t, b).Read(t.Context())
	if err != nil || one.Cluster == two.Cluster {
		t.Errorf("cluster ids: got %x and %x (error %v), want two", one.Cluster, two.Cluster, err)
	}
}

func TestAnAddressInUseIsAnError(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	defer l.Close()
	_, err = embedded.Start(embedded.Config{Dir: t.TempDir(), Listen: l.Addr().String()})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("got %v, want the address to be in use", err)
	}
	if _, err := embedded.Start(embedded.Config{}); err == nil {
		t.Error("a server without a folder was started")
	}
}

func TestAnOrdinaryRunLogsNothing(t *testing.T) {
	var log bytes.Buffer
	s := start(t, embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err := open(t, s).Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	s.Close()
	if log.Len() > 0 {
		t.Errorf("log: %s", log.String())
	}
}

func TestEveryLeaseCanBeEnded(t *testing.T) {
	s := start(t, embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	defer s.Close()
	granted := make(chan struct{}, 2)
	m := open(t, s).Join(store.MemberConfig{Node: "a", Cell: "c", Granted: func() { granted <- struct{}{} }})
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	<-granted
	if err := s.EndLeases(t.Context()); err != nil {
		t.Errorf("end leases: %v", err)
	}
	if _, err := m.PutSignals(t.Context(), nil); !errors.Is(err, store.ErrNoLease) {
		t.Errorf("put under the ended lease: got %v, want ErrNoLease", err)
	}
	<-granted // the node takes another
	stop()
	<-done
}
