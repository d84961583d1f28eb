package doctor

import (
	"context"
	"errors"
	"net/http"

	"github.com/sluice-gateway/sluice/cmd/control"
)

func admin(ctx context.Context, c *control.Client) []Check {
	const name = "admin"
	version, err := c.Version(ctx)
	refused := new(control.Refusal)
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable:
		return []Check{
			fail(name, "see whether etcd has a leader and the service can reach it (--etcd checks that)", "%s is not ready: %v", c.Base(), err),
			skip("token", "the admin service is not ready"),
		}
	case err != nil:
		return []Check{
			fail(name, "start the service, or say with --admin where it is", "%s: %v", c.Base(), err),
			skip("token", "the admin service does not answer"),
		}
	}
	return []Check{ok(name, "%s is ready, version %s", c.Base(), version), token(ctx, c)}
}

func token(ctx context.Context, c *control.Client) Check {
	const name = "token"
	role, err := c.Role(ctx)
	refused := new(control.Refusal)
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized:
		return fail(name, "set SLUICE_ADMIN_TOKEN or SLUICE_VIEWER_TOKEN to a token that the service was started with", "the service does not know the token")
	case err != nil:
		return fail(name, "ask again; if it stays, look at the service's log", "%v", err)
	case role == control.RoleViewer:
		return ok(name, "viewer: may read")
	}
	return ok(name, "admin: may read and write")
}
