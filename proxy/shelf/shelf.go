package shelf

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/store"
)

// Vectors is where the vectors stand; a *store.Store is one.
type Vectors interface {
	Vectors(ctx context.Context, keys []store.VectorKey) ([][]byte, error)
	PutVectors(ctx context.Context, values map[store.VectorKey][]byte) error
	StoredVectors(ctx context.Context) (map[store.VectorKey]int64, error)
	DropVectors(ctx context.Context, vectors map[store.VectorKey]int64) error
}

// Config is what a Shelf works with. All fields are required.
type Config struct {
	Vectors Vectors
	// Room reports whether etcd has room for what could be had again.
	Room func() bool
	// Keeps reports whether this node is the one of its cell to take away what is not needed any more.
	Keeps  func(k signal.Key) bool
	Logger *slog.Logger
}

// Shelf is the node's part of the fleet's vectors.
type Shelf struct {
	cfg Config

	mu     sync.Mutex
	needed map[store.VectorKey]bool
}

// New returns a Shelf of which nothing is needed.
func New(cfg Config) *Shelf { return &Shelf{cfg: cfg} }

// Need says which collections there are from now on.
func (s *Shelf) Need(collections []*embed.Collection) {
	needed := map[store.VectorKey]bool{}
	for _, c := range collections {
		for key := range c.Keys {
			needed[store.VectorKey(key)] = true
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.needed = needed
}

// Get returns the values of the keys in their order, nil where there is none.
func (s *Shelf) Get(ctx context.Context, keys []embed.Key) ([][]byte, error) {
	names := make([]store.VectorKey, len(keys))
	for i, key := range keys {
		names[i] = store.VectorKey(key)
	}
	return s.cfg.Vectors.Vectors(ctx, names)
}

var errNoRoom = errors.New("etcd is too full for the vectors of examples")

// Put stores values, unless etcd is filling up. One that is larger than the store takes is left out: each node has that
// text embedded by itself.
func (s *Shelf) Put(ctx context.Context, values map[embed.Key][]byte) error {
	if !s.cfg.Room() {
		return errNoRoom
	}
	fits := make(map[store.VectorKey][]byte, len(values))
	for key, value := range values {
		if len(value) <= store.MaxVector {
			fits[store.VectorKey(key)] = value
		}
	}
	if len(fits) < len(values) {
		s.cfg.Logger.Debug("vectors are too large to be shared", "vectors", len(values)-len(fits), "limit", store.MaxVector)
	}
	if len(fits) == 0 {
		return nil
	}
	return s.cfg.Vectors.PutVectors(ctx, fits)
}
