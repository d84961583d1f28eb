package fleet

import (
	"context"
	"slices"

	"github.com/sluice-gateway/sluice/store"
)

// Outcome says how a wait ended.
type Outcome struct {
	// Known is false when the live nodes could not be read.
	Known bool
	// Nodes is how many nodes live.
	Nodes int
	// Lagging are those that do not serve the revision, sorted.
	Lagging []string
}

// Complete reports whether every live node serves the revision.
func (o Outcome) Complete() bool { return o.Known && len(o.Lagging) == 0 }

// Wait returns as soon as every live node serves the revision, and with what is missing when ctx ends or
// the nodes cannot be watched.
func (f *Fleet) Wait(ctx context.Context, revision int64) Outcome {
	ctx, done := context.WithCancel(ctx)
	defer done()
	var last Outcome
	// The error says only that the watch ended, by done, by the caller or by etcd; last tells what matters.
	_ = f.store.WatchNodes(ctx, func(records []store.NodeRecord) {
		if last = judge(records, revision); last.Complete() {
			done()
		}
	})
	return last
}

func judge(records []store.NodeRecord, revision int64) Outcome {
	o := Outcome{Known: true, Nodes: len(records)}
	for _, record := range records {
		if decode(record).Revision < revision {
			o.Lagging = append(o.Lagging, record.Node)
		}
	}
	slices.Sort(o.Lagging)
	return o
}
