package shelf_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/shelf"
	"github.com/sluice-gateway/sluice/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// etcd holds vectors in memory, each with a revision.
type etcd struct {
	mu       sync.Mutex
	revision int64
	values   map[store.VectorKey][]byte
	put      map[store.VectorKey]int64
	lists    int
	fail     error
}

func newEtcd() *etcd {
	return &etcd{values: map[store.VectorKey][]byte{}, put: map[store.VectorKey]int64{}}
}

func (e *etcd) Vectors(_ context.Context, keys []store.VectorKey) ([][]byte, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out [][]byte
	for _, k := range keys {
		out = append(out, e.values[k])
	}
	return out, e.fail
}

func (e *etcd) PutVectors(_ context.Context, values map[store.VectorKey][]byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.revision++
	for k, v := range values {
		e.values[k], e.put[k] = v, e.revision
	}
	return e.fail
}

func (e *etcd) StoredVectors(context.Context) (map[store.VectorKey]int64, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lists++
	return maps.Clone(e.put), e.fail
}

func (e *etcd) DropVectors(_ context.Context, vectors map[store.VectorKey]int64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	for k, revision := range vectors {
		if e.put[k] == revision {
			delete(e.values, k)
			delete(e.put, k)
		}
	}
	return e.fail
}

func (e *etcd) size() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.values)
}

// collection returns one of these texts.
func collection(t *testing.T, texts ...string) *embed.Collection {
	t.Helper()
	doc := core.NewDocument()
	doc.Set(&core.Provider{ID: "p", Kind: core.ProviderOpenAI, BaseURL: "http://vectors.example/v1"})
	doc.Set(&core.Model{ID: "m", Provider: "p", UpstreamModel: "u"})
	s, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	e, err := embed.NewEndpoint(core.EmbeddingPolicy{Upstream: s.Targets()[0].Upstream, Model: "e"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := embed.NewCollection("r", e, [][]string{texts})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type switches struct {
	mu          sync.Mutex
	room, keeps bool
}

func (s *switches) set(room, keeps bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.room, s.keeps = room, keeps
}

func (s *switches) Room() bool            { s.mu.Lock(); defer s.mu.Unlock(); return s.room }
func (s *switches) Keeps(signal.Key) bool { s.mu.Lock(); defer s.mu.Unlock(); return s.keeps }
func on() *switches                       { return &switches{room: true, keeps: true} }
func over(e *etcd, s *switches) *shelf.Shelf {
	return shelf.New(shelf.Config{Vectors: e, Room: s.Room, Keeps: s.Keeps, Logger: slog.New(slog.DiscardHandler)})
}

// run runs a shelf until the bubble's test ends.
func run(t *testing.T, s *shelf.Shelf) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

// fill puts a value for each text of a collection.
func fill(t *testing.T, s *shelf.Shelf, c *embed.Collection) {
	t.Helper()
	values := map[embed.Key][]byte{}
	for k := range c.Keys {
		values[k] = []byte("v")
	}
	if err := s.Put(t.Context(), values); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsPutIsFoundByItsKey(t *testing.T) {
	e := newEtcd()
	s, c := over(e, on()), collection(t, "a", "b")
	fill(t, s, c)
	got, err := s.Get(t.Context(), append(slices.Collect(c.Keys), embed.Key{}))
	if err != nil || len(got) != 3 || string(got[0]) != "v" || string(got[1]) != "v" || got[2] != nil {
		t.Errorf("got %q, error %v", got, err)
	}
}

func TestNothingIsPutWhenEtcdFillsUp(t *testing.T) {
	e, full := newEtcd(), &switches{keeps: true}
	if err := over(e, full).Put(t.Context(), map[embed.Key][]byte{{1}: []byte("v")}); err == nil || e.size() != 0 {
		t.Errorf("%d values were put, error %v", e.size(), err)
	}
}

func TestAVectorTooLargeToShareKeepsNoOtherOut(t *testing.T) {
	e := newEtcd()
	s := over(e, on())
	if err := s.Put(t.Context(), map[embed.Key][]byte{{1}: make([]byte, store.MaxVector+1), {2}: []byte("v")}); err != nil || e.size() != 1 {
		t.Errorf("%d values were put, error %v", e.size(), err)
	}
	if err := s.Put(t.Context(), map[embed.Key][]byte{{1}: make([]byte, store.MaxVector+1)}); err != nil || e.size() != 1 || e.revision != 1 {
		t.Errorf("alone: %d values, %d writes, error %v", e.size(), e.revision, err)
	}
}

func TestWhatNoRoutingNeedsGoesAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEtcd()
		s := over(e, on())
		run(t, s)
		both, one := collection(t, "a", "b"), collection(t, "a")
		s.Need([]*embed.Collection{both})
		fill(t, s, both)
		time.Sleep(10 * time.Hour)
		if e.size() != 2 {
			t.Fatalf("%d of 2 that are needed are left", e.size())
		}
		s.Need([]*embed.Collection{one})
		time.Sleep(59 * time.Minute)
		if e.size() != 2 {
			t.Fatalf("gone within the grace time")
		}
		s.Need([]*embed.Collection{both}) // needed again: the time begins anew
		time.Sleep(time.Hour)
		s.Need([]*embed.Collection{one})
		time.Sleep(59 * time.Minute)
		if e.size() != 2 {
			t.Fatalf("gone within the second grace time")
		}
		time.Sleep(30 * time.Minute)
		if e.size() != 1 {
			t.Errorf("%d are left, want the one that is needed", e.size())
		}
		s.Need(nil)
		time.Sleep(2 * time.Hour)
		if e.size() != 0 {
			t.Errorf("%d are left of none that are needed", e.size())
		}
	})
}

func TestOnlyTheNodeWhoseWorkItIsTakesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, turn := newEtcd(), &switches{room: true}
		s := over(e, turn)
		run(t, s)
		fill(t, s, collection(t, "a"))
		s.Need([]*embed.Collection{})
		time.Sleep(10 * time.Hour)
		if e.size() != 1 || e.lists != 0 {
			t.Fatalf("%d are left, listed %d times", e.size(), e.lists)
		}
		turn.set(true, true)
		time.Sleep(50 * time.Minute)
		if e.size() != 1 {
			t.Error("what another node has seen before counts for the grace time")
		}
		time.Sleep(30 * time.Minute)
		if e.size() != 0 {
			t.Error("the node does not do its work")
		}
	})
}

func TestANodeThatGetsTheWorkBackBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, turn := newEtcd(), on()
		s, c := over(e, turn), collection(t, "a")
		run(t, s)
		fill(t, s, c)
		s.Need([]*embed.Collection{})
		time.Sleep(30 * time.Minute) // it is noted as not needed
		turn.set(true, false)
		s.Need([]*embed.Collection{c})
		time.Sleep(10 * time.Hour)
		s.Need([]*embed.Collection{})
		turn.set(true, true)
		time.Sleep(50 * time.Minute)
		if e.size() != 1 {
			t.Error("what was not needed hours ago, and then was, goes within the grace time")
		}
		time.Sleep(30 * time.Minute)
		if e.size() != 0 {
			t.Error("it does not go at all")
		}
	})
}

func TestNothingGoesBeforeThereIsAConfigurationOrWhileEtcdFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEtcd()
		s := over(e, on())
		run(t, s)
		fill(t, s, collection(t, "a"))
		time.Sleep(10 * time.Hour)
		if e.size() != 1 {
			t.Fatal("gone although nobody knows what is needed")
		}
		s.Need([]*embed.Collection{})
		time.Sleep(30 * time.Minute)
		e.mu.Lock()
		e.fail = errors.New("no quorum")
		e.mu.Unlock()
		time.Sleep(10 * time.Hour)
		e.mu.Lock()
		e.fail = nil
		e.mu.Unlock()
		time.Sleep(30 * time.Minute)
		if e.size() != 0 {
			t.Error("the failure is not got over")
		}
	})
}
