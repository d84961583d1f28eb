package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
	"github.com/sluice-gateway/sluice/store/keyring"
)

const canary = "sk-canary-1234567890"

// sealing is an etcd and a keyset file.
type sealing struct {
	t    *testing.T
	etcd *embedded.Server
	raw  *clientv3.Client
	file string
}

func newSealing(t *testing.T) *sealing {
	t.Helper()
	s := &sealing{t: t, file: filepath.Join(t.TempDir(), "keyset.json")}
	var err error
	if s.etcd, err = embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.etcd.Close)
	if s.raw, err = clientv3.New(clientv3.Config{Endpoints: s.etcd.Endpoints(), Logger: zap.NewNop()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.raw.Close() })
	keys, err := keyring.New()
	s.must(err)
	s.must(keyring.Create(s.file, keys))
	return s
}

func (s *sealing) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// open returns a store with the keys of the file.
func (s *sealing) open() *store.Store {
	s.t.Helper()
	return s.openWith(store.Config{Keys: s.keys()})
}

func (s *sealing) keys() *keyring.Keyring {
	s.t.Helper()
	keys, err := keyring.Open(s.file, nil)
	s.must(err)
	return keys
}

func (s *sealing) openWith(cfg store.Config) *store.Store {
	s.t.Helper()
	cfg.Endpoints = s.etcd.Endpoints()
	st, err := store.Open(cfg)
	s.must(err)
	s.t.Cleanup(func() { st.Close() })
	store.Hurry(st)
	return st
}

// rotate makes a new key the primary one of the file.
func (s *sealing) rotate() keyring.Keyset {
	s.t.Helper()
	keys, err := keyring.Read(s.file)
	s.must(err)
	keys, err = keys.Rotated()
	s.must(err)
	s.must(keyring.Replace(s.file, keys))
	return keys
}

// everything returns all that etcd holds, of every revision.
func (s *sealing) everything() string {
	s.t.Helper()
	var out strings.Builder
	head, err := s.raw.Get(s.t.Context(), "\x00", clientv3.WithFromKey())
	s.must(err)
	for revision := int64(2); revision <= head.Header.Revision; revision++ {
		then, err := s.raw.Get(s.t.Context(), "\x00", clientv3.WithFromKey(), clientv3.WithRev(revision))
		s.must(err)
		for _, kv := range then.Kvs {
			fmt.Fprintf(&out, "%s %s\n", kv.Key, kv.Value)
		}
	}
	return out.String()
}

func (s *sealing) get(key string) string {
	s.t.Helper()
	found, err := s.raw.Get(s.t.Context(), "/sluice/resources/"+key)
	s.must(err)
	if len(found.Kvs) == 0 {
		s.t.Fatalf("there is no %s", key)
	}
	return string(found.Kvs[0].Value)
}

func (s *sealing) put(key, value string) {
	s.t.Helper()
	_, err := s.raw.Put(s.t.Context(), "/sluice/resources/"+key, value)
	s.must(err)
}

func named(id string) core.Ref { return core.Ref{Kind: core.KindProvider, ID: id} }

// provider is as package catalog writes one.
func provider(id, secret string) string {
	return `{"auth":{"header":"X-<Key>","secret":"` + secret + `"},"base_url":"http://x","id":"` + id + `","tls":{"key_pem":"` + secret + `"},"unknown":1.50}`
}

func tryWrite(t *testing.T, st *store.Store, ref core.Ref, value string) (store.Result, error) {
	t.Helper()
	return st.Update(t.Context(), func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: ref, Value: []byte(value)}}, nil
	})
}

func (s *sealing) write(st *store.Store, id, secret string) store.Result {
	s.t.Helper()
	r, err := tryWrite(s.t, st, named(id), provider(id, secret))
	s.must(err)
	return r
}

func (s *sealing) read(st *store.Store, id string) store.Item {
	s.t.Helper()
	img, err := st.Read(s.t.Context())
	s.must(err)
	return img.Items[named(id)]
}
