package storetest

import (
	"path/filepath"
	"testing"

	"github.com/sluice-gateway/sluice/store/keyring"
)

// Keyset returns a keyring of one new key, and the file that it is in.
func Keyset(t testing.TB) (keys *keyring.Keyring, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "keyset.json")
	made, err := keyring.New()
	if err == nil {
		err = keyring.Create(file, made)
	}
	if err != nil {
		t.Fatal(err)
	}
	if keys, err = keyring.Open(file, nil); err != nil {
		t.Fatal(err)
	}
	return keys, file
}
