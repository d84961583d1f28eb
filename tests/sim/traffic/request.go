package traffic

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// Request is one request of a caller.
type Request struct {
	ID uint64
	At time.Duration
	// Place chooses the node, Split what a fixed split of the traffic would choose; both are draws of [0, 1).
	Place, Split float64
	Class        signal.Class
	// Size scales the service, First is the share of it after which a stream's first token comes.
	Size, First float64
	// Session is the caller's conversation; 0: none.
	Session uint64
	// Patience is after how long the caller leaves; 0: never.
	Patience time.Duration

	seed uint64
}

// Work returns what an attempt asks of its upstream.
func (r *Request) Work(attempt int) upstream.Work {
	draw := engine.Stream(r.seed, "work", r.ID<<4|uint64(attempt&15))
	return upstream.Work{Size: r.Size, First: r.First, Normal: draw.NormFloat64(), Fault: draw.Float64()}
}
