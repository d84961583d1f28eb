package ask

import (
	"context"
	"time"

	"github.com/sluice-gateway/sluice/core/calibrate"
)

// calibrateLimit is below the two minutes after which neither the node nor this service may write an answer: the caller is to
// be told that the time has passed.
const calibrateLimit = 110 * time.Second

// Calibrate returns how well a semantic routing tells labelled prompts apart, by the node of that name or any. The
// errors are those of Explain.
func (n *Nodes) Calibrate(ctx context.Context, node string, q *calibrate.Question) (r calibrate.Result, err error) {
	ctx, cancel := context.WithTimeout(ctx, calibrateLimit)
	defer cancel()
	return r, n.any(ctx, node, "/calibrate", q, &r)
}
