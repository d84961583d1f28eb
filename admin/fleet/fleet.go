// Package fleet tells what the live proxy nodes serve, and waits until all of them serve a revision.
//
// A Fleet is safe for concurrent use.
package fleet

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

type nodes interface {
	Read(ctx context.Context) (store.Image, error)
	Nodes(ctx context.Context) ([]store.NodeRecord, error)
	WatchNodes(ctx context.Context, changed func([]store.NodeRecord)) error
}

// Fleet is the live nodes of one gateway.
type Fleet struct{ store nodes }

// New returns the fleet that the store knows.
func New(s nodes) *Fleet { return &Fleet{s} }

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
}

// Report returns the live nodes and how far they are.
func (f *Fleet) Report(ctx context.Context) (Report, error) {
	img, err := f.store.Read(ctx)
	if err != nil {
		return Report{}, err
	}
	records, err := f.store.Nodes(ctx)
	if err != nil {
		return Report{}, err
	}
	r := Report{Revision: img.Settled(), Nodes: []Node{}}
	for _, record := range records {
		status := decode(record)
		r.Nodes = append(r.Nodes, Node{status, status.Revision < r.Revision})
	}
	slices.SortFunc(r.Nodes, func(a, b Node) int { return strings.Compare(a.ID, b.ID) })
	return r, nil
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
