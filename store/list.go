package store

import (
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// pageSize keeps a page of ordinary resources (1 KiB) at half a megabyte: etcd answers it in
	// milliseconds, and other calls get their turn between two pages.
	pageSize = 500
	// listAttempts: a list starts again when the history that it reads from is compacted under it, which
	// happens once in minutes and takes a list far less.
	listAttempts = 3
	// readAttempts: a read that one member leaves unanswered is sent to the next.
	readAttempts = 3
)

// listing is a span of keys at one revision.
type listing struct {
	revision int64
	cluster  uint64
	kvs      []*mvccpb.KeyValue
}

var errMovedOn = errors.New("the listed revision is gone")

// list reads the span as of now, in pages, all at the revision of the first. A failed page fails the list.
func (s *Store) list(ctx context.Context, r span, opts ...clientv3.OpOption) (listing, error) {
	for attempt := 1; ; attempt++ {
		l, err := s.listAt(ctx, r, 0, opts...)
		again := errors.Is(err, rpctypes.ErrCompacted) || errors.Is(err, rpctypes.ErrFutureRev) || errors.Is(err, errMovedOn)
		if !again || attempt == listAttempts {
			return l, err
		}
	}
}

// listAt reads the span at that revision; 0 is now.
func (s *Store) listAt(ctx context.Context, r span, revision int64, opts ...clientv3.OpOption) (listing, error) {
	l := listing{revision: revision}
	for more := true; more; {
		page, err := s.get(ctx, r.start, append(opts, clientv3.WithRange(r.end), clientv3.WithLimit(pageSize), clientv3.WithRev(l.revision))...)
		if err != nil {
			return listing{}, err
		}
		if l.revision == 0 {
			l.revision = page.Header.Revision
		}
		if l.cluster == 0 {
			l.cluster = page.Header.ClusterId
		}
		if page.Header.ClusterId != l.cluster || page.Header.Revision < l.revision {
			return listing{}, errMovedOn
		}
		l.kvs = append(l.kvs, page.Kvs...)
		if more = page.More; more {
			r.start = string(l.kvs[len(l.kvs)-1].Key) + "\x00"
		}
	}
	return l, nil
}

// get is one linearizable read.
func (s *Store) get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	for attempt := 1; ; attempt++ {
		resp, err := s.getOnce(ctx, key, opts)
		again := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
		if !again || attempt == readAttempts {
			return resp, readError(ctx, err)
		}
	}
}

func (s *Store) getOnce(ctx context.Context, key string, opts []clientv3.OpOption) (*clientv3.GetResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, s.callTimeout/readAttempts)
	defer cancel()
	client, err := s.calls.get(ctx)
	if err != nil {
		return nil, err
	}
	return client.Get(ctx, key, opts...)
}
