package store

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// History is how many revisions etcd keeps. etcd dates none of them and tells nobody whether it compacts by
// itself; who looks twice learns how old the oldest is at least.
type History struct {
	// Oldest is the first revision that can still be read, Newest the last one.
	Oldest, Newest int64
}

// Length is how many revisions there are.
func (h History) Length() int64 { return h.Newest - h.Oldest + 1 }

// History finds the oldest revision by about 30 reads of one key.
func (s *Store) History(ctx context.Context) (History, error) {
	head, err := s.get(ctx, s.keys.generation(), clientv3.WithCountOnly())
	if err != nil {
		return History{}, fmt.Errorf("read history: %w", err)
	}
	low, high := int64(1), head.Header.Revision // high can be read
	for low < high {
		middle := low + (high-low)/2
		switch kept, err := s.keeps(ctx, middle); {
		case err != nil:
			return History{}, fmt.Errorf("read history: %w", err)
		case kept:
			high = middle
		default:
			low = middle + 1
		}
	}
	return History{Oldest: low, Newest: head.Header.Revision}, nil
}

// keeps reports whether etcd can still be read as of that revision.
func (s *Store) keeps(ctx context.Context, revision int64) (bool, error) {
	_, err := s.get(ctx, s.keys.generation(), clientv3.WithCountOnly(), clientv3.WithRev(revision))
	if errors.Is(err, rpctypes.ErrCompacted) {
		return false, nil
	}
	return err == nil, err
}
