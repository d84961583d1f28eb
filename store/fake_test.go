package store

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
)

const fakeCluster = 7

// fakeEtcd answers as its functions say: for what a real etcd does only in bad moments.
type fakeEtcd struct {
	pb.UnimplementedKVServer
	pb.UnimplementedWatchServer
	pb.UnimplementedLeaseServer

	list  func(*pb.RangeRequest) (*pb.RangeResponse, error)
	watch func(attempt int, from int64, stream pb.Watch_WatchServer) error
	grant func(attempt int) (*pb.LeaseGrantResponse, error)
	alive func(stream pb.Lease_LeaseKeepAliveServer) error

	mu              sync.Mutex
	watches, grants int
}

func (f *fakeEtcd) Range(_ context.Context, r *pb.RangeRequest) (*pb.RangeResponse, error) {
	return f.list(r)
}

func (f *fakeEtcd) Txn(context.Context, *pb.TxnRequest) (*pb.TxnResponse, error) {
	return &pb.TxnResponse{Header: header(1), Succeeded: true}, nil
}

func (f *fakeEtcd) Watch(stream pb.Watch_WatchServer) error {
	request, err := stream.Recv()
	if err != nil {
		return err
	}
	f.mu.Lock()
	f.watches++
	attempt := f.watches
	f.mu.Unlock()
	return f.watch(attempt, request.GetCreateRequest().GetStartRevision(), stream)
}

func (f *fakeEtcd) LeaseGrant(context.Context, *pb.LeaseGrantRequest) (*pb.LeaseGrantResponse, error) {
	f.mu.Lock()
	f.grants++
	attempt := f.grants
	f.mu.Unlock()
	return f.grant(attempt)
}

func (f *fakeEtcd) LeaseKeepAlive(stream pb.Lease_LeaseKeepAliveServer) error { return f.alive(stream) }

// serve runs the fake until the test ends and returns a hurried store over it.
func (f *fakeEtcd) serve(t *testing.T) *Store {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	server := grpc.NewServer()
	pb.RegisterKVServer(server, f)
	pb.RegisterWatchServer(server, f)
	pb.RegisterLeaseServer(server, f)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	s, err := Open(Config{Endpoints: []string{l.Addr().String()}, Prefix: "/p"})
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	Hurry(s)
	t.Cleanup(func() { s.Close() })
	return s
}

func header(revision int64) *pb.ResponseHeader {
	return &pb.ResponseHeader{ClusterId: fakeCluster, Revision: revision}
}

// holds lists these keys at that revision, whatever is asked for.
func holds(revision int64, kvs ...*mvccpb.KeyValue) func(*pb.RangeRequest) (*pb.RangeResponse, error) {
	return func(*pb.RangeRequest) (*pb.RangeResponse, error) {
		return &pb.RangeResponse{Header: header(revision), Kvs: kvs}, nil
	}
}

func stored(id, value string, revision int64) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{Key: []byte("/p/resources/model/" + id), Value: []byte(value), CreateRevision: revision, ModRevision: revision}
}

func written(id, value string, revision int64) *mvccpb.Event {
	return &mvccpb.Event{Kv: stored(id, value, revision)}
}

func deleted(id string, revision int64) *mvccpb.Event {
	return &mvccpb.Event{Type: mvccpb.Event_DELETE, Kv: &mvccpb.KeyValue{Key: []byte("/p/resources/model/" + id), ModRevision: revision}}
}

func created(revision int64) *pb.WatchResponse {
	return &pb.WatchResponse{Header: header(revision), Created: true}
}

// script sends answers and then stays silent until the watch ends.
func script(stream pb.Watch_WatchServer, answers ...*pb.WatchResponse) error {
	for _, a := range answers {
		if err := stream.Send(a); err != nil {
			return err
		}
	}
	<-stream.Context().Done()
	return nil
}

// report is one thing that a watch said.
type report struct {
	image    *Image
	progress int64
	health   error
	resync   string
	up       bool
}

// watchDocument runs a watch until the test ends and returns what it says.
func watchDocument(t *testing.T, s *Store) <-chan report {
	t.Helper()
	reports := make(chan report)
	ctx, cancel := context.WithCancel(context.Background())
	say := func(r report) {
		select {
		case reports <- r:
		case <-ctx.Done():
		}
	}
	done := make(chan error, 1)
	go func() {
		done <- s.Watch(ctx, Watcher{
			Publish:  func(i Image) { say(report{image: &i}) },
			Progress: func(r int64) { say(report{progress: r}) },
			Health:   func(err error) { say(report{health: err, up: err == nil}) },
			Resync:   func(reason string) { say(report{resync: reason}) },
		})
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return reports
}

// await returns the next report that ok accepts.
func await(t *testing.T, what string, reports <-chan report, ok func(report) bool) report {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case r := <-reports:
			if ok(r) {
				return r
			}
		case <-late:
			t.Fatalf("waited a minute for: %s", what)
		}
	}
}

func published(r report) bool { return r.image != nil }
