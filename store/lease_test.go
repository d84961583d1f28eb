package store

import (
	"context"
	"errors"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A keep-alive that fails, hangs, or answers for another lease ends the lease at the node's own deadline.
func TestALeaseThatIsNotConfirmedIsReplaced(t *testing.T) {
	for name, alive := range map[string]func(pb.Lease_LeaseKeepAliveServer) error{
		"refused": func(pb.Lease_LeaseKeepAliveServer) error { return status.Error(codes.Internal, "broken") },
		"closed":  func(pb.Lease_LeaseKeepAliveServer) error { return nil },
		"hanging": func(s pb.Lease_LeaseKeepAliveServer) error {
			<-s.Context().Done()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replaced := grants(t, alive)
			if age := next(replaced).Sub(next(replaced)).Abs(); age < time.Second/2 {
				t.Errorf("the lease of 1 s was given up after %s", age)
			}
		})
	}
}

func TestALeaseThatEtcdDoesNotKnowIsReplacedAtOnce(t *testing.T) {
	replaced := grants(t, func(s pb.Lease_LeaseKeepAliveServer) error {
		for {
			r, err := s.Recv()
			if err != nil {
				return err
			}
			if err := s.Send(&pb.LeaseKeepAliveResponse{Header: header(1), ID: r.ID, TTL: 0}); err != nil {
				return err
			}
		}
	})
	for range 3 {
		next(replaced)
	}
}

// grants runs a member against a fake etcd that keeps leases alive so, and tells when it grants one.
func grants(t *testing.T, alive func(pb.Lease_LeaseKeepAliveServer) error) <-chan time.Time {
	t.Helper()
	granted := make(chan time.Time, 100)
	f := &fakeEtcd{alive: alive, grant: func(attempt int) (*pb.LeaseGrantResponse, error) {
		granted <- time.Now()
		return &pb.LeaseGrantResponse{Header: header(1), ID: int64(attempt), TTL: 1}, nil
	}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	m := f.serve(t).Join(MemberConfig{Node: "a", Cell: "c", TTL: time.Second})
	go func() { done <- m.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("run: got %v", err)
		}
	})
	return granted
}

func next(c <-chan time.Time) time.Time { return <-c }
