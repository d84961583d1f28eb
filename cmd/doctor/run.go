package doctor

import (
	"context"
	"time"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/cmd/control"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// Config says what to examine.
type Config struct {
	Admin *control.Client
	// Store is the gateway's etcd; nil: it is not asked.
	Store *store.Store
	// Proxies are the addresses of status listeners.
	Proxies []string
	// Patience is how long nodes may take to catch up with the last change.
	Patience time.Duration
}

// Run makes all checks, one after the other.
func Run(ctx context.Context, cfg Config) []Check {
	checks := admin(ctx, cfg.Admin)
	found, reached := etcd(ctx, cfg.Store)
	checks = append(checks, found...)
	report, err := cfg.report(ctx, reached)
	if err != nil {
		checks = append(checks, skip("fleet", "the nodes could not be read: "+err.Error()))
	} else {
		checks = append(checks, nodes(report, time.Now())...)
	}
	for _, p := range cfg.Proxies {
		checks = append(checks, proxy(ctx, p, report))
	}
	return checks
}

// report comes from the admin service, and without one from etcd itself if that is reached.
func (cfg Config) report(ctx context.Context, reached bool) (fleet.Report, error) {
	_, report, err := cfg.Admin.Settled(ctx, "", cfg.Patience)
	if err != nil && reached {
		return fleet.New(cfg.Store, core.Reach{}).Report(ctx, "", time.Now())
	}
	return report, err
}
