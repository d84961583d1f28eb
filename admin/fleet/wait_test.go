package fleet

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// script is a store whose nodes change as written, and then no more.
type script struct{ steps [][]store.NodeRecord }

func (s script) Read(context.Context) (store.Image, error) {
	return store.Image{}, errors.New("not asked")
}

func (s script) Nodes(context.Context) ([]store.NodeRecord, error) {
	return nil, errors.New("not asked")
}

func (s script) Signals(context.Context, string) ([]store.NodeRecord, error) {
	return nil, errors.New("not asked")
}

func (s script) WatchNodes(ctx context.Context, changed func([]store.NodeRecord)) error {
	for _, step := range s.steps {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		changed(step)
	}
	<-ctx.Done()
	return ctx.Err()
}

// written is the resource whose write is waited for.
var written = core.Ref{Kind: core.KindProvider, ID: "p"}

func at(node, revision string) store.NodeRecord {
	return store.NodeRecord{Node: node, Value: []byte(`{"revision":` + revision + `}`)}
}

func TestWaitReturnsWithTheLastThatItSaw(t *testing.T) {
	for name, c := range map[string]struct {
		steps [][]store.NodeRecord
		want  Outcome
	}{
		"no nodes":           {[][]store.NodeRecord{{}}, Outcome{Known: true}},
		"all serve it":       {[][]store.NodeRecord{{at("a", "7"), at("b", "9")}}, Outcome{Known: true, Nodes: 2}},
		"one comes up to it": {[][]store.NodeRecord{{at("a", "6")}, {at("a", "7")}}, Outcome{Known: true, Nodes: 1}},
		"one dies":           {[][]store.NodeRecord{{at("a", "6"), at("b", "7")}, {at("b", "7")}}, Outcome{Known: true, Nodes: 1}},
		"nothing after that": {[][]store.NodeRecord{{at("a", "7")}, {at("a", "7"), at("b", "1")}}, Outcome{Known: true, Nodes: 1}},
	} {
		if got := New(script{c.steps}, core.Reach{}).Wait(t.Context(), 7, written); !cmp.Equal(got, c.want) || !got.Complete() {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAWaitThatItsCallerEndsIsNotComplete(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := New(script{}, core.Reach{}).Wait(ctx, 7, written); got.Known || got.Complete() {
		t.Errorf("nodes that were never read: got %+v", got)
	}
}

func TestANodeThatIsNotUnderstoodServesNothing(t *testing.T) {
	for _, value := range []string{``, `null`, `7`, `{"revision":"7"}`, `{"revision":7`, `{"id":"z"}`} {
		got, settled := judge([]store.NodeRecord{{Node: "a", Value: []byte(value)}}, 7, written)
		if want := (Outcome{Known: true, Nodes: 1, Missing: []string{"a"}}); !cmp.Equal(got, want) || settled {
			t.Errorf("%q: got %+v and settled %v, want %+v and false", value, got, settled, want)
		}
	}
}

// rejecting is a node at the revision that has one fault.
func rejecting(node, revision, fault string) store.NodeRecord {
	return store.NodeRecord{Node: node, Value: []byte(`{"revision":` + revision + `,"rejected":[` + fault + `]}`)}
}

func TestANodeThatRejectsTheResourceIsNamedAndNotWaitedFor(t *testing.T) {
	const (
		ours     = `{"resource":{"kind":"provider","id":"p"},"severity":"reject"}`
		degraded = `{"resource":{"kind":"provider","id":"p"},"severity":"degrade"}`
		another  = `{"resource":{"kind":"provider","id":"q"},"severity":"reject"}`
		model    = `{"resource":{"kind":"model","id":"p"},"severity":"reject"}`
	)
	for name, c := range map[string]struct {
		steps   [][]store.NodeRecord
		ref     core.Ref
		missing []string
	}{
		"at once":                     {[][]store.NodeRecord{{at("a", "7"), rejecting("b", "7", ours)}}, written, []string{"b"}},
		"a later revision":            {[][]store.NodeRecord{{rejecting("a", "9", ours)}}, written, []string{"a"}},
		"the others are waited for":   {[][]store.NodeRecord{{at("a", "6"), rejecting("b", "7", ours)}, {at("a", "7"), rejecting("b", "7", ours)}}, written, []string{"b"}},
		"what it rejected before":     {[][]store.NodeRecord{{rejecting("a", "6", ours)}, {at("a", "7")}}, written, nil},
		"a part of the resource":      {[][]store.NodeRecord{{rejecting("a", "7", degraded)}}, written, nil},
		"another resource":            {[][]store.NodeRecord{{rejecting("a", "7", another)}}, written, nil},
		"another kind of that name":   {[][]store.NodeRecord{{rejecting("a", "7", model)}}, written, nil},
		"a deletion is none to check": {[][]store.NodeRecord{{rejecting("a", "7", ours)}}, core.Ref{}, nil},
	} {
		got := New(script{c.steps}, core.Reach{}).Wait(t.Context(), 7, c.ref)
		if !cmp.Equal(got.Missing, c.missing) || got.Complete() != (c.missing == nil) {
			t.Errorf("%s: got %+v, want missing %v", name, got, c.missing)
		}
	}
}
