package rank

import (
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// View is what a ranking looks at.
type View struct {
	Board *signal.Board
	// Class is the time by which least_latency ranks.
	Class signal.Class
	Now   time.Time
	// Owner reports whether this node holds the fleet's probe slot of a key. Nil: it holds every one.
	Owner func(signal.Key) bool
	// Lag is by how much at most this node hears late of what others have in flight.
	Lag time.Duration
	// Rand returns random bits, once at the most, for the draws of balanced and adaptive. Nil: math/rand/v2.
	Rand func() uint64
	// Need holds what a target must have.
	Need Need
	// Hash is what consistent_hash goes by, from Hash. Zero: the request has no key, and the targets take
	// turns by weight.
	Hash uint64
	// Session, from Hash, makes the draws of least_latency the same for one session on every node that has
	// the same estimates. Zero: none.
	Session uint64
	// Previous is the signal key of the target that served the session last. least_latency keeps it in front
	// of its tier while it is nearly as good as the best. Zero: none.
	Previous signal.Key
	// Price returns what the request would cost with a target, in US dollars, for least_cost. Nil: list prices.
	Price func(*core.Target) (usd float64, known bool)
	// Dry: the order is only looked at. No wheel turns and no probe slot is claimed; everything else is as it would be.
	Dry bool
	// Trace, when not nil, is emptied and told why the order is as it is.
	Trace *Trace
}
