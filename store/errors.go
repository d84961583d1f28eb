package store

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// What callers branch on, by errors.Is. The text behind them is etcd's own and holds no value and no secret.
var (
	// ErrConflict says that other writers were faster in every attempt; nothing was written.
	ErrConflict = errors.New("conflicting writes")
	// ErrTooLarge says that a value or a transaction is beyond what the store takes; nothing was written.
	ErrTooLarge = errors.New("too large for the store")
	// ErrFull says that the store holds as many vectors as it may; nothing was written.
	ErrFull = errors.New("the store holds as many vectors as it may")
	// ErrNoSpace says that etcd refuses writes until it is compacted, defragmented and its alarm disarmed.
	// Reads and watches go on.
	ErrNoSpace = errors.New("etcd is out of space")
	// ErrUnknownOutcome says that a write may or may not have happened: read before trying again.
	ErrUnknownOutcome = errors.New("outcome of the write is unknown")
	// ErrUnavailable says that etcd did not answer, or has no leader; nothing was written.
	ErrUnavailable = errors.New("etcd is unavailable")
	// ErrUnauthenticated says that etcd refuses the credentials or that they lack a permission.
	ErrUnauthenticated = errors.New("etcd refuses the credentials")
	// ErrRevisionGone says that etcd no longer holds the revision that was asked for.
	ErrRevisionGone = errors.New("the revision is gone")
	// ErrNoKeys says that a secret was to be written, and there is nothing to seal it with; nothing was written.
	ErrNoKeys = errors.New("no keyset to seal a secret with")
	// ErrNoLease says that the node holds no lease at the moment; Member.Run is getting a new one.
	ErrNoLease = errors.New("no lease")
)

// readError classes what a read, a login or a watch returned. When the caller's own context has ended,
// that is the error.
func readError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if class := refusal(err); class != nil {
		return fmt.Errorf("%w: %w", class, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: no answer in time", ErrUnavailable) // the store's time, not the caller's
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// writeError classes what a write returned after it may have left this process. When the caller's own
// context has ended, that stands in the error too.
func writeError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if class := refusal(err); class != nil {
		return fmt.Errorf("%w: %w", class, err)
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: no answer in time", ErrUnknownOutcome)
	}
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}

// refusal returns the class of an answer by which etcd says that it did not do the thing; nil: it did not
// say so. Timeouts, lost connections and changes of leader are not refusals: the proposal may still be
// applied.
func refusal(err error) error {
	is := func(targets ...error) bool {
		known := rpctypes.Error(err)
		for _, t := range targets {
			if errors.Is(err, t) || errors.Is(known, t) {
				return true
			}
		}
		return false
	}
	switch {
	case is(rpctypes.ErrNoSpace):
		return ErrNoSpace
	case is(rpctypes.ErrRequestTooLarge, rpctypes.ErrTooManyOps):
		return ErrTooLarge
	case is(rpctypes.ErrAuthFailed, rpctypes.ErrPermissionDenied, rpctypes.ErrInvalidAuthToken, rpctypes.ErrUserEmpty, rpctypes.ErrAuthOldRevision):
		return ErrUnauthenticated
	case is(rpctypes.ErrLeaseNotFound):
		return ErrNoLease
	case is(rpctypes.ErrTooManyRequests, rpctypes.ErrNoLeader, errClosed):
		return ErrUnavailable
	}
	return nil
}
