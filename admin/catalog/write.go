package catalog

import (
	"context"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// Written says what a write has left behind.
type Written struct {
	// Entry is the resource after the write; zero after Delete.
	Entry   Entry
	Created bool
	// Revision is the store revision that holds the write: a node that has reached it serves it.
	Revision int64
}

// Put stores body, a JSON text without syntax faults, under ref. A masked secret in it stands for the
// stored one, unless a provider's would go to another host than before.
func (c *Catalog) Put(ctx context.Context, ref core.Ref, body []byte, cond Condition) (Written, error) {
	return c.write(ctx, ref, func(img store.Image, present *store.Item) ([]byte, error) {
		if !cond.Holds(modified(present)) {
			return nil, ErrPrecondition
		}
		return c.prove(img, ref, body)
	})
}

// Patch applies a JSON merge patch (RFC 7396) without syntax faults to the resource, or returns
// ErrNotFound. What the patch does not name stays, secrets as with Put. A null inside an array removes the
// member of its object, too.
func (c *Catalog) Patch(ctx context.Context, ref core.Ref, patch []byte, cond Condition) (Written, error) {
	return c.write(ctx, ref, func(img store.Image, present *store.Item) ([]byte, error) {
		if err := check(present, cond); err != nil {
			return nil, err
		}
		// The secrets that the patch leaves out are masked, as if a GET had shown them and they came back.
		shown := c.entry(ref.Kind, *present)
		if shown.Resource == nil {
			return nil, ErrCorrupt
		}
		merged, err := jsonpatch.MergePatch(shown.Resource, patch)
		if err != nil {
			return nil, fmt.Errorf("merge patch: %w", err)
		}
		return c.prove(img, ref, merged)
	})
}

// Delete removes the resource, or returns ErrNotFound or a Referenced that names everything in its way.
func (c *Catalog) Delete(ctx context.Context, ref core.Ref, cond Condition) (Written, error) {
	return c.write(ctx, ref, func(img store.Image, present *store.Item) ([]byte, error) {
		if err := check(present, cond); err != nil {
			return nil, err
		}
		doc, _ := core.ParseDocument(img.Values())
		if referrers := doc.Referrers(ref); len(referrers) > 0 {
			return nil, &Referenced{referrers}
		}
		return nil, nil
	})
}

// write stores what propose makes of the present item, nil when there is none; a nil value deletes it.
// propose is called for every attempt of the transaction, each time with what is stored then.
func (c *Catalog) write(ctx context.Context, ref core.Ref, propose func(store.Image, *store.Item) ([]byte, error)) (Written, error) {
	var before *store.Item
	var value []byte
	result, err := c.store.Update(ctx, func(img store.Image) (_ []store.Change, err error) {
		before = nil
		if item, ok := img.Items[ref]; ok {
			before = &item
		}
		if value, err = propose(img, before); err != nil {
			return nil, err
		}
		return []store.Change{{Ref: ref, Value: value}}, nil
	})
	if err != nil {
		return Written{}, err
	}
	w := Written{Created: before == nil, Revision: result.Revision}
	if !result.Changed && before != nil {
		w.Revision = before.Modified
	}
	if value != nil {
		w.Entry = c.entry(ref.Kind, store.Item{Value: value, Modified: w.Revision})
	}
	return w, nil
}

func check(present *store.Item, cond Condition) error {
	if present == nil {
		return ErrNotFound
	}
	if !cond.Holds(present.Modified) {
		return ErrPrecondition
	}
	return nil
}

func modified(item *store.Item) int64 {
	if item == nil {
		return 0
	}
	return item.Modified
}
