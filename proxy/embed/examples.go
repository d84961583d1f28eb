package embed

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/core/vector"
)

// driftPause is how long an endpoint that has changed its dimension is not believed a second change: servers of two
// models behind one name would have their examples embedded over and over.
const driftPause = 10 * time.Minute

// ExamplesConfig is what Examples work with.
type ExamplesConfig struct {
	Embedder *Embedder
	// Store is the fleet's; nil: this node is on its own.
	Store Store
	// Keeps reports whether this node is the one of the fleet to embed the examples of an endpoint. The others wait a
	// while for what it puts into the Store. Nil: it is.
	Keeps  func(k signal.Key) bool
	Logger *slog.Logger
}

// Examples embeds the examples of the configuration in the background.
type Examples struct {
	cfg     ExamplesConfig
	changed chan struct{}

	mu      sync.Mutex
	wanted  []*Collection
	workers map[[sha256.Size]byte]*worker
	// known are the vectors of what is wanted, as far as they are there. Those of a collection that has its vectors
	// share their memory.
	known map[Key]vector.Unit
}

// NewExamples returns Examples that want nothing yet.
func NewExamples(c ExamplesConfig) *Examples {
	if c.Keeps == nil {
		c.Keeps = func(signal.Key) bool { return true }
	}
	return &Examples{cfg: c, changed: make(chan struct{}, 1), workers: map[[sha256.Size]byte]*worker{}, known: map[Key]vector.Unit{}}
}

// Want says which collections there are from now on. It does not wait: those of which every vector is known have
// them when it returns, the others get them from Run. What is not wanted any more is forgotten.
func (x *Examples) Want(collections []*Collection) {
	x.mu.Lock()
	before := map[[sha256.Size]byte]*vector.Set{}
	for _, c := range x.wanted {
		before[c.content] = c.vectors.Load()
	}
	known, used := map[Key]vector.Unit{}, map[[sha256.Size]byte]bool{}
	for _, c := range collections {
		used[c.endpoint.route] = true
		for key := range c.Keys {
			if u, ok := x.known[key]; ok {
				known[key] = u
			}
		}
	}
	x.wanted, x.known = collections, known
	for _, c := range collections {
		if set := before[c.content]; set != nil {
			c.vectors.CompareAndSwap(nil, set)
		}
		x.fillLocked(c)
	}
	x.mu.Unlock()
	x.cfg.Embedder.breakers.keep(used)
	select {
	case x.changed <- struct{}{}:
	default:
	}
}

// fillLocked gives a collection its vectors, if every one of them is known and of one dimension.
func (x *Examples) fillLocked(c *Collection) {
	if c.vectors.Load() != nil {
		return
	}
	set, err := c.build(x.known)
	if err != nil || set == nil {
		return
	}
	c.vectors.Store(set)
	for t, keys := range c.keys {
		for i, key := range keys {
			x.known[key] = set.Example(t, i)
		}
	}
}

// Run embeds until ctx ends, and waits for what it has begun.
func (x *Examples) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for {
		for _, w := range x.reconcile() {
			ctx, cancel := context.WithCancel(ctx)
			w.cancel = cancel
			running.Go(func() { w.run(ctx) })
		}
		select {
		case <-ctx.Done():
			return nil
		case <-x.changed:
		}
	}
}

// reconcile tells the workers what they are to have embedded, ends those of endpoints that are not wanted any more,
// and returns new ones.
func (x *Examples) reconcile() []*worker {
	x.mu.Lock()
	defer x.mu.Unlock()
	byRoute := map[[sha256.Size]byte][]*Collection{}
	for _, c := range x.wanted {
		byRoute[c.endpoint.route] = append(byRoute[c.endpoint.route], c)
	}
	for route, w := range x.workers {
		if byRoute[route] == nil {
			w.cancel()
			delete(x.workers, route)
		}
	}
	var begun []*worker
	for route, collections := range byRoute {
		w := x.workers[route]
		if w == nil {
			w = newWorker(x, collections[0].endpoint)
			x.workers[route] = w
			begun = append(begun, w)
		}
		w.giveLocked(collections)
	}
	return begun
}

// noticeDrift has the examples embedded anew if the endpoint gives vectors of another dimension than it did when
// they were. Until then there are no vectors, and nothing is sent that could not be compared with any.
func (x *Examples) noticeDrift(c *Collection, set *vector.Set, err error) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Cause != WrongDimension || e.Status != 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	w := x.workers[c.endpoint.route]
	if w == nil || c.vectors.Load() != set || !w.driftLocked(e.dimension, time.Now()) {
		return
	}
	x.cfg.Logger.Warn("embedding endpoint changed its dimension", "upstream", e.Upstream, "was", set.Dimension(), "is", e.dimension)
}

// State is how far a collection is, and how its endpoint fares.
type State struct {
	// Name is the collection's, Upstream the id of its provider.
	Name, Upstream string
	// Ready: the vectors are there, of so many dimensions.
	Ready     bool
	Dimension int
	// Texts counts the examples, Missing those without a vector.
	Texts, Missing int
	// Failure is why the last call for it failed; empty: it did not.
	Failure string
	// Alone: the endpoint has failed some times in a row, and no request waits for it.
	Alone bool
}

// States returns how far each wanted collection is.
func (x *Examples) States() []State {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := make([]State, 0, len(x.wanted))
	for _, c := range x.wanted {
		s := State{Name: c.name, Upstream: c.endpoint.settings.Upstream.ID, Alone: x.cfg.Embedder.breakers.alone(c.endpoint)}
		for key := range c.Keys {
			s.Texts++
			if _, ok := x.known[key]; !ok {
				s.Missing++
			}
		}
		if set := c.Vectors(); set != nil {
			s.Ready, s.Dimension, s.Missing = true, set.Dimension(), 0
		}
		if w := x.workers[c.endpoint.route]; w != nil && !s.Ready && w.failure != nil {
			s.Failure = w.failure.Error()
		}
		out = append(out, s)
	}
	return out
}
