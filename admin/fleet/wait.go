package fleet

import (
	"context"
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// Outcome says how a wait ended.
type Outcome struct {
	// Known is false when the live nodes could not be read.
	Known bool
	// Nodes is how many nodes live.
	Nodes int
	// Missing are those that do not serve the write, sorted: they lag behind its revision, or they have come
	// to it and reject the resource.
	Missing []string
}

// Complete reports whether every live node serves the write.
func (o Outcome) Complete() bool { return o.Known && len(o.Missing) == 0 }

// Wait returns as soon as every live node has come to the revision, which holds a write of the resource,
// and with what is missing then, when ctx ends, or when the nodes cannot be watched. A zero ref stands for a
// deletion, which no node can reject.
func (f *Fleet) Wait(ctx context.Context, revision int64, written core.Ref) Outcome {
	ctx, done := context.WithCancel(ctx)
	defer done()
	var last Outcome
	// The error says only that the watch ended, by done, by the caller or by etcd; last tells what matters.
	_ = f.store.WatchNodes(ctx, func(records []store.NodeRecord) {
		var settled bool
		if last, settled = judge(records, revision, written); settled {
			done()
		}
	})
	return last
}

// judge also reports whether there is nothing left to wait for: a node that rejects the resource will not
// serve it by being asked again.
func judge(records []store.NodeRecord, revision int64, written core.Ref) (o Outcome, settled bool) {
	o, settled = Outcome{Known: true, Nodes: len(records)}, true
	for _, record := range records {
		status := decode(record)
		lags := status.Revision < revision
		settled = settled && !lags
		if lags || rejects(status, written) {
			o.Missing = append(o.Missing, record.Node)
		}
	}
	slices.Sort(o.Missing)
	return o, settled
}

func rejects(status core.NodeStatus, ref core.Ref) bool {
	return slices.ContainsFunc(status.Rejected, func(f core.Fault) bool {
		return f.Ref == ref && f.Severity == core.SeverityReject
	})
}
