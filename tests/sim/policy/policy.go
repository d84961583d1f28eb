package policy

import (
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
)

// Policy orders the targets of a request.
type Policy interface {
	// Order appends the group's targets to dst in the order in which the node tries them.
	Order(dst []rank.Choice, n *fleet.Node, g *core.Group, r *traffic.Request) []rank.Choice
	// Begin and End frame each attempt of the node at a target.
	Begin(n *fleet.Node, t *core.Target)
	End(n *fleet.Node, t *core.Target, o Outcome)
	// Answered tells which target has answered a request.
	Answered(n *fleet.Node, t *core.Target, r *traffic.Request)
}

// Outcome is how an attempt ended.
type Outcome struct {
	Failed bool
	// Left: the caller left before the end; nothing was measured.
	Left bool
	// Latency is the time by which the request's class is ranked, in seconds; of a failure it is how long it took.
	Latency float64
	Now     time.Duration
}

// Index returns the place of a target among those of its scenario, whose keys count from 1. A target that is
// edited so that it has another key is another one.
func Index(t *core.Target) int { return int(t.Signal) - 1 }

// passive is a policy that learns nothing from attempts.
type passive struct{}

func (passive) Begin(*fleet.Node, *core.Target)                      {}
func (passive) End(*fleet.Node, *core.Target, Outcome)               {}
func (passive) Answered(*fleet.Node, *core.Target, *traffic.Request) {}
