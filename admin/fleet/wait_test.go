package fleet

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		if got := New(script{c.steps}).Wait(t.Context(), 7); !cmp.Equal(got, c.want) || !got.Complete() {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAWaitThatItsCallerEndsIsNotComplete(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := New(script{}).Wait(ctx, 7); got.Known || got.Complete() {
		t.Errorf("nodes that were never read: got %+v", got)
	}
}

func TestANodeThatIsNotUnderstoodServesNothing(t *testing.T) {
	for _, value := range []string{``, `null`, `7`, `{"revision":"7"}`, `{"revision":7`, `{"id":"z"}`} {
		got := judge([]store.NodeRecord{{Node: "a", Value: []byte(value)}}, 7)
		if want := (Outcome{Known: true, Nodes: 1, Lagging: []string{"a"}}); !cmp.Equal(got, want) {
			t.Errorf("%q: got %+v, want %+v", value, got, want)
		}
	}
}
