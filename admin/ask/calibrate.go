package ask

import (
	"context"
	"time"

	"github.com/sluice-gateway/sluice/core/calibrate"
)

// calibrateLimit is what a node takes at most for a calibration.
const calibrateLimit = 2 * time.Minute

// Calibrate returns how well a semantic routing tells labelled prompts apart, by the node of that name or any. The
// errors are those of Explain.
func (n *Nodes) Calibrate(ctx context.Context, node string, q *calibrate.Question) (r calibrate.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, calibrateLimit)
	defer cancel()
	return r, n.any(ctx, node, "/calibrate", q, &r)
}
