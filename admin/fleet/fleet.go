// Package fleet tells what the live proxy nodes serve and what they measure together, and waits until all of
// them serve a revision.
//
// A Fleet is safe for concurrent use. It reads the store when it is asked and watches nothing in between.
package fleet

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

type records interface {
	Read(ctx context.Context) (store.Image, error)
	Nodes(ctx context.Context) ([]store.NodeRecord, error)
	Signals(ctx context.Context, cell string) ([]store.NodeRecord, error)
}

type watcher interface {
	WatchNodes(ctx context.Context, changed func([]store.NodeRecord)) error
}

type source interface {
	records
	watcher
}

// Fleet is the live nodes of one gateway.
type Fleet struct {
	store    source
	site     core.Site
	receipts receipts
}

// New returns the fleet that the store knows. The site says which upstreams the nodes may use; without an
// environment, so that signals have here the keys that they have on nodes of any environment.
func New(s source, reach core.Reach) *Fleet {
	return &Fleet{store: s, site: core.Site{Reach: reach}, receipts: receipts{cells: map[string]map[string]receipt{}}}
}

// Node is what a live node says of itself.
type Node struct {
	core.NodeStatus
	// Lagging is true while the node does not serve the last change.
	Lagging bool `json:"lagging"`
}

// Report is the state of the fleet.
type Report struct {
	// Revision is the store revision of the last change of a resource.
	Revision int64 `json:"revision"`
	// Nodes are the live nodes, by name.
	Nodes []Node `json:"nodes"`
	// Cells are the cells of those nodes, by name, with what is measured in each.
	Cells []Cell `json:"cells"`
}

// Report returns the live nodes, how far they are, and what they measure, as of now. Unless cell is empty, only
// that cell is reported.
func (f *Fleet) Report(ctx context.Context, cell string, now time.Time) (Report, error) {
	img, err := f.store.Read(ctx)
	if err != nil {
		return Report{}, err
	}
	live, err := f.store.Nodes(ctx)
	if err != nil {
		return Report{}, err
	}
	r := Report{Revision: img.Settled(), Nodes: []Node{}, Cells: []Cell{}}
	for _, record := range live {
		status := decode(record)
		if cell == "" || status.Cell == cell {
			r.Nodes = append(r.Nodes, Node{status, status.Revision < r.Revision})
		}
	}
	slices.SortFunc(r.Nodes, func(a, b Node) int { return strings.Compare(a.ID, b.ID) })
	r.Cells, err = f.cells(ctx, img, cellsOf(r.Nodes), now)
	return r, err
}

// cellsOf returns the names of the nodes' cells, sorted. A node that is not understood has none.
func cellsOf(nodes []Node) []string {
	var out []string
	for _, n := range nodes {
		if core.CheckID(n.Cell) == nil {
			out = append(out, n.Cell)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// decode reads what a node wrote under its name. A node whose words are not understood is known to be
// there and to serve nothing.
func decode(record store.NodeRecord) core.NodeStatus {
	var s core.NodeStatus
	if err := json.Unmarshal(record.Value, &s); err != nil {
		s = core.NodeStatus{}
	}
	s.ID = record.Node
	return s
}
