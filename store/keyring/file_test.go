package keyring_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/store/keyring"
)

func file(t *testing.T, k keyring.Keyset) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "keyset.json")
	if err := keyring.Create(name, k); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestAKeysetFileIsItsOwnersAloneAndNeverOverwritten(t *testing.T) {
	k := made(t)
	name := file(t, k)
	info := must[os.FileInfo](t)(os.Stat(name))
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %o, want 600", info.Mode().Perm())
	}
	if err := keyring.Create(name, made(t)); err == nil {
		t.Error("a keyset is overwritten: what it sealed is lost")
	}
	if read := must[keyring.Keyset](t)(keyring.Read(name)); !read.SameIDs(k) {
		t.Errorf("got keys %v, want %v", read.IDs(), k.IDs())
	}
}

func TestAReplacedFileKeepsItsModeAndItsLink(t *testing.T) {
	name := file(t, made(t))
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(name, link); err != nil {
		t.Fatal(err)
	}
	next := made(t)
	if err := keyring.Replace(link, next); err != nil {
		t.Fatal(err)
	}
	info := must[os.FileInfo](t)(os.Lstat(name))
	if read := must[keyring.Keyset](t)(keyring.Read(name)); !read.SameIDs(next) || info.Mode() != 0o640 {
		t.Errorf("got keys %v in a file of mode %v, want %v in one of 0640", read.IDs(), info.Mode(), next.IDs())
	}
	if left := must[[]os.DirEntry](t)(os.ReadDir(filepath.Dir(name))); len(left) != 1 {
		t.Errorf("files are left over: %v", left)
	}
	if err := keyring.Replace(name+"-none", next); err == nil {
		t.Error("a file that is not there is replaced")
	}
}

func TestAKeyringFollowsItsFileAndKeepsTheKeysWhenItIsUnusable(t *testing.T) {
	first := made(t)
	name := file(t, first)
	var log bytes.Buffer
	r := must[*keyring.Keyring](t)(keyring.Open(name, slog.New(slog.NewTextHandler(&log, nil))))
	if r.Refresh() {
		t.Error("unchanged keys are new")
	}
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(name, []byte(`{"primaryKeyId":`), 0o600) },
		func() error { return os.Remove(name) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		log.Reset()
		if r.Refresh() || r.Refresh() || !r.Keyset().SameIDs(first) {
			t.Errorf("keys %v, want those of before, %v", r.Keyset().IDs(), first.IDs())
		}
		if lines := strings.Count(log.String(), "\n"); lines != 1 {
			t.Errorf("%d log lines, want one: %s", lines, log.String())
		}
	}
	next := must[keyring.Keyset](t)(first.Rotated())
	if err := keyring.Create(name, next); err != nil {
		t.Fatal(err)
	}
	if !r.Refresh() || !r.Keyset().SameIDs(next) {
		t.Errorf("keys %v, want the new ones, %v", r.Keyset().IDs(), next.IDs())
	}
}

func TestNoKeyringWithoutAKeyset(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{empty, empty + "-none"} {
		if _, err := keyring.Open(name, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error that names it", name, err)
		}
	}
}
