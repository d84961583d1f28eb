package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// MaxVectors is how many vectors the store holds, about: nodes that write at the same moment may each add one call's
	// worth to it.
	MaxVectors = 8 << 10
	// MaxVector is the size of the largest in bytes: 4,096 dimensions of float32 and a head. As many as there may be take
	// about a sixteenth of etcd's default quota.
	MaxVector = 16<<10 + 64

	// vectorBatch is how many vectors go into one transaction: half of what etcd allows, and well below its bytes.
	vectorBatch = 64
)

// VectorKey names the vector of one example text; what it is the hash of is its writer's affair.
type VectorKey [sha256.Size]byte

// Vectors returns the values of vectors in the order of their keys, nil where there is none.
func (s *Store) Vectors(ctx context.Context, keys []VectorKey) ([][]byte, error) {
	out := make([][]byte, 0, len(keys))
	for batch := range slices.Chunk(keys, vectorBatch) {
		values, err := s.readVectors(ctx, batch)
		if err != nil {
			return nil, fmt.Errorf("read vectors: %w", err)
		}
		out = append(out, values...)
	}
	return out, nil
}

func (s *Store) readVectors(ctx context.Context, keys []VectorKey) ([][]byte, error) {
	ops := make([]clientv3.Op, len(keys))
	for i, key := range keys {
		ops[i] = clientv3.OpGet(s.keys.vector(key))
	}
	callCtx, cancel := context.WithTimeout(ctx, s.callTimeout)
	defer cancel()
	client, err := s.calls.get(callCtx)
	if err != nil {
		return nil, readError(ctx, err)
	}
	resp, err := client.Txn(callCtx).Then(ops...).Commit()
	if err != nil {
		return nil, readError(ctx, err)
	}
	out := make([][]byte, len(keys))
	for i, r := range resp.Responses {
		for _, kv := range r.GetResponseRange().Kvs {
			out[i] = kv.Value
		}
	}
	return out, nil
}

// PutVectors stores vectors. They are neither secret nor part of the document: no watch of that sees them. ErrTooLarge:
// one is larger than MaxVector. ErrFull: with these there would be more than MaxVectors. Nothing is written then; after
// any other error some may have been.
func (s *Store) PutVectors(ctx context.Context, values map[VectorKey][]byte) error {
	var ops []clientv3.Op
	for key, value := range values {
		if len(value) > MaxVector {
			return fmt.Errorf("put vectors: %w: %d bytes, the limit is %d", ErrTooLarge, len(value), MaxVector)
		}
		ops = append(ops, clientv3.OpPut(s.keys.vector(key), string(value)))
	}
	r := s.keys.vectors()
	have, err := s.get(ctx, r.start, clientv3.WithRange(r.end), clientv3.WithCountOnly())
	if err != nil {
		return fmt.Errorf("put vectors: %w", err)
	}
	if have.Count+int64(len(ops)) > MaxVectors {
		return fmt.Errorf("put vectors: %w", ErrFull)
	}
	for batch := range slices.Chunk(ops, vectorBatch) {
		if _, err := s.write(ctx, s.calls, nil, batch); err != nil {
			return fmt.Errorf("put vectors: %w", err)
		}
	}
	return nil
}

// StoredVectors returns the key of every vector, with the revision at which it was put last.
func (s *Store) StoredVectors(ctx context.Context) (map[VectorKey]int64, error) {
	r := s.keys.vectors()
	l, err := s.list(ctx, r, clientv3.WithKeysOnly())
	if err != nil {
		return nil, fmt.Errorf("list vectors: %w", err)
	}
	out := make(map[VectorKey]int64, len(l.kvs))
	for _, kv := range l.kvs {
		if key, ok := r.vectorKey(kv.Key); ok {
			out[key] = kv.ModRevision
		}
	}
	return out, nil
}

// DropVectors deletes vectors, each unless it was put again after the revision that StoredVectors gave for it.
func (s *Store) DropVectors(ctx context.Context, vectors map[VectorKey]int64) error {
	var ops []clientv3.Op
	for key, revision := range vectors {
		name := s.keys.vector(key)
		unchanged := []clientv3.Cmp{clientv3.Compare(clientv3.ModRevision(name), "=", revision)}
		ops = append(ops, clientv3.OpTxn(unchanged, []clientv3.Op{clientv3.OpDelete(name)}, nil))
	}
	for batch := range slices.Chunk(ops, vectorBatch) {
		if _, err := s.write(ctx, s.calls, nil, batch); err != nil {
			return fmt.Errorf("drop vectors: %w", err)
		}
	}
	return nil
}
