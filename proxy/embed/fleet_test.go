package embed_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

type shelf struct {
	mu     sync.Mutex
	values map[embed.Key][]byte
	fail   error
	gets   int
	puts   int
	most   int
}

func newShelf() *shelf { return &shelf{values: map[embed.Key][]byte{}} }

func (s *shelf) Get(_ context.Context, keys []embed.Key) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gets, s.most = s.gets+1, max(s.most, len(keys))
	if s.fail != nil {
		return nil, s.fail
	}
	out := make([][]byte, len(keys))
	for i, k := range keys {
		out[i] = s.values[k]
	}
	return out, nil
}

func (s *shelf) Put(_ context.Context, values map[embed.Key][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts, s.most = s.puts+1, max(s.most, len(values))
	if s.fail == nil {
		maps.Copy(s.values, values)
	}
	return s.fail
}

func TestOtherNodesAndRestartsTakeWhatIsInTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		targets := [][]string{texts(0, 40), texts(40, 70)}
		for range 3 {
			n, stop := start(t, s, store, nil)
			c := collection(t, endpoint(t, core.EmbeddingPolicy{}), targets...)
			n.Want([]*embed.Collection{c})
			synctest.Wait()
			holds(t, c, 6, targets...)
			stop()
		}
		if got := s.sent(); !slices.Equal(got, texts(0, 70)) || store.most > embed.MaxBatch {
			t.Errorf("three nodes sent %d texts, and asked the store for %d at a time", len(got), store.most)
		}
		keys := slices.Collect(collection(t, endpoint(t, core.EmbeddingPolicy{}), targets...).Keys)
		for _, k := range keys {
			if store.values[k] == nil {
				t.Fatalf("%x is not in the store", k)
			}
		}
		if len(store.values) != len(keys) {
			t.Errorf("%d values in the store for %d keys", len(store.values), len(keys))
		}
	})
}

func TestAFleetEmbedsEachExampleOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		s.instead = func(http.ResponseWriter, *http.Request, call) bool { time.Sleep(700 * time.Millisecond); return false }
		var all []*embed.Collection
		for i := range 20 {
			n, _ := start(t, s, store, func(signal.Key) bool { return i == 13 })
			c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 500))
			n.Want([]*embed.Collection{c})
			all = append(all, c)
		}
		time.Sleep(time.Minute)
		for _, c := range all {
			holds(t, c, 6, texts(0, 500))
		}
		if got := s.sent(); !slices.Equal(got, texts(0, 500)) {
			t.Errorf("20 nodes sent %d texts, want 500", len(got))
		}
	})
}

func TestANodeDoesByItselfWhatTheOneThatShouldDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		n, _ := start(t, s, store, func(signal.Key) bool { return false })
		c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 100))
		n.Want([]*embed.Collection{c})
		time.Sleep(time.Second)
		if s.count() != 0 {
			t.Error("the node does not leave it to the one that should")
		}
		time.Sleep(15 * time.Second)
		holds(t, c, 6, texts(0, 100))
	})
}

func TestTwoNodesAtOnceDoNoHarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		var all []*embed.Collection
		for range 2 {
			n, _ := start(t, s, store, nil)
			c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 100))
			n.Want([]*embed.Collection{c})
			all = append(all, c)
		}
		synctest.Wait()
		for _, c := range all {
			holds(t, c, 6, texts(0, 100))
		}
	})
}

func TestAStoreThatFailsOrLiesCostsCallsAndNothingElse(t *testing.T) {
	spoiled := func(value []byte) func(*shelf) {
		return func(s *shelf) {
			for k := range s.values {
				s.values[k] = value
			}
		}
	}
	for name, spoil := range map[string]func(*shelf){
		"fails":                   func(s *shelf) { s.fail = errors.New("no quorum") },
		"holds nothing":           spoiled([]byte{}),
		"holds damage":            spoiled([]byte("damage")),
		"holds another dimension": spoiled([]byte{1, 0, 0, 0x80, 0x3f}),
	} {
		synctest.Test(t, func(t *testing.T) {
			s, store := &server{dimension: 6}, newShelf()
			for key := range collection(t, endpoint(t, core.EmbeddingPolicy{Dimensions: 6}), texts(0, 50)).Keys {
				store.values[key] = nil
			}
			spoil(store)
			n, _ := start(t, s, store, func(signal.Key) bool { return name != "fails" })
			c := collection(t, endpoint(t, core.EmbeddingPolicy{Dimensions: 6}), texts(0, 50))
			n.Want([]*embed.Collection{c})
			synctest.Wait()
			holds(t, c, 6, texts(0, 50))
			if len(s.sent()) != 50 {
				t.Errorf("%s: sent %d texts, want 50", name, len(s.sent()))
			}
			for key, value := range store.values {
				if store.fail == nil && len(value) != 1+4*6 {
					t.Errorf("%s: what was wrong under %x is still there: %x", name, key, value)
				}
			}
		})
	}
}
