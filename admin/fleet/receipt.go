package fleet

import (
	"bytes"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

// receipt is the value that one node has published last, and since when this process knows it.
type receipt struct {
	value []byte
	at    time.Time
	peer  *signal.Peer // nil: not understood
	err   error
}

// receipts remembers the last values of each cell, for etcd does not tell how old a value is: the moment at which
// it was first seen here is the latest at which it can have been written. It holds no more than what was read last.
type receipts struct {
	mu    sync.Mutex
	cells map[string]map[string]receipt // by cell and node
}

// take returns the receipts of what a cell's nodes have published, now being the moment of the read.
func (r *receipts) take(cell string, records []store.NodeRecord, now time.Time) map[string]receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := make(map[string]receipt, len(records))
	for _, record := range records {
		known, ok := r.cells[cell][record.Node]
		if !ok || !bytes.Equal(known.value, record.Value) {
			known = receive(record.Value, now)
		}
		next[record.Node] = known
	}
	r.cells[cell] = next
	return next
}

func receive(value []byte, now time.Time) receipt {
	peer, err := signal.Decode(value, now)
	return receipt{value, now, peer, err}
}

// keep forgets the cells that no longer live.
func (r *receipts) keep(cells []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	live := make(map[string]bool, len(cells))
	for _, cell := range cells {
		live[cell] = true
	}
	for cell := range r.cells {
		if !live[cell] {
			delete(r.cells, cell)
		}
	}
}
