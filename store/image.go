package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/sluice-gateway/sluice/core"
)

// Item is one stored resource.
type Item struct {
	// Value is the stored JSON with its secrets opened. It must not be changed.
	Value []byte
	// Created and Modified are etcd revisions: of the item's first write and of its last.
	Created, Modified int64
	// Faults are the secrets that cannot be opened, each of SeverityReject; Value has the sealed ones in their places.
	Faults []core.Fault

	stored []byte // Value as it is in etcd
	stale  bool   // a secret is stored otherwise than a write would store it now
}

// Locked reports whether a secret of the item cannot be opened.
func (i Item) Locked() bool { return len(i.Faults) > 0 }

// Image is every resource at one revision. It never changes once it was returned: its map must not be
// written to.
type Image struct {
	// Revision is etcd's revision at which the image is true.
	Revision int64
	// Generation is the revision of the last Update of the document; 0 before the first.
	Generation int64
	// Cluster is etcd's cluster id.
	Cluster uint64
	Items   map[core.Ref]Item
}

// Settled returns the revision since which the document is as it is here, as far as its own keys tell:
// whoever has seen that revision has seen this document. It is at most Revision.
func (i Image) Settled() int64 {
	settled := i.Generation
	for _, item := range i.Items {
		settled = max(settled, item.Modified)
	}
	return settled
}

// Values returns the JSON of every resource, as core.ParseDocument takes it. A part whose secret cannot be opened is
// left out, so that other resources can be proved.
func (i Image) Values() map[core.Ref][]byte {
	out := make(map[core.Ref][]byte, len(i.Items))
	for ref, item := range i.Items {
		out[ref] = item.Value
		if item.Locked() {
			out[ref] = withoutSealed(ref, item.Value)
		}
	}
	return out
}

// sameItems reports whether both images hold the same resources at the same revisions.
func (i Image) sameItems(o Image) bool {
	if len(i.Items) != len(o.Items) {
		return false
	}
	for ref, a := range i.Items {
		b, ok := o.Items[ref]
		if !ok || a.Modified != b.Modified || a.Created != b.Created || a.Locked() != b.Locked() || !bytes.Equal(a.Value, b.Value) {
			return false
		}
	}
	return true
}

// Read returns the document as of now: linearizable, and all of it at one revision however long it is.
func (s *Store) Read(ctx context.Context) (Image, error) {
	l, err := s.list(ctx, s.keys.document())
	if err != nil {
		return Image{}, fmt.Errorf("read resources: %w", err)
	}
	img, _ := s.vault.image(s.keys, l)
	return img, nil
}

// ReadAt returns the document as it was at a revision that an earlier Read gave, or ErrRevisionGone once etcd
// has compacted it.
func (s *Store) ReadAt(ctx context.Context, revision int64) (Image, error) {
	l, err := s.listAt(ctx, s.keys.document(), revision)
	if errors.Is(err, rpctypes.ErrCompacted) || errors.Is(err, rpctypes.ErrFutureRev) || errors.Is(err, errMovedOn) {
		return Image{}, fmt.Errorf("read resources at %d: %w", revision, ErrRevisionGone)
	}
	if err != nil {
		return Image{}, fmt.Errorf("read resources at %d: %w", revision, err)
	}
	img, _ := s.vault.image(s.keys, l)
	return img, nil
}

// image builds the image of a listing of the document's span, and names the keys that belong to no
// resource that this version knows.
func (v vault) image(k keys, l listing) (img Image, ignored []string) {
	img = Image{Revision: l.revision, Cluster: l.cluster, Items: make(map[core.Ref]Item, len(l.kvs))}
	for _, kv := range l.kvs {
		ref, ok := k.ref(kv.Key)
		switch {
		case ok:
			img.Items[ref] = v.item(ref, kv)
		case string(kv.Key) == k.generation():
			img.Generation = kv.ModRevision
		default:
			ignored = append(ignored, string(kv.Key))
		}
	}
	return img, ignored
}

func (v vault) item(ref core.Ref, kv *mvccpb.KeyValue) Item {
	return v.open(ref, Item{Created: kv.CreateRevision, Modified: kv.ModRevision, stored: kv.Value})
}
