package embed

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"

	"github.com/sluice-gateway/sluice/core/vector"
)

// flightKey tells calls apart: the same text by another credential may fare differently.
type flightKey struct {
	text  Key
	route [sha256.Size]byte
}

// flight is one call and those who wait for it. It lives as long as anyone does: a caller that goes away takes the
// others' vector with it as little as its own context does, and the last one ends the call. One whose time is up leaves
// the call to its end, within its timeout: a caller with less time than that would otherwise never learn that the
// endpoint hangs.
type flight struct {
	cancel context.CancelFunc
	// unawaited: no request waits for it, and it ends by itself.
	unawaited bool
	waiting   int // guarded by the table
	done      chan struct{}
	// unit and err are there once done is closed.
	unit vector.Unit
	err  error
}

// flights are the calls under way.
type flights struct {
	mu      sync.Mutex
	closed  bool
	calls   map[flightKey]*flight
	running sync.WaitGroup
}

// join returns the call for k that is under way, or else the one that start returns, which is nil if there is to be
// none. begun tells that it is the latter.
func (t *flights) join(k flightKey, start func() *flight) (f *flight, begun bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f = t.calls[k]; f == nil && !t.closed {
		if f, begun = start(), true; f == nil {
			return nil, true
		}
		t.calls[k] = f
	}
	if f != nil && !f.unawaited {
		f.waiting++
	}
	return f, begun
}

// wait returns what the call brings, or ctx's error once ctx is done.
func (t *flights) wait(ctx context.Context, k flightKey, f *flight) (vector.Unit, error) {
	select {
	case <-f.done:
		return f.unit, f.err
	case <-ctx.Done():
		t.leave(k, f, errors.Is(ctx.Err(), context.DeadlineExceeded))
		return vector.Unit{}, context.Cause(ctx)
	}
}

// leave takes back a join; late: the caller's time is up.
func (t *flights) leave(k flightKey, f *flight, late bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.waiting--; f.waiting == 0 && !late {
		f.cancel()
		t.forgetLocked(k, f) // so that nobody joins a call that is about to fail
	}
}

// land ends the call.
func (t *flights) land(k flightKey, f *flight, unit vector.Unit, err error) {
	t.mu.Lock()
	t.forgetLocked(k, f)
	t.mu.Unlock()
	f.unit, f.err = unit, err
	close(f.done)
	f.cancel()
}

func (t *flights) forgetLocked(k flightKey, f *flight) {
	if t.calls[k] == f {
		delete(t.calls, k)
	}
}

// close ends every call, waits for that, and lets none begin again.
func (t *flights) close() {
	t.mu.Lock()
	t.closed = true
	for _, f := range t.calls {
		f.cancel()
	}
	t.mu.Unlock()
	t.running.Wait()
}
