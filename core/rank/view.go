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
	// Price returns what the request would cost with a target, in US dollars, for least_cost and scored. Nil: list prices.
	Price func(*core.Target) (usd float64, known bool)
	// NoProbe: the request is no sample, and claims no probe slot.
	NoProbe bool
	// Dry: the order is only looked at. No wheel turns and no probe slot is claimed; everything else is as it would be.
	Dry bool
	// Tokens is how many the request is estimated to take of a context window: its input and the output that it asks
	// for. A target that declares a smaller window is left out. Zero: not known.
	Tokens int
	// Quota returns what is left of a target's rate limits, as a share from 0 to 1 of the one that is used up most,
	// for scored. Nil: not known of any.
	Quota func(*core.Target) (remaining float64, known bool)
	// Spread returns percentiles of the fleet's recent latencies of a target in seconds, for scored. Nil: not known of any.
	Spread func(*core.Target) (p50, p90, p99 float64, known bool)
	// Throughput returns a target's recent output in tokens a second, once the first token is there, for scored. Nil: not
	// known of any.
	Throughput func(*core.Target) (perSecond float64, known bool)
	// Meaning returns how like the request's prompt is to the examples of a semantic group's members. It may be asked
	// several times for one group, and answers the same each time. Nil: no prompt was compared.
	Meaning func(*core.Group) Meaning
	// Trace, when not nil, is emptied and told why the order is as it is.
	Trace *Trace
}
