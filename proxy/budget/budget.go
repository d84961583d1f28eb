// Package budget bounds how many bytes a node holds at one time, of request bodies and of answers together.
//
// A Budget is safe for concurrent use.
package budget

import "sync/atomic"

// Budget is a number of bytes that can be taken and given back.
type Budget struct {
	limit int64
	taken atomic.Int64
}

// New returns a budget of that many bytes.
func New(limit int64) *Budget { return &Budget{limit: limit} }

// Take takes n bytes and reports whether there were so many.
func (b *Budget) Take(n int64) bool {
	if b.taken.Add(n) > b.limit {
		b.taken.Add(-n)
		return false
	}
	return true
}

// Give gives n bytes back that were taken.
func (b *Budget) Give(n int64) { b.taken.Add(-n) }

// Taken returns how many bytes are held now.
func (b *Budget) Taken() int64 { return b.taken.Load() }
