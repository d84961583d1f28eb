package httpapi

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/admin/catalog"
	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
)

const (
	// maxWait ends below the idle limit of a minute that load balancers usually have.
	maxWait = 60 * time.Second
	// maxNamed keeps the list of nodes below the 8 KiB that proxies take for a header; /fleet has them all.
	maxNamed = 50
)

// waiting is the ?wait= of a write; the zero value does not wait.
type waiting struct {
	asked bool
	limit time.Duration
}

func parseWait(q url.Values) (waiting, error) {
	if !q.Has("wait") {
		return waiting{}, nil
	}
	d, err := time.ParseDuration(q.Get("wait"))
	if err != nil || d <= 0 || d > maxWait {
		return waiting{}, badRequest("", "wait", `wait must be a duration above 0 and of at most `+maxWait.String()+`, such as "5s"`)
	}
	return waiting{true, d}, nil
}

// announce tells in the answer's headers which revision holds the write and, if the writer waits, which
// live nodes do not serve it. A zero ref stands for a deletion.
func (a *API) announce(c echo.Context, done catalog.Written, written core.Ref, w waiting) {
	h := c.Response().Header()
	h.Set("X-Sluice-Revision", strconv.FormatInt(done.Revision, 10))
	if !w.asked {
		return
	}
	o := a.wait(c.Request().Context(), done.Revision, written, w.limit)
	if o.Known {
		h.Set("X-Sluice-Nodes", strconv.Itoa(o.Nodes))
	}
	if o.Complete() {
		h.Set("X-Sluice-Wait", "complete")
		return
	}
	h.Set("X-Sluice-Wait", "incomplete")
	if len(o.Missing) > 0 {
		h.Set("X-Sluice-Waiting-For", strings.Join(o.Missing[:min(len(o.Missing), maxNamed)], ","))
	}
}

// wait ends with the caller, after the limit, or when the service stops.
func (a *API) wait(ctx context.Context, revision int64, written core.Ref, limit time.Duration) fleet.Outcome {
	ctx, cancel := context.WithTimeout(ctx, limit)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-a.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	defer func() { cancel(); <-ended }()
	return a.fleet.Wait(ctx, revision, written)
}
