package rank

import (
	"sync"

	"github.com/sluice-gateway/sluice/core"
)

// Choice is one target in the order of trial.
type Choice struct {
	Target *core.Target
	// Probe: the target stands here only for this one request, so that it gets a sample. The request holds its
	// probe slot and returns it with Board.Release exactly once: after the outcome of its attempt is recorded,
	// or as soon as it can no longer come to that attempt. At most one choice of an order is a probe.
	Probe bool
}

// Ranker orders targets.
type Ranker struct {
	scratch sync.Pool // of *ordering
	mu      sync.RWMutex
	wheels  map[wheelKey]*wheel
}

// NewRanker returns a ranker whose wheels all stand at their start.
func NewRanker() *Ranker {
	return &Ranker{wheels: map[wheelKey]*wheel{}}
}

// Order appends the targets of g that meet the view's Need to dst, each at most once. Tiers of higher priority
// come first and the group's strategy orders within a tier; members of weight 0 come after all others. A nested
// group stands in its member's place, ordered by its own strategy.
func (r *Ranker) Order(dst []Choice, g *core.Group, v View) []Choice {
	o, ok := r.scratch.Get().(*ordering)
	if !ok {
		o = new(ordering)
	}
	o.ranker, o.view, o.dst, o.start, o.nested = r, v, dst, len(dst), g.Depth > 1
	o.filter = filterFor(g, &o.view)
	o.begin(g)
	o.group(g, 0)
	o.finish()
	dst = o.dst
	o.reset()
	r.scratch.Put(o)
	return dst
}

// Forget drops the wheels of every group that keep does not hold.
func (r *Ranker) Forget(keep func(group string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k := range r.wheels {
		if !keep(k.group) {
			delete(r.wheels, k)
		}
	}
}
