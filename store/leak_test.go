package store

import (
	"context"
	"errors"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.uber.org/goleak"
	"golang.org/x/sync/errgroup"
)

func TestNothingRunsOnceItsContextHasEnded(t *testing.T) {
	f := &fakeEtcd{list: holds(10)}
	f.watch = func(_ int, _ int64, stream pb.Watch_WatchServer) error { return script(stream, created(10)) }
	f.grant = func(int) (*pb.LeaseGrantResponse, error) {
		return &pb.LeaseGrantResponse{Header: header(10), ID: 1, TTL: 15}, nil
	}
	f.alive = func(s pb.Lease_LeaseKeepAliveServer) error {
		<-s.Context().Done()
		return nil
	}
	s := f.serve(t)
	if err := s.Ping(t.Context()); err != nil { // the connections stay until Close
		t.Fatalf("ping: %v", err)
	}
	if _, err := s.streams.get(t.Context()); err != nil {
		t.Fatalf("connect: %v", err)
	}
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		opened := make(chan error, 10)
		var g errgroup.Group
		g.Go(func() error { return s.Join(MemberConfig{Node: "a", Cell: "c"}).Run(ctx) })
		g.Go(func() error { return s.WatchNodes(ctx, func([]NodeRecord) {}) })
		g.Go(func() error {
			return s.Watch(ctx, Watcher{Publish: func(Image) {}, Health: func(err error) { opened <- err }})
		})
		if err := <-opened; err != nil {
			t.Errorf("health: %v", err)
		}
		cancel()
		if err := g.Wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
	}
	s.Close()
	goleak.VerifyNone(t, goleak.IgnoreAnyFunction("google.golang.org/grpc.(*Server).Serve"), goleak.IgnoreAnyFunction("testing.(*T).Run"),
		goleak.IgnoreAnyFunction("google.golang.org/grpc/internal/transport.NewServerTransport"))
}

func TestAClosedStoreSaysSo(t *testing.T) {
	s := (&fakeEtcd{list: holds(10)}).serve(t)
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if _, err := s.Read(t.Context()); !errors.Is(err, errClosed) || !errors.Is(err, ErrUnavailable) {
		t.Errorf("read: got %v, want ErrUnavailable for a closed store", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
}
