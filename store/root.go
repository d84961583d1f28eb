package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/core"
)

// Root is what a cell's aggregator says of all the cell's members at once.
type Root struct {
	// Processed is the revision up to which every member's value is in it.
	Processed int64
	Value     []byte
}

// processedSize is what stands before a root's value: the processed revision with its high bytes first, so that
// etcd compares two roots by it.
const processedSize = 8

func (r Root) processed() string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(r.Processed)))
}

func parseRoot(value []byte) (Root, bool) {
	if len(value) < processedSize {
		return Root{}, false
	}
	return Root{Processed: int64(binary.BigEndian.Uint64(value)), Value: value[processedSize:]}, true
}

// Claim makes this node the aggregator of its cell and reports whether it is: it is not while another one is. The
// claim is under the node's lease. Two nodes that both believe to be the aggregator do no harm, see PutRoot.
func (m *Member) Claim(ctx context.Context) (bool, error) {
	g := m.granted()
	if g == nil {
		return false, fmt.Errorf("claim cell: %w", ErrNoLease)
	}
	key := m.store.keys.aggregator(m.cfg.Cell)
	free := []clientv3.Cmp{clientv3.Compare(clientv3.CreateRevision(key), "=", 0)}
	claim := clientv3.OpPut(key, m.cfg.Node, clientv3.WithLease(g.id))
	resp, err := m.store.write(ctx, m.store.streams, nil, []clientv3.Op{
		clientv3.OpTxn(free, []clientv3.Op{claim}, nil), clientv3.OpGet(key),
	})
	if err != nil {
		return false, fmt.Errorf("claim cell: %w", m.lost(g, err))
	}
	held := resp.Responses[1].GetResponseRange().Kvs
	won := len(held) == 1 && clientv3.LeaseID(held[0].Lease) == g.id
	if won {
		m.setClaim(g)
	}
	return won, nil
}

// lost ends the lease here when etcd no longer knows it, and returns err.
func (m *Member) lost(g *grant, err error) error {
	if errors.Is(err, ErrNoLease) {
		g.abandon()
	}
	return err
}

func (m *Member) setClaim(g *grant) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.claim = g
}

func (m *Member) claimed() *grant {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.claim
}

// PutRoot writes the cell's root, and the names of its live members unless that is nil, and reports whether it
// did: a root that has processed as much or more stays, whoever wrote it. Both keys go with the lease under which
// the cell was claimed. ErrNoLease says that the claim is lost.
func (m *Member) PutRoot(ctx context.Context, r Root, live []string) (bool, error) {
	g := m.claimed()
	if g == nil {
		return false, fmt.Errorf("put root: %w", ErrNoLease)
	}
	key := m.store.keys.root(m.cfg.Cell)
	var puts []clientv3.Op
	if live != nil { // first, for a watch brings the keys of a transaction in this order
		puts = append(puts, clientv3.OpPut(m.store.keys.live(m.cfg.Cell), strings.Join(live, "\n"), clientv3.WithLease(g.id)))
	}
	puts = append(puts, clientv3.OpPut(key, r.processed()+string(r.Value), clientv3.WithLease(g.id)))
	absent := []clientv3.Cmp{clientv3.Compare(clientv3.CreateRevision(key), "=", 0)}
	older := []clientv3.Cmp{clientv3.Compare(clientv3.Value(key), "<", r.processed())}
	ifOlder := clientv3.OpTxn(older, puts, nil)
	resp, err := m.store.write(ctx, m.store.streams, nil, []clientv3.Op{clientv3.OpTxn(absent, puts, []clientv3.Op{ifOlder})})
	if err != nil {
		return false, fmt.Errorf("put root: %w", m.lost(g, err))
	}
	first := resp.Responses[0].GetResponseTxn()
	return first.Succeeded || first.Responses[0].GetResponseTxn().Succeeded, nil
}

// Resign gives the claim up and deletes the cell's root, for a cell that is small enough to do without.
func (m *Member) Resign(ctx context.Context) error {
	g := m.claimed()
	if g == nil {
		return nil
	}
	m.setClaim(nil)
	k, cell := m.store.keys, m.cfg.Cell
	ops := []clientv3.Op{deleteOwn(k.aggregator(cell), g), deleteOwn(k.live(cell), g), deleteOwn(k.root(cell), g)}
	if _, err := m.store.write(ctx, m.store.streams, nil, ops); err != nil {
		return fmt.Errorf("resign: %w", m.lost(g, err))
	}
	return nil
}

// liveNames reads what PutRoot wrote of the live members; what is no name is left out.
func liveNames(value []byte) []string {
	var out []string
	for name := range strings.SplitSeq(string(value), "\n") {
		if core.CheckID(name) == nil {
			out = append(out, name)
		}
	}
	return out
}
