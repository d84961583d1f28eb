package storetest

import (
	"context"
	"crypto/sha256"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/sluice-gateway/sluice/store"
)

func vectorCases() []testCase {
	return []testCase{
		{"vectors are found by key and none is nil", vectorsFound},
		{"vectors outlive whoever put them", vectorsStay},
		{"only vectors that nobody has put again are dropped", vectorsDropped},
		{"no vector is larger and there are no more than allowed", vectorsBounded},
		{"vectors are no part of the document", vectorsApart},
		{"vectors can be dropped when etcd is out of space", vectorsWithoutSpace},
		{"vectors of an etcd that is away are an error", vectorsAway},
	}
}

func vectorKey(i int) store.VectorKey { return sha256.Sum256([]byte(strconv.Itoa(i))) }

// vectors returns values of the keys from..to.
func vectors(from, to int, value string) map[store.VectorKey][]byte {
	out := map[store.VectorKey][]byte{}
	for i := from; i < to; i++ {
		out[vectorKey(i)] = []byte(value + strconv.Itoa(i))
	}
	return out
}

func putVectors(t testing.TB, s *store.Store, values map[store.VectorKey][]byte) {
	t.Helper()
	if err := s.PutVectors(t.Context(), values); err != nil {
		t.Fatalf("put %d vectors: %v", len(values), err)
	}
}

// hasVectors fails unless the store has these, and nil where the value is empty.
func hasVectors(t testing.TB, s *store.Store, want map[store.VectorKey]string) {
	t.Helper()
	var keys []store.VectorKey
	for key := range want {
		keys = append(keys, key)
	}
	got, err := s.Vectors(t.Context(), keys)
	if err != nil || len(got) != len(keys) {
		t.Fatalf("got %d values for %d keys, error %v", len(got), len(keys), err)
	}
	for i, key := range keys {
		if string(got[i]) != want[key] || (got[i] == nil) != (want[key] == "") {
			t.Errorf("%x: got %q, want %q", key, got[i], want[key])
		}
	}
}

func vectorsFound(t *testing.T, e *env) {
	s := e.open(t)
	putVectors(t, s, vectors(0, 150, "a"))
	putVectors(t, s, vectors(140, 150, "b"))
	want := map[store.VectorKey]string{}
	for i := range 200 {
		switch {
		case i < 140:
			want[vectorKey(i)] = "a" + strconv.Itoa(i)
		case i < 150:
			want[vectorKey(i)] = "b" + strconv.Itoa(i)
		default:
			want[vectorKey(i)] = ""
		}
	}
	hasVectors(t, s, want)
	hasVectors(t, e.open(t, func(cfg *store.Config) { cfg.Prefix += ".other" }), map[store.VectorKey]string{vectorKey(1): ""})
	if got, err := s.Vectors(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no keys: got %v, error %v", got, err)
	}
}

func vectorsStay(t *testing.T, e *env) {
	first, err := store.Open(store.Config{Endpoints: e.cluster.Endpoints, Prefix: e.prefix})
	if err != nil {
		t.Fatal(err)
	}
	putVectors(t, first, vectors(0, 1, "a"))
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	hasVectors(t, e.open(t), map[store.VectorKey]string{vectorKey(0): "a0"})
}

// stored must list the vectors.
func stored(t testing.TB, s *store.Store) map[store.VectorKey]int64 {
	t.Helper()
	got, err := s.StoredVectors(t.Context())
	if err != nil {
		t.Fatalf("list vectors: %v", err)
	}
	return got
}

func vectorsDropped(t *testing.T, e *env) {
	s := e.open(t)
	putVectors(t, s, vectors(0, 200, "a"))
	e.put(t, "/vectors/what-is-this", "x")
	listed := stored(t, s)
	if len(listed) != 200 {
		t.Fatalf("%d vectors are listed, want 200", len(listed))
	}
	putVectors(t, s, vectors(7, 8, "again"))
	delete(listed, vectorKey(3))
	if err := s.DropVectors(t.Context(), listed); err != nil {
		t.Fatal(err)
	}
	left := stored(t, s)
	if len(left) != 2 {
		t.Errorf("%d vectors are left, want 2", len(left))
	}
	hasVectors(t, s, map[store.VectorKey]string{vectorKey(3): "a3", vectorKey(7): "again7", vectorKey(8): ""})
}

func vectorsBounded(t *testing.T, e *env) {
	s := e.open(t)
	large := map[store.VectorKey][]byte{vectorKey(0): make([]byte, store.MaxVector), vectorKey(1): make([]byte, store.MaxVector+1)}
	if err := s.PutVectors(t.Context(), large); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("one that is too large: got %v, want ErrTooLarge", err)
	}
	delete(large, vectorKey(1))
	putVectors(t, s, large)
	putVectors(t, s, vectors(1, store.MaxVectors, "a"))
	if err := s.PutVectors(t.Context(), vectors(store.MaxVectors, store.MaxVectors+1, "a")); !errors.Is(err, store.ErrFull) {
		t.Errorf("one too many: got %v, want ErrFull", err)
	}
	if n := len(stored(t, s)); n != store.MaxVectors {
		t.Errorf("%d vectors are stored, want %d", n, store.MaxVectors)
	}
}

func vectorsApart(t *testing.T, e *env) {
	s := e.open(t)
	w := watch(t, s)
	putVectors(t, s, vectors(0, 1, "a"))
	revision := update(t, s, set(model("a"), "1")).Revision
	w.await(t, "the update", func() bool { return w.last().Revision == revision })
	w.look(func() {
		if diff := cmp.Diff(map[string]string{"model/a": "1"}, values(w.last())); diff != "" || len(w.images) != 2 {
			t.Errorf("got %d images, want the first and that of the update (-want +got):\n%s", len(w.images), diff)
		}
	})
}

func vectorsWithoutSpace(t *testing.T, e *env) {
	s := e.open(t)
	putVectors(t, s, vectors(0, 2, "a"))
	listed := stored(t, s)
	alarm(t, e, pb.AlarmRequest_ACTIVATE)
	defer alarm(t, e, pb.AlarmRequest_DEACTIVATE)
	awaitAlarm(t, s, true)
	if err := s.PutVectors(t.Context(), vectors(2, 3, "a")); !errors.Is(err, store.ErrNoSpace) {
		t.Errorf("put: got %v, want ErrNoSpace", err)
	}
	hasVectors(t, s, map[store.VectorKey]string{vectorKey(0): "a0"})
	if err := s.DropVectors(t.Context(), listed); err != nil {
		t.Errorf("drop: %v", err)
	}
	if n := len(stored(t, s)); n != 0 {
		t.Errorf("%d vectors are left", n)
	}
}

func vectorsAway(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	relay.Cut()
	s := e.open(t, through(relay), within(300*time.Millisecond))
	_, read := s.Vectors(t.Context(), []store.VectorKey{vectorKey(0)})
	_, list := s.StoredVectors(t.Context())
	for what, err := range map[string]error{"read": read, "list": list, "put": s.PutVectors(t.Context(), vectors(0, 1, "a"))} {
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: got %v, want ErrUnavailable", what, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Vectors(ctx, []store.VectorKey{vectorKey(0)}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that gives up: got %v", err)
	}
}
