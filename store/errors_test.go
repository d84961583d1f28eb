package store

import (
	"context"
	"errors"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestEveryKindOfErrorHasItsClass(t *testing.T) {
	for _, c := range []struct {
		err         error
		read, write error
	}{
		{rpctypes.ErrGRPCNoSpace, ErrNoSpace, ErrNoSpace},
		{rpctypes.ErrNoSpace, ErrNoSpace, ErrNoSpace},
		{rpctypes.ErrGRPCRequestTooLarge, ErrTooLarge, ErrTooLarge},
		{rpctypes.ErrGRPCTooManyOps, ErrTooLarge, ErrTooLarge},
		{rpctypes.ErrGRPCAuthFailed, ErrUnauthenticated, ErrUnauthenticated},
		{rpctypes.ErrGRPCInvalidAuthToken, ErrUnauthenticated, ErrUnauthenticated},
		{rpctypes.ErrGRPCPermissionDenied, ErrUnauthenticated, ErrUnauthenticated},
		{rpctypes.ErrGRPCUserEmpty, ErrUnauthenticated, ErrUnauthenticated},
		{rpctypes.ErrGRPCAuthOldRevision, ErrUnauthenticated, ErrUnauthenticated},
		{rpctypes.ErrGRPCLeaseNotFound, ErrNoLease, ErrNoLease},
		{rpctypes.ErrGRPCRequestTooManyRequests, ErrUnavailable, ErrUnavailable},
		{rpctypes.ErrGRPCNoLeader, ErrUnavailable, ErrUnavailable},
		{errClosed, ErrUnavailable, ErrUnavailable},
		// The proposal may have left, or still be applied.
		{rpctypes.ErrGRPCLeaderChanged, ErrUnavailable, ErrUnknownOutcome},
		{rpctypes.ErrGRPCTimeout, ErrUnavailable, ErrUnknownOutcome},
		{rpctypes.ErrGRPCTimeoutDueToLeaderFail, ErrUnavailable, ErrUnknownOutcome},
		{rpctypes.ErrGRPCTimeoutDueToConnectionLost, ErrUnavailable, ErrUnknownOutcome},
		{rpctypes.ErrGRPCStopped, ErrUnavailable, ErrUnknownOutcome},
		{status.Error(codes.Unavailable, "connection reset"), ErrUnavailable, ErrUnknownOutcome},
		{status.Error(codes.Internal, "stream broken"), ErrUnavailable, ErrUnknownOutcome},
		{context.DeadlineExceeded, ErrUnavailable, ErrUnknownOutcome},
		{errors.New("anything else"), ErrUnavailable, ErrUnknownOutcome},
	} {
		if got := readError(t.Context(), c.err); !only(got, c.read) {
			t.Errorf("read: %v: got %v, want %v alone", c.err, got, c.read)
		}
		if got := writeError(t.Context(), c.err); !only(got, c.write) {
			t.Errorf("write: %v: got %v, want %v alone", c.err, got, c.write)
		}
	}
}

// only reports whether err is of that class and of no other, a context's error included: callers take
// that for their own.
func only(err, class error) bool {
	for _, other := range []error{ErrConflict, ErrTooLarge, ErrNoSpace, ErrUnknownOutcome, ErrUnavailable, ErrUnauthenticated, ErrNoLease, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, other) != errors.Is(class, other) {
			return false
		}
	}
	return true
}

func TestACallerThatGaveUpFindsItsOwnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := readError(ctx, status.Error(codes.Canceled, "")); !only(err, context.Canceled) {
		t.Errorf("read: got %v, want context.Canceled alone", err)
	}
	if err := writeError(ctx, status.Error(codes.Canceled, "")); !errors.Is(err, context.Canceled) || !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("write: got %v, want context.Canceled and ErrUnknownOutcome", err)
	}
}

func TestTheReasonOfACanceledWatchIsItsError(t *testing.T) {
	for reason, want := range map[string]error{
		rpctypes.ErrGRPCPermissionDenied.Error(): ErrUnauthenticated,
		rpctypes.ErrGRPCInvalidAuthToken.Error(): ErrUnauthenticated,
		"etcdserver: permission denied":          ErrUnauthenticated,
		"etcdserver: no leader":                  ErrUnavailable,
		"something else":                         ErrUnavailable,
		"":                                       ErrUnavailable,
	} {
		if got := readError(t.Context(), canceled(reason)); !errors.Is(got, want) {
			t.Errorf("%q: got %v, want %v", reason, got, want)
		}
	}
}
