package fleet

import (
	"context"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

// Cell is what the nodes of one cell have measured together. It is folded when it is asked for, from the values
// that the nodes have stored. Nodes that are gone have no part in it; the other nodes still reckon with them for
// three minutes.
type Cell struct {
	Name string `json:"name" example:"default"`
	// Members are the nodes that have a value in the store, by name.
	Members []Member `json:"members"`
	// Targets are the upstreams of all models, one for each signal key, by their first model.
	Targets []Target `json:"targets"`
	// Unconfigured is how many keys the members still publish although no model has them.
	Unconfigured int `json:"unconfigured"`
}

// Member is one node's value in the store.
type Member struct {
	Node string `json:"node" example:"c2375e0f1b7d4a3c"`
	// AgeSeconds is since when this admin replica knows the value. The value may be older than that by as long as
	// nobody asked: the store does not tell when it was written. A node that has news writes every second.
	AgeSeconds float64 `json:"age_seconds" example:"0.4"`
	// Dropped is how many entries of the value are left out because they break the bounds of the format.
	Dropped int `json:"dropped,omitempty"`
	// Error says why the value is not understood, as that of a node of another version may not be.
	Error string `json:"error,omitempty" example:"decode signals: version 9 is not known"`
}

// cells reads and folds the cells of those names.
func (f *Fleet) cells(ctx context.Context, img store.Image, names []string, now time.Time) ([]Cell, error) {
	f.receipts.keep(names)
	out := make([]Cell, 0, len(names))
	if len(names) == 0 {
		return out, nil
	}
	upstreams := f.upstreams(img)
	for _, name := range names {
		values, err := f.store.Signals(ctx, name)
		if err != nil {
			return nil, err
		}
		out = append(out, newCell(name, upstreams, values, f.receipts.take(name, values, now), now))
	}
	return out, nil
}

func newCell(name string, upstreams []upstream, values []store.NodeRecord, received map[string]receipt, now time.Time) Cell {
	c := Cell{Name: name, Members: make([]Member, 0, len(values)), Targets: make([]Target, 0, len(upstreams))}
	all := newView(now)
	var members []view
	for _, value := range values {
		r := received[value.Node]
		m := Member{Node: value.Node, AgeSeconds: now.Sub(r.at).Seconds()}
		if r.err != nil {
			m.Error = r.err.Error()
		} else {
			m.Dropped = r.peer.Rejected
			all.add(value.Node, r.peer)
			members = append(members, viewOf(value.Node, r, now))
		}
		c.Members = append(c.Members, m)
	}
	all.board.Fold(now)
	configured := make(map[signal.Key]bool, len(upstreams))
	for _, u := range upstreams {
		configured[u.key] = true
		c.Targets = append(c.Targets, newTarget(u, all, members))
	}
	for _, k := range all.board.Keys(now) {
		if !configured[k] {
			c.Unconfigured++
		}
	}
	return c
}

// upstream is one signal key and the models that share it.
type upstream struct {
	key    signal.Key
	models []string
}

// upstreams returns those of the document, by their first model. What does not compile is left out: no node
// measures it anew.
func (f *Fleet) upstreams(img store.Image) []upstream {
	doc, _ := core.ParseDocument(img.Values())
	snapshot, _ := core.Compile(doc, f.site)
	var out []upstream
	index := map[signal.Key]int{}
	for _, t := range snapshot.Targets() {
		i, known := index[t.Signal]
		if !known {
			i = len(out)
			index[t.Signal] = i
			out = append(out, upstream{key: t.Signal})
		}
		out[i].models = append(out[i].models, t.Model)
	}
	return out
}
