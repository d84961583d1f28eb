package control

import (
	"context"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/admin/fleet"
)

// poll is how often a fleet that catches up is looked at.
const poll = 250 * time.Millisecond

// Settled returns what Fleet does, as soon as no node lags, or as it is when patience ends. A node that drains may
// lag: it is going.
func (c *Client) Settled(ctx context.Context, cell string, patience time.Duration) ([]byte, fleet.Report, error) {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	over := time.After(patience)
	for {
		raw, report, err := c.Fleet(ctx, cell)
		if err != nil || !slices.ContainsFunc(report.Nodes, func(n fleet.Node) bool { return n.Lagging && !n.Draining }) {
			return raw, report, err
		}
		select {
		case <-tick.C:
		case <-over:
			return raw, report, nil
		case <-ctx.Done():
			return nil, report, ctx.Err()
		}
	}
}
