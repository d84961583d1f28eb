// Package catalog reads and writes the resources of a gateway. A write is proved before it is stored: the
// whole document must be no worse with it than without. Secrets leave the package masked only.
//
// A Catalog is safe for concurrent use. Each call reads the store anew; only the further pages of a list
// come from what its first page saw.
package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/admin/mask"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/schemas"
	"github.com/sluice-gateway/sluice/store"
)

type documents interface {
	Read(ctx context.Context) (store.Image, error)
	ReadAt(ctx context.Context, revision int64) (store.Image, error)
	Update(ctx context.Context, apply func(store.Image) ([]store.Change, error)) (store.Result, error)
}

// Catalog is the resources of one gateway.
type Catalog struct {
	store   documents
	schemas *schemas.Set
	site    core.Site // what documents are proved for
}

// New returns the catalog of what is in the store.
func New(s documents, set *schemas.Set, site core.Site) *Catalog {
	return &Catalog{store: s, schemas: set, site: site}
}

// Errors that say what stood in a change's way; errors.Is tells them apart.
var (
	// ErrNotFound: the resource does not exist.
	ErrNotFound = errors.New("the resource does not exist")
	// ErrPrecondition: the resource is not in the state that the caller's condition calls for.
	ErrPrecondition = errors.New("the resource is not in the state that the precondition calls for")
	// ErrCorrupt: the stored value is not a JSON object, so that it can be replaced or deleted only.
	ErrCorrupt = errors.New("the stored value is not a JSON object")
	// ErrPageToken: the page token is none that List gave.
	ErrPageToken = errors.New("the page token is not one that a list returned")
	// ErrPageGone: etcd has compacted the revision to which the page token belongs.
	ErrPageGone = errors.New("the revision of the page token is gone")
)

// Refused is the error of a change that would leave the document worse than it is.
type Refused struct {
	// Ref is the resource that was to be written; the faults of others say what it would do to them.
	Ref    core.Ref
	Faults []core.Fault
}

// Error counts the faults; their messages are for the caller, not for a log.
func (r *Refused) Error() string {
	return fmt.Sprintf("the change is refused for %d faults", len(r.Faults))
}

// Referenced is the error of deleting what other resources name.
type Referenced struct{ Referrers []core.Referrer }

// Error counts the referrers.
func (r *Referenced) Error() string {
	return fmt.Sprintf("the resource is named by %d fields of other resources", len(r.Referrers))
}

// Entry is one resource as callers may see it.
type Entry struct {
	// Resource is the resource's JSON, secrets masked; nil when the stored value is not a JSON object.
	Resource json.RawMessage
	// Modified is the store revision of the resource's last change; 0 when it does not exist.
	Modified int64
}

// Get returns one resource, or ErrNotFound or ErrCorrupt.
func (c *Catalog) Get(ctx context.Context, ref core.Ref) (Entry, error) {
	img, err := c.store.Read(ctx)
	if err != nil {
		return Entry{}, err
	}
	item, ok := img.Items[ref]
	if !ok {
		return Entry{}, ErrNotFound
	}
	e := c.entry(ref.Kind, item)
	if e.Resource == nil {
		return Entry{}, ErrCorrupt
	}
	return e, nil
}

func (c *Catalog) entry(kind core.Kind, item store.Item) Entry {
	e := Entry{Modified: item.Modified}
	if o, err := decode(item.Value); err == nil {
		mask.Hide(o, c.schemas.Secrets(string(kind)))
		e.Resource = encode(o)
	}
	return e
}
