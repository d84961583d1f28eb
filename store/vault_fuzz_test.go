package store

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store/keyring"
)

func FuzzWhatIsSealedOpensAsItWas(f *testing.F) {
	file := filepath.Join(f.TempDir(), "keyset.json")
	made, err := keyring.New()
	if err == nil {
		err = keyring.Create(file, made)
	}
	if err != nil {
		f.Fatal(err)
	}
	keys, err := keyring.Open(file, nil)
	if err != nil {
		f.Fatal(err)
	}
	v, ref := vault{keys: keys}, core.Ref{Kind: core.KindProvider, ID: "p"}
	for _, seed := range []string{
		``, `null`, `[]`, `{}`, `{"auth":"x"}`, `{"auth":{"secret":"s"},"n":1.0}`, `{"auth":{"secret":{"key_id":1,"sealed":"AAAA"}}}`,
		`{"tls":{"key_pem":"${env:KEY}"},"auth":{"secret":"\u0000\ud800"}}`, `{"auth":{"secret":{"key_id":-1,"sealed":[]}}}`, `{"auth":{"secret":"a","secret":"b"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if stored := v.open(ref, Item{stored: value}); stored.Locked() && len(withoutSealed(ref, stored.Value)) == 0 {
			t.Error("nothing is left of what does not open")
		}
		sealed, err := v.seal(Image{}, ref, value)
		if err != nil {
			return
		}
		o, err := decodeObject(value)
		if err != nil {
			t.Fatalf("%q is stored, and cannot be looked into", value)
		}
		got := v.open(ref, Item{stored: sealed})
		if got.Locked() || got.stale || !bytes.Equal(got.Value, value) && !bytes.Equal(got.Value, encodeObject(o)) {
			t.Errorf("%q became %q, stale %v: %v", value, got.Value, got.stale, got.Faults)
		}
	})
}
