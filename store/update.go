package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/core"
)

const (
	// MaxValue is the largest value that the store takes, in bytes. etcd refuses requests above 1.5 MiB.
	MaxValue = 1 << 20
	// maxTransaction bounds the keys and values of one write, below etcd's own limit by what surrounds them.
	maxTransaction = 3<<19 - 16<<10

	// updateAttempts: of n processes that write at the same moment one succeeds in each round, so this
	// many admin replicas may collide before one gives up.
	updateAttempts = 16
	updatePause    = 5 * time.Millisecond
	updatePauseMax = 100 * time.Millisecond
)

// Change is one write of an Update.
type Change struct {
	Ref core.Ref
	// Value is the new JSON; nil deletes.
	Value []byte
}

// Result says what an Update did.
type Result struct {
	// Revision is that of the write; when nothing changed, that since which the document has been as it
	// is (Image.Settled): whoever has seen it has seen what the caller wanted.
	Revision int64
	// Changed is false when the document already was as wanted and nothing was written.
	Changed bool
}

// Update changes the document as one compare-and-swap. apply gets the document as of now and returns the
// changes to it, all of which are then written in one transaction, or none. When others wrote in between,
// apply is called again on what they left. An error of apply is returned as it is and nothing is written.
//
// ErrConflict, ErrTooLarge, ErrNoSpace, ErrUnauthenticated and ErrUnavailable say that nothing was written.
func (s *Store) Update(ctx context.Context, apply func(Image) ([]Change, error)) (Result, error) {
	select {
	case s.updating <- struct{}{}:
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	defer func() { <-s.updating }()
	wait := delay{first: updatePause, limit: updatePauseMax}
	for range updateAttempts {
		result, err := s.updateOnce(ctx, apply)
		if !errors.Is(err, ErrConflict) {
			return result, err
		}
		if err := pause(ctx, wait.next()); err != nil {
			return Result{}, err
		}
	}
	return Result{}, fmt.Errorf("update resources: %w", ErrConflict)
}

func (s *Store) updateOnce(ctx context.Context, apply func(Image) ([]Change, error)) (Result, error) {
	img, err := s.Read(ctx)
	if err != nil {
		return Result{}, err
	}
	changes, err := apply(img)
	if err != nil {
		return Result{}, err
	}
	t, err := s.keys.transaction(img, changes)
	if err != nil {
		return Result{}, fmt.Errorf("update resources: %w", err)
	}
	if len(t.puts) == 0 {
		return Result{Revision: img.Settled()}, nil
	}
	return s.commit(ctx, t)
}

func (s *Store) commit(ctx context.Context, t transaction) (Result, error) {
	resp, err := s.write(ctx, s.calls, t.guards, t.puts)
	if err != nil {
		return Result{}, fmt.Errorf("update resources: %w", err)
	}
	if !resp.Succeeded {
		return Result{}, ErrConflict
	}
	return Result{Revision: resp.Header.Revision, Changed: true}, nil
}

// write is one transaction, tried once.
func (s *Store) write(ctx context.Context, l *link, guards []clientv3.Cmp, ops []clientv3.Op) (*clientv3.TxnResponse, error) {
	callCtx, cancel := context.WithTimeout(ctx, s.callTimeout)
	defer cancel()
	client, err := l.get(callCtx)
	if err != nil {
		return nil, readError(ctx, err) // nothing was sent
	}
	resp, err := client.Txn(callCtx).If(guards...).Then(ops...).Commit()
	return resp, writeError(ctx, err)
}

// transaction is a guarded write; without puts there is nothing to do.
type transaction struct {
	guards []clientv3.Cmp
	puts   []clientv3.Op
}

// transaction turns changes into a write that succeeds only while the document is still img, and while no
// touched key was written past the document's writers. Changes that change nothing are left out; of two
// changes of one resource the later counts.
func (k keys) transaction(img Image, changes []Change) (transaction, error) {
	last := make(map[core.Ref][]byte, len(changes))
	for _, c := range changes {
		if !c.Ref.Kind.Known() || core.CheckID(c.Ref.ID) != nil {
			return transaction{}, fmt.Errorf("%s: not the name of a resource", c.Ref)
		}
		if len(c.Value) > MaxValue {
			return transaction{}, fmt.Errorf("%s: %w: %d bytes, the limit is %d", c.Ref, ErrTooLarge, len(c.Value), MaxValue)
		}
		last[c.Ref] = c.Value
	}
	var t transaction
	size := 0
	for ref, value := range last {
		key := k.resource(ref)
		if t.change(key, img.Items[ref], value) {
			size += 2*len(key) + len(value)
		}
	}
	if size > maxTransaction {
		return transaction{}, fmt.Errorf("%w: %d bytes in one transaction, the limit is %d", ErrTooLarge, size, maxTransaction)
	}
	if len(t.puts) > 0 {
		t.guards = append(t.guards, clientv3.Compare(clientv3.ModRevision(k.generation()), "=", img.Generation))
		t.puts = append(t.puts, clientv3.OpPut(k.generation(), layoutVersion))
	}
	return t, nil
}

// change adds the write of one key over its stored item, and reports whether there was anything to write.
func (t *transaction) change(key string, stored Item, value []byte) bool {
	exists := stored.Modified != 0
	switch {
	case value == nil && !exists, value != nil && exists && bytes.Equal(value, stored.Value):
		return false
	case value == nil:
		t.puts = append(t.puts, clientv3.OpDelete(key))
	default:
		t.puts = append(t.puts, clientv3.OpPut(key, string(value)))
	}
	t.guards = append(t.guards, clientv3.Compare(clientv3.ModRevision(key), "=", stored.Modified))
	return true
}
