package embed

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/sluice-gateway/sluice/core/vector"
)

// Collection is the example texts of one routing and, once they are embedded, their vectors. Only the latter change.
type Collection struct {
	name     string
	endpoint *Endpoint
	texts    [][]string // by target
	keys     [][]Key    // as texts
	content  [sha256.Size]byte
	vectors  atomic.Pointer[vector.Set]
}

// NewCollection returns the collection of that name, which is for people. targets are the example texts of each
// target, which may have none. An empty text is an error.
func NewCollection(name string, e *Endpoint, targets [][]string) (*Collection, error) {
	c := &Collection{name: name, endpoint: e, texts: targets}
	parts := []string{string(e.route[:])}
	for t, texts := range targets {
		keys := make([]Key, len(texts))
		parts = append(parts, strconv.Itoa(len(texts)))
		for i, text := range texts {
			if text == "" {
				return nil, fmt.Errorf("example %d of target %d: %w", i, t, errEmpty)
			}
			keys[i] = e.Key(text)
			parts = append(parts, string(keys[i][:]))
		}
		c.keys = append(c.keys, keys)
	}
	c.content = digest(parts...)
	return c, nil
}

var errEmpty = errors.New("no text")

// Endpoint returns where the collection's texts are embedded.
func (c *Collection) Endpoint() *Endpoint { return c.endpoint }

// Vectors returns the vectors, targets and examples in the order of the texts; nil: they are not there yet.
func (c *Collection) Vectors() *vector.Set { return c.vectors.Load() }

// Keys yields the key of each text, in order. What a Store has under other keys than those of all collections is not
// needed any more.
func (c *Collection) Keys(yield func(Key) bool) {
	for key := range c.samples {
		if !yield(key) {
			return
		}
	}
}

// samples yields each key and its text.
func (c *Collection) samples(yield func(Key, string) bool) {
	for t, keys := range c.keys {
		for i, key := range keys {
			if !yield(key, c.texts[t][i]) {
				return
			}
		}
	}
}

// build makes the vectors of what is known, nil if that is not enough. The error is vector.ErrDimension.
func (c *Collection) build(known map[Key]vector.Unit) (*vector.Set, error) {
	targets := make([][]vector.Unit, len(c.keys))
	for t, keys := range c.keys {
		for _, key := range keys {
			u, ok := known[key]
			if !ok {
				return nil, nil
			}
			targets[t] = append(targets[t], u)
		}
	}
	return vector.NewSet(targets)
}
