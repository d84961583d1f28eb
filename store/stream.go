package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// stream is one watch of one span on one gRPC stream. It is never resumed: where it ends, its follower
// decides from which revision to go on. The client library's own watcher resumes by itself, buffers
// without bound, and can hang for ever when a watch is refused as it is created (etcd#17611).
type stream struct {
	watch  pb.Watch_WatchClient
	cancel context.CancelCauseFunc
	// opened is the header of etcd's answer to the request for the watch.
	opened *pb.ResponseHeader
}

var (
	errCompacted = errors.New("the revision to watch from is compacted")
	errSilent    = errors.New("the watch has gone silent")
	errNoAnswer  = errors.New("etcd did not open the watch in time")
)

// open starts a watch of every change after revision. The caller cancels the stream.
func (s *Store) open(ctx context.Context, r span, revision int64) (*stream, error) {
	ctx, cancel := context.WithCancelCause(clientv3.WithRequireLeader(ctx))
	late := time.AfterFunc(s.timings.create, func() { cancel(errNoAnswer) })
	st := &stream{cancel: cancel}
	err := s.start(ctx, st, r, revision)
	if !late.Stop() && err == nil {
		err = errNoAnswer
	}
	if err == nil {
		return st, nil
	}
	if errors.Is(context.Cause(ctx), errNoAnswer) {
		err = errNoAnswer
	}
	cancel(err)
	return nil, err
}

func (s *Store) start(ctx context.Context, st *stream, r span, revision int64) error {
	client, err := s.streams.get(ctx)
	if err != nil {
		return err
	}
	st.watch, err = pb.NewWatchClient(client.ActiveConnection()).Watch(ctx, grpc.WaitForReady(true), grpc.MaxCallRecvMsgSize(math.MaxInt32))
	if err != nil {
		return err
	}
	// The watch starts at revision, whose events are already known and dropped, rather than after it: a
	// watch that starts in the future gets no answer to ask, and an idle etcd would look like a dead one.
	err = st.watch.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: &pb.WatchCreateRequest{
		Key: []byte(r.start), RangeEnd: []byte(r.end), StartRevision: revision, ProgressNotify: true, Fragment: true,
	}}})
	if err != nil {
		return err
	}
	answer, err := st.next()
	if err != nil {
		return err
	}
	if !answer.Created {
		return fmt.Errorf("etcd answered the request for a watch with something else")
	}
	st.opened = answer.Header
	return nil
}

// next returns the next answer of the watch, fragments joined. What ends the watch is an error.
func (st *stream) next() (*pb.WatchResponse, error) {
	whole, err := st.receive()
	for err == nil && whole.Fragment {
		var more *pb.WatchResponse
		if more, err = st.receive(); err == nil && more.WatchId == whole.WatchId {
			whole.Events = append(whole.Events, more.Events...)
			whole.Fragment = more.Fragment
		}
	}
	return whole, err
}

func (st *stream) receive() (*pb.WatchResponse, error) {
	answer, err := st.watch.Recv()
	if err != nil {
		return nil, err
	}
	switch {
	case answer.CompactRevision != 0:
		return nil, errCompacted
	case answer.Canceled:
		return nil, canceled(answer.CancelReason)
	}
	return answer, nil
}

// canceled turns the reason for which etcd ended a watch, the text of a gRPC error, into etcd's error.
func canceled(reason string) error {
	if _, desc, ok := strings.Cut(reason, "desc = "); ok {
		reason = desc
	}
	if reason == "" {
		reason = "etcd ended the watch"
	}
	return rpctypes.Error(errors.New(reason))
}

// ask has etcd tell, on this very stream, up to which revision everything was delivered.
func (st *stream) ask() error {
	return st.watch.Send(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}})
}
