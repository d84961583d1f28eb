package store

import (
	"fmt"
	"log/slog"
	"testing"

	"go.etcd.io/etcd/api/v3/mvccpb"
)

// One change in a document of ten thousand resources, up to its publication.
func BenchmarkApplyOneChange(b *testing.B) {
	var kvs []*mvccpb.KeyValue
	for i := range 10_000 {
		kvs = append(kvs, stored(fmt.Sprint("m", i), "{}", 1))
	}
	d := &documentSink{keys: keys{"/p"}, log: slog.New(slog.DiscardHandler), watcher: Watcher{Publish: func(Image) {}}}
	d.load(listing{revision: 1, kvs: kvs}, true)
	b.ReportAllocs()
	for i := range b.N {
		d.apply(int64(i+2), []*mvccpb.Event{written("m5", "{}", int64(i+2))})
	}
}
