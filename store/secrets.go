package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/sluice-gateway/sluice/core"
)

// StoredSecret tells how one secret is stored; references to environment variables are none.
type StoredSecret struct {
	Ref core.Ref
	// Pointer is the JSON pointer to the field.
	Pointer string
	// Sealed is false for plain text. KeyID is then 0, as it is for a form that this version does not know.
	Sealed bool
	KeyID  uint32
}

// Secrets returns how every secret is stored, sorted. It needs no keys.
func (s *Store) Secrets(ctx context.Context) ([]StoredSecret, error) {
	img, err := s.Read(ctx)
	if err != nil {
		return nil, err
	}
	var out []StoredSecret
	for _, ref := range slices.SortedFunc(maps.Keys(img.Items), core.Ref.Compare) {
		out = append(out, secretsOf(ref, img.Items[ref].stored)...)
	}
	return out, nil
}

func secretsOf(ref core.Ref, stored []byte) (out []StoredSecret) {
	fields := core.SecretFields(ref.Kind)
	if len(fields) == 0 {
		return nil
	}
	o, err := decodeObject(stored)
	if err != nil {
		return nil
	}
	for _, pointer := range fields {
		parent, name := core.Holder(o, pointer)
		switch v := parent[name].(type) {
		case string:
			if isSecret(v) {
				out = append(out, StoredSecret{Ref: ref, Pointer: pointer})
			}
		case map[string]any:
			sealed, _ := sealedIn(v)
			out = append(out, StoredSecret{ref, pointer, true, sealed.KeyID})
		}
	}
	return out
}

// KeyIDs returns the ids of the keys with which secrets are opened; nil: there are none.
func (s *Store) KeyIDs() []uint32 {
	if s.vault.keys == nil {
		return nil
	}
	return s.vault.keys.Keyset().IDs()
}

// CheckKeys returns an error that says what to do when the store holds sealed secrets and has no Keys: such a process
// could serve nothing that needs one. It returns nil when etcd cannot be asked.
func (s *Store) CheckKeys(ctx context.Context) error {
	if s.vault.keys != nil {
		return nil
	}
	secrets, err := s.Secrets(ctx)
	if err != nil {
		return nil //nolint:nilerr // every process of ours starts without etcd
	}
	for _, secret := range secrets {
		if secret.Sealed {
			return fmt.Errorf("the store holds secrets that are sealed (%s with key %d) and no keyset was given: set --keyset-file or SLUICE_KEYSET_FILE", secret.Ref, secret.KeyID)
		}
	}
	return nil
}

// Resealed says what a Reseal did.
type Resealed struct {
	// Resources is how many were written.
	Resources int
	// Locked are the faults of those that were left as they are, since a secret of theirs does not open.
	Locked []core.Fault
}

const (
	// resealBatch: etcd takes 128 operations in one transaction.
	resealBatch = 100
	// resealBytes of values, opened, become at most twice as many, sealed: below what one transaction takes.
	resealBytes = maxTransaction / 2
)

// Reseal seals every secret that is stored in plain text or under another key than the primary, in as many transactions
// as it takes. Values that others write meanwhile are theirs; what is sealed after it began is sealed with the primary
// key by every process that has read the keyset. An error may come after some transactions; it can be repeated.
func (s *Store) Reseal(ctx context.Context) (Resealed, error) {
	var done Resealed
	if s.vault.keys == nil {
		return done, ErrNoKeys
	}
	for {
		var batch []Change
		result, err := s.Update(ctx, func(img Image) ([]Change, error) {
			batch, done.Locked = stale(img)
			return batch, nil
		})
		if err != nil {
			return done, fmt.Errorf("seal secrets: %w", err)
		}
		if !result.Changed {
			return done, nil
		}
		done.Resources += len(batch)
	}
}

// stale returns a batch of the resources to seal anew, as they are, and the faults of all that do not open.
func stale(img Image) (batch []Change, locked []core.Fault) {
	size := 0
	for _, ref := range slices.SortedFunc(maps.Keys(img.Items), core.Ref.Compare) {
		item := img.Items[ref]
		if item.Locked() {
			locked = append(locked, item.Faults...)
			continue
		}
		if !item.stale || len(batch) == resealBatch || len(batch) > 0 && size+len(item.Value) > resealBytes {
			continue
		}
		size += len(item.Value)
		batch = append(batch, Change{ref, item.Value})
	}
	return batch, locked
}
