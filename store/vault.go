package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store/keyring"
)

// vault stands between resources as they are stored, secrets sealed, and as everything else sees them. In place of a
// secret, which is a string, stands an object: versions that know no sealing refuse it, so that none ever sends one to an
// upstream.
type vault struct {
	keys  *keyring.Keyring // nil: nothing is sealed or opened
	plain bool             // secrets may be written without keys
}

// RuleKeyset is the rule of an Item's faults.
const RuleKeyset = "keyset"

// refresh has the keyset file read again.
func (v vault) refresh() {
	if v.keys != nil {
		v.keys.Refresh()
	}
}

// place is what a sealed secret is bound to. No part holds a zero byte, so that no two places are the same.
func place(ref core.Ref, pointer string) string {
	return "sluice secret\x00" + string(ref.Kind) + "\x00" + ref.ID + "\x00" + pointer
}

// open returns the item with the value of its stored JSON. A value that is no JSON object is left to whoever decodes it.
func (v vault) open(ref core.Ref, item Item) Item {
	item.Value, item.Faults, item.stale = item.stored, nil, false
	fields := core.SecretFields(ref.Kind)
	if len(fields) == 0 {
		return item
	}
	o, err := decodeObject(item.stored)
	if err != nil {
		return item
	}
	opened := false
	for _, pointer := range fields {
		parent, name := core.Holder(o, pointer)
		switch stored := parent[name].(type) {
		case string:
			item.stale = item.stale || v.keys != nil && isSecret(stored)
		case map[string]any:
			secret, current, err := v.reveal(stored, place(ref, pointer))
			if err != nil {
				item.Faults = append(item.Faults, core.Fault{Ref: ref, Pointer: pointer, Rule: RuleKeyset, Severity: core.SeverityReject, Message: err.Error()})
				continue
			}
			parent[name], opened = secret, true
			item.stale = item.stale || !current
		}
	}
	if opened {
		item.Value = encodeObject(o)
	}
	return item
}

// isSecret reports whether the text of a secret field holds a secret.
func isSecret(text string) bool { return text != "" && !core.IsReference(text) }

// reveal opens a sealed secret and reports whether it is sealed with the primary key. Its errors are for operators.
func (v vault) reveal(stored map[string]any, place string) (secret string, current bool, err error) {
	sealed, ok := sealedIn(stored)
	if !ok {
		return "", false, errors.New("the secret is stored in a form that this version does not know")
	}
	if v.keys == nil {
		return "", false, fmt.Errorf("the secret is sealed with key %d, and no keyset was given: set --keyset-file or SLUICE_KEYSET_FILE", sealed.KeyID)
	}
	keys := v.keys.Keyset()
	secret, err = keys.Open(sealed, place)
	if errors.Is(err, keyring.ErrUnknownKey) && v.keys.Refresh() {
		keys = v.keys.Keyset()
		secret, err = keys.Open(sealed, place)
	}
	if err != nil {
		return "", false, fmt.Errorf("the secret is sealed with key %d: %w", sealed.KeyID, err)
	}
	return secret, sealed.KeyID == keys.Primary(), nil
}

func sealedIn(stored map[string]any) (keyring.Sealed, bool) {
	var s keyring.Sealed
	if err := json.Unmarshal(encodeObject(stored), &s); err != nil || s.KeyID == 0 || len(s.Ciphertext) == 0 {
		return keyring.Sealed{}, false
	}
	return s, true
}

// seal returns what is to be stored for the value. It never lets a secret pass in plain text while there are keys, and
// without keys only where nothing is sealed yet and the store's owner has asked for it.
func (v vault) seal(img Image, ref core.Ref, value []byte) ([]byte, error) {
	fields := core.SecretFields(ref.Kind)
	if value == nil || len(fields) == 0 {
		return value, nil
	}
	o, err := decodeObject(value)
	if err != nil {
		return nil, fmt.Errorf("%s: look for secrets: %w", ref, err)
	}
	sealed := false
	for _, pointer := range fields {
		parent, name := core.Holder(o, pointer)
		switch secret := parent[name].(type) {
		case nil:
		case string:
			if !isSecret(secret) {
				continue
			}
			if v.keys == nil {
				if err := v.allowPlain(img); err != nil {
					return nil, fmt.Errorf("%s%s: %w", ref, pointer, err)
				}
				continue
			}
			if parent[name], err = v.keys.Keyset().Seal(secret, place(ref, pointer)); err != nil {
				return nil, fmt.Errorf("%s%s: %w", ref, pointer, err)
			}
			sealed = true
		default:
			return nil, fmt.Errorf("%s%s: a secret must be a string", ref, pointer)
		}
	}
	if !sealed {
		return value, nil
	}
	return encodeObject(o), nil
}

// allowPlain returns ErrNoKeys unless secrets may be written as they are.
func (v vault) allowPlain(img Image) error {
	if !v.plain {
		return ErrNoKeys
	}
	for _, item := range img.Items {
		if item.Locked() {
			return fmt.Errorf("%w, though the store holds sealed ones", ErrNoKeys)
		}
	}
	return nil
}

// withoutSealed returns the value without the parts of which a secret is sealed.
func withoutSealed(ref core.Ref, value []byte) []byte {
	o, err := decodeObject(value)
	if err != nil {
		return value
	}
	for _, pointer := range core.SecretFields(ref.Kind) {
		parent, name := core.Holder(o, pointer)
		if _, sealed := parent[name].(map[string]any); sealed {
			delete(o, core.PointerNames(pointer)[0])
		}
	}
	return encodeObject(o)
}

// decodeObject reads a JSON object and keeps the spelling of its numbers.
func decodeObject(raw []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var o map[string]any
	if err := d.Decode(&o); err != nil || o == nil {
		return nil, errors.New("not a JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON object")
	}
	return o, nil
}

// encodeObject writes o as package catalog does: compactly, names sorted, so that what was sealed and opened again has the
// bytes of before.
func encodeObject(o map[string]any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		panic("store: what was decoded does not encode: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
