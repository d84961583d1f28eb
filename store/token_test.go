package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/keyring"
)

const nodeToken = "token-canary-1234567890"

// live runs a node with a token until the test ends, and returns it once the store shows it.
func (s *sealing) live(st *store.Store, name string) *store.Member {
	s.t.Helper()
	m := st.Join(store.MemberConfig{Node: name, Cell: "cell", Token: nodeToken})
	m.SetStatus([]byte(`"here"`))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	s.t.Cleanup(func() {
		stop()
		<-done
	})
	<-m.Announced()
	return m
}

func TestANodesTokenIsSealedAndGoesWithTheNode(t *testing.T) {
	s := newSealing(t)
	st := s.open()
	m := s.live(st, "n")
	if got, err := s.open().NodeToken(t.Context(), "n"); got != nodeToken || err != nil {
		t.Errorf("got %q, %v, want the token", got, err)
	}
	if strings.Contains(s.everything(), nodeToken) {
		t.Error("etcd holds the token in plain text")
	}
	if _, err := s.openWith(store.Config{}).NodeToken(t.Context(), "n"); err == nil || strings.Contains(err.Error(), nodeToken) {
		t.Errorf("without keys: got %v, want an error", err)
	}
	if err := m.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"n", "another", "no/name", ""} {
		if _, err := st.NodeToken(t.Context(), name); !errors.Is(err, store.ErrNoToken) {
			t.Errorf("%q: got %v, want ErrNoToken", name, err)
		}
	}
}

func TestANodesTokenIsSealedAnewWithItsStatus(t *testing.T) {
	s := newSealing(t)
	st := s.open()
	m := s.live(st, "n")
	first, err := keyring.Read(s.file)
	s.must(err)
	s.rotate()
	m.SetStatus([]byte(`"again"`)) // as a node does whose keys are others
	keys, err := keyring.Read(s.file)
	s.must(err)
	keys, err = keys.Without(first.Primary())
	s.must(err)
	s.must(keyring.Replace(s.file, keys))
	for {
		got, err := s.open().NodeToken(t.Context(), "n")
		if got == nodeToken && err == nil {
			return
		}
		if t.Context().Err() != nil || !strings.Contains(err.Error(), "not in the keyset") {
			t.Fatalf("got %q, %v", got, err)
		}
	}
}

func TestWithoutKeysANodesTokenIsStoredAsItIs(t *testing.T) {
	s := newSealing(t)
	s.live(s.openWith(store.Config{}), "n")
	if got, err := s.open().NodeToken(t.Context(), "n"); got != nodeToken || err != nil {
		t.Errorf("got %q, %v, want the token", got, err)
	}
}
