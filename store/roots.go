package store

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/sluice-gateway/sluice/core"
)

// RootWatcher receives what the aggregator of a cell writes. Its functions are called one at a time and in order.
// Live, Root and Health may be nil.
type RootWatcher struct {
	// Aggregator brings the name of the cell's aggregator, at first and when it changes; "": there is none.
	Aggregator func(node string)
	// Live brings the names of the cell's live members.
	Live func(nodes []string)
	// Root brings a new root. A root that goes with its aggregator's lease is not told of.
	Root func(Root)
	// Progress says that everything up to that revision of etcd has been brought. It comes after every other
	// call, and every few seconds from an etcd that is there.
	Progress func(revision int64)
	// Health gets nil each time the keys are followed again, and what ended that.
	Health func(error)
}

// WatchRoot follows the aggregator of the cell and its root until ctx ends, and returns ctx's error.
func (s *Store) WatchRoot(ctx context.Context, cell string, w RootWatcher) error {
	if err := core.CheckID(cell); err != nil {
		return fmt.Errorf("watch root: cell %q: %w", cell, err)
	}
	p := &rootSink{keys: s.keys, cell: cell, watcher: w, modified: map[string]int64{}}
	health := w.Health
	if health == nil {
		health = s.logHealth("root")
	}
	return s.follow(ctx, s.keys.roots(cell), sink{load: p.load, apply: p.apply, progress: p.progress, health: health})
}

type rootSink struct {
	keys    keys
	cell    string
	watcher RootWatcher
	// modified is the revision of each key's value that was delivered.
	modified map[string]int64
	loaded   bool
}

func (p *rootSink) progress(revision int64) {
	if p.watcher.Progress != nil {
		p.watcher.Progress(revision)
	}
}

func (p *rootSink) load(l listing, fresh bool) {
	aggregator := p.keys.aggregator(p.cell)
	_, had := p.modified[aggregator]
	if fresh {
		clear(p.modified)
	}
	has := false
	for _, kv := range l.kvs {
		has = has || string(kv.Key) == aggregator
		p.take(kv)
	}
	if !has && (had || !p.loaded) {
		delete(p.modified, aggregator)
		p.watcher.Aggregator("")
	}
	p.loaded = true
	p.progress(l.revision)
}

func (p *rootSink) apply(revision int64, events []*mvccpb.Event) {
	for _, e := range events {
		switch {
		case e.Type != mvccpb.Event_DELETE:
			p.take(e.Kv)
		case string(e.Kv.Key) == p.keys.aggregator(p.cell):
			p.watcher.Aggregator("")
			fallthrough
		default:
			delete(p.modified, string(e.Kv.Key))
		}
	}
	p.progress(revision)
}

// take delivers a value that was not delivered yet.
func (p *rootSink) take(kv *mvccpb.KeyValue) {
	key := string(kv.Key)
	if p.modified[key] == kv.ModRevision {
		return
	}
	p.modified[key] = kv.ModRevision
	switch key {
	case p.keys.aggregator(p.cell):
		p.watcher.Aggregator(string(kv.Value))
	case p.keys.live(p.cell):
		if p.watcher.Live != nil {
			p.watcher.Live(liveNames(kv.Value))
		}
	case p.keys.root(p.cell):
		if r, ok := parseRoot(kv.Value); ok && p.watcher.Root != nil {
			p.watcher.Root(r)
		}
	}
}
