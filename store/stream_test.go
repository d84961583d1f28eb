package store

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/sluice-gateway/sluice/core"
)

func texts(i *Image) map[string]string {
	out := map[string]string{}
	for ref, item := range i.Items {
		out[ref.ID] = string(item.Value)
	}
	return out
}

func TestFragmentsOfOneTransactionAreOneImage(t *testing.T) {
	f := &fakeEtcd{list: holds(10, stored("a", "1", 9))}
	f.watch = func(_ int, _ int64, stream pb.Watch_WatchServer) error {
		return script(stream, created(12),
			&pb.WatchResponse{Header: header(12), Fragment: true, Events: []*mvccpb.Event{written("a", "1", 9), written("b", "2", 11)}},
			&pb.WatchResponse{Header: header(12), WatchId: -1},
			&pb.WatchResponse{Header: header(12), Fragment: true, Events: []*mvccpb.Event{written("c", "2", 11)}},
			&pb.WatchResponse{Header: header(12), Events: []*mvccpb.Event{deleted("a", 11), written("b", "3", 12)}},
		)
	}
	reports := watchDocument(t, f.serve(t))
	for _, want := range []struct {
		revision int64
		items    map[string]string
	}{
		{10, map[string]string{"a": "1"}},
		{11, map[string]string{"b": "2", "c": "2"}},
		{12, map[string]string{"b": "3", "c": "2"}},
	} {
		got := await(t, fmt.Sprintf("the image at %d", want.revision), reports, published).image
		if diff := cmp.Diff(want.items, texts(got)); diff != "" || got.Revision != want.revision {
			t.Errorf("image at %d, want %d (-want +got):\n%s", got.Revision, want.revision, diff)
		}
	}
}

func TestEventsThatAreKnownAlreadyAreDropped(t *testing.T) {
	f := &fakeEtcd{list: holds(10, stored("a", "1", 10))}
	f.watch = func(_ int, from int64, stream pb.Watch_WatchServer) error {
		if from != 10 {
			t.Errorf("the watch starts at %d, want 10", from)
		}
		return script(stream, created(10),
			&pb.WatchResponse{Header: header(10), Events: []*mvccpb.Event{written("a", "stale", 8), written("a", "1", 10)}},
			&pb.WatchResponse{Header: header(11), Events: []*mvccpb.Event{written("a", "2", 11)}},
		)
	}
	reports := watchDocument(t, f.serve(t))
	await(t, "the first image", reports, published)
	if got := texts(await(t, "the second", reports, published).image)["a"]; got != "2" {
		t.Errorf("got %q, want %q", got, "2")
	}
}

func TestOnlyWhatTheWatchDeliveredMovesItsResumePoint(t *testing.T) {
	var starts []int64
	f := &fakeEtcd{list: holds(10)}
	f.watch = func(attempt int, from int64, stream pb.Watch_WatchServer) error {
		starts = append(starts, from)
		switch attempt {
		case 1: // opened, and then silent for good, while the cluster is far ahead
			return script(stream, created(5000))
		case 2:
			return errors.Join(stream.Send(created(5000)), stream.Send(&pb.WatchResponse{Header: header(12), Events: []*mvccpb.Event{written("a", "1", 11)}}), status.Error(codes.Unavailable, "lost"))
		case 3:
			return errors.Join(stream.Send(created(5000)), stream.Send(&pb.WatchResponse{Header: header(20), WatchId: -1}), status.Error(codes.Unavailable, "lost"))
		}
		return script(stream, created(5000), &pb.WatchResponse{Header: header(21), Events: []*mvccpb.Event{written("a", "2", 21)}})
	}
	reports := watchDocument(t, f.serve(t))
	await(t, "the last image", reports, func(r report) bool { return r.image != nil && r.image.Revision == 21 })
	if diff := cmp.Diff([]int64{10, 10, 11, 20}, starts); diff != "" {
		t.Errorf("watches started at (-want +got):\n%s", diff)
	}
}

func TestAWatchThatIsCanceledWithoutEventsIsReadAgain(t *testing.T) {
	f := &fakeEtcd{list: holds(10, stored("a", "1", 9))}
	f.watch = func(attempt int, _ int64, stream pb.Watch_WatchServer) error {
		if attempt == 1 {
			return script(stream, created(10), &pb.WatchResponse{Header: header(50), Canceled: true, CompactRevision: 50})
		}
		return script(stream, created(10))
	}
	reports := watchDocument(t, f.serve(t))
	await(t, "the first image", reports, published)
	await(t, "the resync", reports, func(r report) bool { return r.resync != "" })
	r := await(t, "the end of the resync", reports, func(r report) bool { return r.image != nil || r.progress > 0 })
	if r.image != nil {
		t.Errorf("an identical resync published %v", texts(r.image))
	}
}

func TestAFailedPagePublishesNothing(t *testing.T) {
	fail := true
	f := &fakeEtcd{watch: func(_ int, _ int64, stream pb.Watch_WatchServer) error { return script(stream, created(10)) }}
	f.list = func(r *pb.RangeRequest) (*pb.RangeResponse, error) {
		switch {
		case r.Revision == 0:
			return &pb.RangeResponse{Header: header(10), Kvs: []*mvccpb.KeyValue{stored("a", "1", 9)}, More: true}, nil
		case fail:
			fail = false
			return nil, status.Error(codes.Internal, "a broken page")
		}
		return &pb.RangeResponse{Header: header(12), Kvs: []*mvccpb.KeyValue{stored("b", "1", 8)}}, nil
	}
	reports := watchDocument(t, f.serve(t))
	if r := await(t, "the failure", reports, func(report) bool { return true }); !errors.Is(r.health, ErrUnavailable) {
		t.Errorf("first report: got %+v, want ErrUnavailable", r)
	}
	img := await(t, "the first image", reports, published).image
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "1"}, texts(img)); diff != "" || img.Revision != 10 {
		t.Errorf("image at %d (-want +got):\n%s", img.Revision, diff)
	}
}

func TestPagesOfTwoClustersAreNeverOneImage(t *testing.T) {
	pages := 0
	f := &fakeEtcd{list: func(r *pb.RangeRequest) (*pb.RangeResponse, error) {
		if pages++; pages > 4 {
			return &pb.RangeResponse{Header: header(30), Kvs: []*mvccpb.KeyValue{stored("whole", "1", 9)}}, nil
		}
		h := &pb.ResponseHeader{ClusterId: uint64(pages), Revision: 10}
		return &pb.RangeResponse{Header: h, Kvs: []*mvccpb.KeyValue{stored(fmt.Sprint("part", pages), "1", 9)}, More: true}, nil
	}}
	img, err := f.serve(t).Read(t.Context())
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	if _, ok := img.Items[core.Ref{Kind: core.KindModel, ID: "whole"}]; !ok || len(img.Items) != 1 {
		t.Errorf("got %v, want the one page of one cluster", texts(&img))
	}
}

func TestALaggingMemberIsNoReasonToReadAgain(t *testing.T) {
	f := &fakeEtcd{list: holds(10)}
	f.watch = func(_ int, _ int64, stream pb.Watch_WatchServer) error {
		return script(stream, created(4), &pb.WatchResponse{Header: header(11), Events: []*mvccpb.Event{written("a", "1", 11)}})
	}
	reports := watchDocument(t, f.serve(t))
	await(t, "the first image", reports, published)
	r := await(t, "the event", reports, func(r report) bool { return r.image != nil || r.resync != "" })
	if r.resync != "" {
		t.Errorf("resync: %s", r.resync)
	}
}

func TestTheClusterIDOfEveryAnswerCounts(t *testing.T) {
	f := &fakeEtcd{list: holds(10)}
	f.watch = func(attempt int, _ int64, stream pb.Watch_WatchServer) error {
		if attempt > 1 {
			return script(stream, created(10))
		}
		return script(stream, created(10), &pb.WatchResponse{Header: &pb.ResponseHeader{ClusterId: fakeCluster + 1, Revision: 11}, Events: []*mvccpb.Event{written("a", "1", 11)}})
	}
	reports := watchDocument(t, f.serve(t))
	await(t, "the first image", reports, published)
	if r := await(t, "the resync", reports, func(r report) bool { return r.image != nil || r.resync != "" }); r.image != nil {
		t.Errorf("another cluster's event was published: %v", texts(r.image))
	}
}

// etcd#17611: a watch that is refused as it is created, again and again, blocks nothing and leaves nothing.
func TestAThousandRefusedWatchesLeakNothing(t *testing.T) {
	const cycles = 1000
	f := &fakeEtcd{list: holds(10)}
	f.watch = func(attempt int, _ int64, stream pb.Watch_WatchServer) error {
		if attempt > cycles {
			return script(stream, created(10))
		}
		refusal := &pb.WatchResponse{Header: header(10), WatchId: -1, Created: true, Canceled: true, CancelReason: "rpc error: code = PermissionDenied desc = etcdserver: permission denied"}
		return errors.Join(stream.Send(refusal), status.Error(codes.FailedPrecondition, "halt"))
	}
	s := f.serve(t)
	s.timings.refusedMax = s.timings.retry
	reports := watchDocument(t, s)
	refused, before := 0, 0
	await(t, "the watch to open", reports, func(r report) bool {
		if r.health != nil {
			if refused++; refused == 10 {
				before = runtime.NumGoroutine()
			}
			if !errors.Is(r.health, ErrUnauthenticated) {
				t.Errorf("health: got %v, want ErrUnauthenticated", r.health)
			}
		}
		return r.up
	})
	if after := runtime.NumGoroutine(); refused != cycles || after > before+20 {
		t.Errorf("got %d refusals, and %d goroutines grew to %d", refused, before, after)
	}
}

// A member in the minority of a partition sees nothing and says nothing, unless it is told to.
func TestAWatchNeedsALeaderAndGoesOnElsewhereWithoutOne(t *testing.T) {
	f := &fakeEtcd{list: holds(10)}
	f.watch = func(attempt int, from int64, stream pb.Watch_WatchServer) error {
		md, _ := metadata.FromIncomingContext(stream.Context())
		if got := md.Get(rpctypes.MetadataRequireLeaderKey); len(got) != 1 || got[0] != rpctypes.MetadataHasLeader || from != 10 {
			t.Errorf("watch %d: got %s=%q from revision %d", attempt, rpctypes.MetadataRequireLeaderKey, got, from)
		}
		if attempt == 1 {
			return errors.Join(stream.Send(created(10)), rpctypes.ErrGRPCNoLeader)
		}
		return script(stream, created(10), &pb.WatchResponse{Header: header(11), Events: []*mvccpb.Event{written("a", "1", 11)}})
	}
	reports := watchDocument(t, f.serve(t))
	await(t, "the first image", reports, published)
	if r := await(t, "the event", reports, func(r report) bool { return r.image != nil || r.resync != "" }); r.resync != "" {
		t.Errorf("resync: %s", r.resync)
	}
}
