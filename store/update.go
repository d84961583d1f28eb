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
// Secrets are sealed on their way into etcd; one that is stored in plain text or under another key than the primary makes
// its resource differ from an equal value.
//
// ErrConflict, ErrTooLarge, ErrNoKeys, ErrNoSpace, ErrUnauthenticated and ErrUnavailable say that nothing was written.
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
	s.vault.refresh() // a primary key that was replaced seals nothing more
	img, err := s.Read(ctx)
	if err != nil {
		return Result{}, err
	}
	changes, err := apply(img)
	if err != nil {
		return Result{}, err
	}
	t, err := s.transaction(img, changes)
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
func (s *Store) transaction(img Image, changes []Change) (transaction, error) {
	last := make(map[core.Ref][]byte, len(changes))
	for _, c := range changes {
		if !c.Ref.Kind.Known() || core.CheckID(c.Ref.ID) != nil {
			return transaction{}, fmt.Errorf("%s: not the name of a resource", c.Ref)
		}
		last[c.Ref] = c.Value
	}
	var t transaction
	size := 0
	for ref, value := range last {
		stored := img.Items[ref]
		if unchanged(stored, value) {
			continue
		}
		sealed, err := s.vault.seal(img, ref, value)
		if err != nil {
			return transaction{}, err
		}
		if len(sealed) > MaxValue {
			return transaction{}, fmt.Errorf("%s: %w: %d bytes, the limit is %d", ref, ErrTooLarge, len(sealed), MaxValue)
		}
		key := s.keys.resource(ref)
		t.change(key, stored, sealed)
		size += 2*len(key) + len(sealed)
	}
	if size > maxTransaction {
		return transaction{}, fmt.Errorf("%w: %d bytes in one transaction, the limit is %d", ErrTooLarge, size, maxTransaction)
	}
	if len(t.puts) > 0 {
		t.guards = append(t.guards, clientv3.Compare(clientv3.ModRevision(s.keys.generation()), "=", img.Generation))
		t.puts = append(t.puts, clientv3.OpPut(s.keys.generation(), layoutVersion))
	}
	return t, nil
}

// unchanged reports whether the item is stored as a write of the value would leave it.
func unchanged(stored Item, value []byte) bool {
	exists := stored.Modified != 0
	if value == nil || !exists {
		return value == nil && !exists
	}
	return !stored.stale && bytes.Equal(value, stored.Value)
}

// change adds the write of one key over its stored item.
func (t *transaction) change(key string, stored Item, value []byte) {
	if value == nil {
		t.puts = append(t.puts, clientv3.OpDelete(key))
	} else {
		t.puts = append(t.puts, clientv3.OpPut(key, string(value)))
	}
	t.guards = append(t.guards, clientv3.Compare(clientv3.ModRevision(key), "=", stored.Modified))
}
