package show

import (
	"fmt"

	"github.com/sluice-gateway/sluice/admin/fleet"
)

// Trouble says, a sentence each, why the fleet does not serve the configuration as it is stored; none: it does. A
// node that drains may lag: it is going.
func Trouble(r fleet.Report) (out []string) {
	if len(r.Nodes) == 0 {
		return []string{"no proxy node is live"}
	}
	lagging, rejecting := 0, 0
	for _, n := range r.Nodes {
		if n.Lagging && !n.Draining {
			lagging++
		}
		if len(n.Rejected) > 0 {
			rejecting++
		}
	}
	if lagging > 0 {
		out = append(out, fmt.Sprintf("%d of %s lag behind revision %d", lagging, count(len(r.Nodes), "node"), r.Revision))
	}
	if rejecting > 0 {
		out = append(out, fmt.Sprintf("%d of %s reject resources", rejecting, count(len(r.Nodes), "node")))
	}
	return out
}
