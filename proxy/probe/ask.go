package probe

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
)

// drain is how much of an answer is read to get its connection back.
const drain = 256 << 10

// ask sends one check. A status below 500 shows that the upstream is there; 401, 403 and 429 show that it
// would not serve us all the same.
func (p *Prober) ask(ctx context.Context, target *core.Target) error {
	ctx, cancel := context.WithTimeout(ctx, target.Health.Timeout)
	defer cancel()
	req := endpoint.Dialect(target.Upstream.Kind).NewCheck(ctx, target, target.Health.Path, p.cfg.UserAgent)
	resp, err := p.cfg.Transport(target.Upstream).RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, drain)
	switch status := resp.StatusCode; {
	case status >= 500, status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests:
		return fmt.Errorf("health check answered %d", status)
	}
	return nil
}
