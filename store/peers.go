package store

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/core"
)

// SignalsWatcher receives the signals of a cell's nodes. Its functions are called one at a time and in
// order. Progress and Health may be nil.
type SignalsWatcher struct {
	// Reset replaces everything: the first time, and when etcd's history turns out to be another one.
	Reset func(map[string][]byte)
	// Put brings what a node has written anew. A node's unchanged value is not brought again after a lost
	// connection, so the time of its Put stays the time from which it ages.
	Put func(node string, value []byte)
	// Gone says that the node's key is gone: it died, or left a lease's length ago.
	Gone func(node string)
	// Progress says that everything up to that revision of etcd has been brought, or that nothing else has
	// changed up to it. It comes after every other call, and every few seconds from an etcd that is there.
	Progress func(revision int64)
	// Health gets nil each time the signals are followed again, and what ended that.
	Health func(error)
}

// WatchSignals follows the signals of every node of the cell, the caller's own included, until ctx ends,
// and returns ctx's error.
func (s *Store) WatchSignals(ctx context.Context, cell string, w SignalsWatcher) error {
	if err := core.CheckID(cell); err != nil {
		return fmt.Errorf("watch signals: cell %q: %w", cell, err)
	}
	p := &signalsSink{span: s.keys.cell(cell), watcher: w}
	health := w.Health
	if health == nil {
		health = s.logHealth("signals")
	}
	return s.follow(ctx, p.span, sink{load: p.load, apply: p.apply, progress: p.progress, health: health})
}

// CountSignals returns how many nodes of the cell have signals, which costs etcd next to nothing.
func (s *Store) CountSignals(ctx context.Context, cell string) (int, error) {
	r := s.keys.cell(cell)
	answer, err := s.get(ctx, r.start, clientv3.WithRange(r.end), clientv3.WithCountOnly())
	if err != nil {
		return 0, fmt.Errorf("count signals: %w", err)
	}
	return int(answer.Count), nil
}

type signalsSink struct {
	span    span
	watcher SignalsWatcher
	// modified is the revision of each node's value that was delivered.
	modified map[string]int64
}

func (p *signalsSink) progress(revision int64) {
	if p.watcher.Progress != nil {
		p.watcher.Progress(revision)
	}
}

func (p *signalsSink) load(l listing, fresh bool) {
	defer p.progress(l.revision)
	values := make(map[string][]byte, len(l.kvs))
	modified := make(map[string]int64, len(l.kvs))
	for _, kv := range l.kvs {
		if name, ok := p.span.name(kv.Key); ok {
			values[name], modified[name] = kv.Value, kv.ModRevision
		}
	}
	old := p.modified
	p.modified = modified
	if fresh {
		p.watcher.Reset(values)
		return
	}
	for name := range old {
		if _, ok := modified[name]; !ok {
			p.watcher.Gone(name)
		}
	}
	for name, revision := range modified {
		if old[name] != revision {
			p.watcher.Put(name, values[name])
		}
	}
}

func (p *signalsSink) apply(revision int64, events []*mvccpb.Event) {
	defer p.progress(revision)
	for _, e := range events {
		name, ok := p.span.name(e.Kv.Key)
		switch {
		case !ok:
		case e.Type == mvccpb.Event_DELETE:
			delete(p.modified, name)
			p.watcher.Gone(name)
		default:
			p.modified[name] = e.Kv.ModRevision
			p.watcher.Put(name, e.Kv.Value)
		}
	}
}
