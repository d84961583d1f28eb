package keyring

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/aead/aesgcm"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"
)

// Keyset is one or more keys, of which one is the primary. Its zero value is of no use.
type Keyset struct {
	handle  *keyset.Handle
	cipher  tink.AEAD
	ids     []uint32 // in the order in which they were added
	primary uint32
}

const keyBytes = 32

// New returns a keyset of one new key.
func New() (Keyset, error) {
	m := keyset.NewManager()
	id, err := m.Add(aead.AES256GCMKeyTemplate())
	if err != nil {
		return Keyset{}, fmt.Errorf("make key: %w", err)
	}
	return finish(m, id)
}

// Parse reads what MarshalText wrote. Keys of other kinds than AES-256-GCM and disabled keys are refused: the file says
// what protects the secrets, and a key that is there is meant to work. No error repeats what is in the file.
func Parse(text []byte) (Keyset, error) {
	h, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader(text)))
	if err != nil {
		return Keyset{}, errors.New("not a keyset in Tink's JSON format")
	}
	return of(h)
}

func of(h *keyset.Handle) (Keyset, error) {
	k := Keyset{handle: h}
	for i := range h.Len() {
		entry, err := h.Entry(i)
		if err != nil {
			return Keyset{}, fmt.Errorf("read keyset: %w", err)
		}
		if err := check(entry); err != nil {
			return Keyset{}, err
		}
		k.ids = append(k.ids, entry.KeyID())
		if entry.IsPrimary() {
			k.primary = entry.KeyID()
		}
	}
	if k.primary == 0 {
		return Keyset{}, errors.New("the keyset has no primary key")
	}
	var err error
	if k.cipher, err = aead.New(h); err != nil {
		return Keyset{}, fmt.Errorf("use keyset: %w", err)
	}
	return k, nil
}

func check(e *keyset.Entry) error {
	p, ok := e.Key().Parameters().(*aesgcm.Parameters)
	if !ok || p.KeySizeInBytes() != keyBytes || p.Variant() != aesgcm.VariantTink {
		return fmt.Errorf("key %d is not an AES-256-GCM key whose id stands before what it seals", e.KeyID())
	}
	if e.KeyStatus() != keyset.Enabled {
		return fmt.Errorf("key %d is disabled: enable it, or remove it once nothing is sealed with it", e.KeyID())
	}
	return nil
}

// MarshalText returns the keys themselves in Tink's JSON format. Whoever reads it can open every secret.
func (k Keyset) MarshalText() ([]byte, error) {
	var b bytes.Buffer
	if err := insecurecleartextkeyset.Write(k.handle, keyset.NewJSONWriter(&b)); err != nil {
		return nil, fmt.Errorf("write keyset: %w", err)
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), nil
}

// String hides the keys.
func (k Keyset) String() string { return fmt.Sprintf("keyset of %d keys", len(k.ids)) }

// GoString hides the keys from %#v.
func (k Keyset) GoString() string { return k.String() }

// Primary returns the id of the key that seals.
func (k Keyset) Primary() uint32 { return k.primary }

// IDs returns the ids of all keys in the order in which they were added.
func (k Keyset) IDs() []uint32 { return slices.Clone(k.ids) }

// Next returns the id of the key that was added after the primary one, to take its place; false: there is none.
func (k Keyset) Next() (uint32, bool) {
	at := slices.Index(k.ids, k.primary) + 1
	if at == len(k.ids) {
		return 0, false
	}
	return k.ids[at], true
}

// Prepared returns a keyset that can open what the next primary key will seal: with one more key, unless it has a
// next one already.
func (k Keyset) Prepared() (Keyset, error) {
	if _, ok := k.Next(); ok {
		return k, nil
	}
	m := keyset.NewManagerFromHandle(k.handle)
	if _, err := m.Add(aead.AES256GCMKeyTemplate()); err != nil {
		return Keyset{}, fmt.Errorf("make key: %w", err)
	}
	return finish(m, k.primary)
}

// Rotated returns a keyset whose primary key is the next one, a new one when there was none. All keys stay.
func (k Keyset) Rotated() (Keyset, error) {
	prepared, err := k.Prepared()
	if err != nil {
		return Keyset{}, err
	}
	next, _ := prepared.Next()
	return finish(keyset.NewManagerFromHandle(prepared.handle), next)
}

// Without returns a keyset without the key, which must not be the primary one.
func (k Keyset) Without(id uint32) (Keyset, error) {
	switch {
	case id == k.primary:
		return Keyset{}, fmt.Errorf("key %d is the primary key: rotate first", id)
	case !k.Has(id):
		return Keyset{}, fmt.Errorf("the keyset has no key %d", id)
	}
	m := keyset.NewManagerFromHandle(k.handle)
	if err := m.Delete(id); err != nil {
		return Keyset{}, fmt.Errorf("remove key: %w", err)
	}
	return finish(m, k.primary)
}

// Has reports whether the key is in the keyset.
func (k Keyset) Has(id uint32) bool { return slices.Contains(k.ids, id) }

func finish(m *keyset.Manager, primary uint32) (Keyset, error) {
	if err := m.SetPrimary(primary); err != nil {
		return Keyset{}, fmt.Errorf("set primary key: %w", err)
	}
	h, err := m.Handle()
	if err != nil {
		return Keyset{}, fmt.Errorf("make keyset: %w", err)
	}
	return of(h)
}

// SameIDs reports whether both have the same keys in the same roles, as far as ids tell.
func (k Keyset) SameIDs(o Keyset) bool { return k.primary == o.primary && slices.Equal(k.ids, o.ids) }
