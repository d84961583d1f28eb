package embed

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/vector"
)

// Store keeps the vectors of examples for the whole fleet, by their keys. Values are opaque, of at most MaxStored
// bytes. Whatever two nodes put under one key is as good one way as the other, and a value that is lost costs one
// call. A failure is never more than that either, so there is no retry: a Store bounds the time it takes by itself.
type Store interface {
	// Get returns the values of the keys, at most MaxBatch of them, in their order, nil where there is none.
	Get(ctx context.Context, keys []Key) ([][]byte, error)
	// Put stores values, at most MaxBatch of them.
	Put(ctx context.Context, values map[Key][]byte) error
}

// MaxBatch is how many texts are sent in one call, and how many keys a Store is asked for at a time. It is the least
// of what well-known servers take; one that takes fewer still gets fewer.
const MaxBatch = 32

// MaxStored is the size in bytes of the largest value in a Store.
const MaxStored = 1 + 4*core.MaxDimensions

// layout is the first byte of a stored vector; behind it come its elements, float32, little-endian.
const layout = 1

var errStored = errors.New("not a stored vector")

// encode returns the vector as it is stored.
func encode(u vector.Unit) []byte {
	out := make([]byte, 1, 1+4*u.Dimension())
	out[0] = layout
	for _, v := range u.Values() {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// lengthError is how far a stored vector may be from length 1. The rest of damage is caught by the store.
const lengthError = 1e-3

// decodeStored returns the vector of a stored value, bit for bit; errStored if it is none.
func decodeStored(value []byte) (vector.Unit, error) {
	if len(value) < 5 || len(value) > MaxStored || len(value)%4 != 1 || value[0] != layout {
		return vector.Unit{}, errStored
	}
	values, square := make([]float32, 0, len(value)/4), 0.0
	for at := value[1:]; len(at) > 0; at = at[4:] {
		v := math.Float32frombits(binary.LittleEndian.Uint32(at))
		values, square = append(values, v), square+float64(v)*float64(v)
	}
	if !(math.Abs(square-1) < lengthError) { // written so that NaN is refused
		return vector.Unit{}, errStored
	}
	return vector.Normalise(values)
}
