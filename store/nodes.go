package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
)

// NodeRecord is what one live node says of itself.
type NodeRecord struct {
	Node string
	// Value is what the node set by Member.SetStatus.
	Value []byte
	// Modified is the revision at which it was written.
	Modified int64
}

// Nodes returns the live nodes, sorted by name.
func (s *Store) Nodes(ctx context.Context) ([]NodeRecord, error) {
	l, err := s.list(ctx, s.keys.nodes())
	if err != nil {
		return nil, fmt.Errorf("read nodes: %w", err)
	}
	return sorted(nodeRecords(s.keys.nodes(), l)), nil
}

// WatchNodes calls changed with all live nodes, sorted by name: once at first and then after each change.
// It blocks until ctx ends and returns its error. While etcd is away nothing is called.
func (s *Store) WatchNodes(ctx context.Context, changed func([]NodeRecord)) error {
	r := s.keys.nodes()
	var nodes map[string]NodeRecord
	return s.follow(ctx, r, sink{
		health: s.logHealth("nodes"),
		load: func(l listing, _ bool) {
			old := nodes
			nodes = nodeRecords(r, l)
			same := func(a, b NodeRecord) bool { return a.Modified == b.Modified && string(a.Value) == string(b.Value) }
			if old == nil || !maps.EqualFunc(old, nodes, same) {
				changed(sorted(nodes))
			}
		},
		apply: func(_ int64, events []*mvccpb.Event) {
			for _, e := range events {
				if name, ok := r.name(e.Kv.Key); !ok {
					continue
				} else if e.Type == mvccpb.Event_DELETE {
					delete(nodes, name)
				} else {
					nodes[name] = NodeRecord{name, e.Kv.Value, e.Kv.ModRevision}
				}
			}
			changed(sorted(nodes))
		},
	})
}

func nodeRecords(r span, l listing) map[string]NodeRecord {
	out := make(map[string]NodeRecord, len(l.kvs))
	for _, kv := range l.kvs {
		if name, ok := r.name(kv.Key); ok {
			out[name] = NodeRecord{name, kv.Value, kv.ModRevision}
		}
	}
	return out
}

func sorted(nodes map[string]NodeRecord) []NodeRecord {
	return slices.SortedFunc(maps.Values(nodes), func(a, b NodeRecord) int { return strings.Compare(a.Node, b.Node) })
}

// logHealth logs when a watch whose caller is not told is interrupted, and when it goes on: once each.
func (s *Store) logHealth(what string) func(error) {
	down := false
	return func(err error) {
		switch {
		case err != nil && !down:
			s.log.Warn("watch interrupted", "of", what, "error", err)
		case err == nil && down:
			s.log.Info("watch goes on", "of", what)
		}
		down = err != nil
	}
}
