package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	clientv3 "go.etcd.io/etcd/client/v3"
	"golang.org/x/sync/errgroup"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

func documentCases() []testCase {
	return []testCase{
		{"opening reading and watching write nothing", startWritesNothing},
		{"what was written is read with its revisions", roundTrip},
		{"writing what is there changes nothing", noChange},
		{"a refused apply writes nothing", refusedApply},
		{"two writers lose nothing", twoWriters},
		{"a write of another resource in between makes apply run again", generationGuard},
		{"a write past the store is not overwritten unseen", touchedKeyGuard},
		{"a writer that is always late gives up with a conflict", alwaysLate},
		{"what is too large is refused before and after etcd", tooLarge},
		{"a name that the store could not read back is refused", badName},
		{"an earlier revision can be read until it is compacted", earlier},
		{"ten thousand resources are read at one revision", paging},
		{"keys that are no resources are ignored", garbageIsNotRead},
	}
}

func startWritesNothing(t *testing.T, e *env) {
	s := e.open(t)
	if err := s.Ping(t.Context()); err != nil {
		t.Fatalf("ping: %v", err)
	}
	read(t, s)
	watch(t, s)
	resp, err := e.etcd.Get(t.Context(), e.prefix, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil || resp.Count != 0 {
		t.Errorf("keys below the prefix: got %d (error %v), want none", resp.Count, err)
	}
}

func roundTrip(t *testing.T, e *env) {
	s := e.open(t)
	first := update(t, s, set(model("a"), "one"))
	second := update(t, s, set(model("a"), "two"))
	img := read(t, s)
	want := store.Item{Value: []byte("two"), Created: first.Revision, Modified: second.Revision}
	if diff := cmp.Diff(map[core.Ref]store.Item{model("a"): want}, img.Items, cmpopts.IgnoreUnexported(store.Item{})); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if img.Revision < second.Revision || img.Generation != second.Revision || img.Settled() != second.Revision || img.Cluster == 0 {
		t.Errorf("got revision %d, generation %d, settled %d, cluster %d after a write at %d", img.Revision, img.Generation, img.Settled(), img.Cluster, second.Revision)
	}
	gone := update(t, s, remove(model("a")))
	if img := read(t, s); len(img.Items) != 0 || img.Settled() != gone.Revision {
		t.Errorf("after the delete at %d: got items %v, settled %d", gone.Revision, values(img), img.Settled())
	}
}

func noChange(t *testing.T, e *env) {
	s := e.open(t)
	wrote := update(t, s, set(model("a"), "one"))
	e.put(t, "/unrelated", "moves the revision on")
	for name, apply := range map[string]func(store.Image) ([]store.Change, error){
		"no changes":          func(store.Image) ([]store.Change, error) { return nil, nil },
		"the same value":      set(model("a"), "one"),
		"delete what is none": remove(model("none")),
	} {
		got := update(t, s, apply)
		if want := (store.Result{Revision: wrote.Revision}); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	if img := read(t, s); img.Generation != wrote.Revision {
		t.Errorf("generation: got %d, want %d, nothing was to be written", img.Generation, wrote.Revision)
	}
}

func refusedApply(t *testing.T, e *env) {
	s := e.open(t)
	wrote := update(t, s, set(model("a"), "one"))
	refused := errors.New("refused")
	_, err := s.Update(t.Context(), func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: model("a"), Value: []byte("two")}}, refused
	})
	if err == nil || err.Error() != refused.Error() || !errors.Is(err, refused) {
		t.Errorf("error: got %v, want apply's own", err)
	}
	if img := read(t, s); img.Settled() != wrote.Revision {
		t.Errorf("settled: got %d, want %d", img.Settled(), wrote.Revision)
	}
}

func twoWriters(t *testing.T, e *env) {
	const each = 40
	var g errgroup.Group
	for range 2 {
		s := e.open(t)
		g.Go(func() error {
			for range each {
				if _, err := s.Update(t.Context(), increment); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatalf("update: %v", err)
	}
	if got := counter(read(t, e.open(t))); got != 2*each {
		t.Errorf("counter: got %d, want %d", got, 2*each)
	}
}

// increment adds one to a counter, kept in two resources so that a half-applied write would show.
func increment(img store.Image) ([]store.Change, error) {
	next := []byte(strconv.Itoa(counter(img) + 1))
	return []store.Change{{Ref: model("counter"), Value: next}, {Ref: model("zcounter"), Value: next}}, nil
}

// counter returns the counter's value, -1 when its two halves differ.
func counter(img store.Image) int {
	a, z := string(img.Items[model("counter")].Value), string(img.Items[model("zcounter")].Value)
	n, err := strconv.Atoi("0" + a)
	if a != z || err != nil {
		return -1
	}
	return n
}

func generationGuard(t *testing.T, e *env) {
	s, other := e.open(t), e.open(t)
	calls := 0
	update(t, s, func(img store.Image) ([]store.Change, error) {
		if calls++; calls == 1 {
			update(t, other, set(model("provider-like"), "gone"))
			return []store.Change{{Ref: model("a"), Value: []byte("written over an old document")}}, nil
		}
		return []store.Change{{Ref: model("a"), Value: img.Items[model("provider-like")].Value}}, nil
	})
	if got := values(read(t, s))["model/a"]; calls != 2 || got != "gone" {
		t.Errorf("got %d calls and %q, want 2 and what the other writer left", calls, got)
	}
}

func touchedKeyGuard(t *testing.T, e *env) {
	s := e.open(t)
	update(t, s, set(model("a"), "one"))
	calls := 0
	update(t, s, func(img store.Image) ([]store.Change, error) {
		if calls++; calls == 1 {
			e.put(t, "/resources/model/a", "by hand")
		}
		return []store.Change{{Ref: model("a"), Value: append(bytes.Clone(img.Items[model("a")].Value), '+')}}, nil
	})
	if got := values(read(t, s))["model/a"]; got != "by hand+" {
		t.Errorf("got %q, want %q", got, "by hand+")
	}
}

func alwaysLate(t *testing.T, e *env) {
	s, other := e.open(t), e.open(t)
	_, err := s.Update(t.Context(), func(img store.Image) ([]store.Change, error) {
		update(t, other, increment)
		return []store.Change{{Ref: model("a"), Value: []byte("never")}}, nil
	})
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("error: got %v, want ErrConflict", err)
	}
	if _, written := read(t, s).Items[model("a")]; written {
		t.Error("a conflicting write was written")
	}
}

func tooLarge(t *testing.T, e *env) {
	s := e.open(t)
	big := bytes.Repeat([]byte("x"), store.MaxValue)
	many := make([]store.Change, 200)
	for i := range many {
		many[i] = store.Change{Ref: model(fmt.Sprint("m", i)), Value: []byte("x")}
	}
	for name, c := range map[string]struct {
		changes []store.Change
		want    error
	}{
		"a value at the limit":        {[]store.Change{{Ref: model("big"), Value: big}}, nil},
		"a value above it":            {[]store.Change{{Ref: model("bigger"), Value: append(bytes.Clone(big), 'x')}}, store.ErrTooLarge},
		"a transaction above it":      {[]store.Change{{Ref: model("p"), Value: big}, {Ref: model("q"), Value: big}}, store.ErrTooLarge},
		"more operations than etcd's": {many, store.ErrTooLarge},
	} {
		_, err := s.Update(t.Context(), func(store.Image) ([]store.Change, error) { return c.changes, nil })
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got error %v, want %v", name, err, c.want)
		}
	}
	if got := len(read(t, s).Items); got != 1 {
		t.Errorf("resources: got %d, want the one that fits", got)
	}
}

func badName(t *testing.T, e *env) {
	s := e.open(t)
	for _, ref := range []core.Ref{{Kind: "plugin", ID: "a"}, model(""), model("a/b"), model("../a"), {}} {
		if _, err := s.Update(t.Context(), set(ref, "x")); err == nil {
			t.Errorf("%q was accepted", ref)
		}
	}
}

func earlier(t *testing.T, e *env) {
	s := e.open(t)
	update(t, s, set(model("a"), "1"))
	before := read(t, s)
	update(t, s, set(model("a"), "2"))
	then, err := s.ReadAt(t.Context(), before.Revision)
	if err != nil || string(then.Items[model("a")].Value) != "1" || then.Settled() != before.Settled() {
		t.Errorf("at revision %d: got %+v and error %v, want the first value", before.Revision, then, err)
	}
	e.compact(t)
	if _, err := s.ReadAt(t.Context(), before.Revision); !errors.Is(err, store.ErrRevisionGone) {
		t.Errorf("after a compaction: got error %v, want ErrRevisionGone", err)
	}
	if _, err := s.ReadAt(t.Context(), read(t, s).Revision+1000); !errors.Is(err, store.ErrRevisionGone) {
		t.Errorf("in the future: got error %v, want ErrRevisionGone", err)
	}
}

func paging(t *testing.T, e *env) {
	const count, batch = 10_000, 100
	fill(t, e, count, batch)
	s, writer := e.open(t), e.open(t)
	update(t, writer, increment)
	var g errgroup.Group
	stop := make(chan struct{})
	g.Go(func() error {
		for {
			select {
			case <-stop:
				return nil
			default:
				if _, err := writer.Update(t.Context(), increment); err != nil {
					return err
				}
			}
		}
	})
	for range 3 {
		img := read(t, s)
		if got := len(img.Items); got != count+2 {
			t.Errorf("resources: got %d, want %d", got, count+2)
		}
		if got := counter(img); got < 1 {
			t.Errorf("the first and the last page show different documents: counter %d", got)
		}
	}
	close(stop)
	if err := g.Wait(); err != nil {
		t.Errorf("write beside the reads: %v", err)
	}
}

// fill writes that many resources of 1 KiB past the store.
func fill(t testing.TB, e *env, count, batch int) {
	t.Helper()
	value := string(bytes.Repeat([]byte("x"), 1<<10))
	var g errgroup.Group
	g.SetLimit(4)
	for from := 0; from < count; from += batch {
		g.Go(func() error {
			var ops []clientv3.Op
			for i := from; i < from+batch; i++ {
				ops = append(ops, clientv3.OpPut(fmt.Sprintf("%s/resources/model/m%05d", e.prefix, i), value))
			}
			_, err := e.etcd.Txn(t.Context()).Then(ops...).Commit()
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatalf("fill: %v", err)
	}
}

// garbage are keys below the prefix that belong to no resource of this version.
func garbage() []string {
	return []string{
		"", "/", "/resources", "/resources/", "/resources/model", "/resources/model/", "/resources/model/a/b", "/resources/model/-bad",
		"/resources/plugin/a", "/resources-old/model/a", "/meta/", "/meta/schema", "/pending/model/a", "/history/1",
	}
}

func garbageIsNotRead(t *testing.T, e *env) {
	s := e.open(t)
	for _, key := range garbage() {
		e.put(t, key, "garbage")
	}
	update(t, s, set(model("a"), "one"))
	if diff := cmp.Diff(map[string]string{"model/a": "one"}, values(read(t, s))); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
}
