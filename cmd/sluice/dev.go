package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/sluice-gateway/sluice/cmd/dev"
)

func devCommand() *cobra.Command {
	cfg := dev.Config{Version: version()}
	level := slog.LevelWarn
	c := &cobra.Command{
		Use:   "dev",
		Short: "Run a whole Sluice in this process, with an embedded etcd and two demo upstreams.",
		Long: `Run a whole Sluice in this process: an embedded etcd, the admin service, one proxy node and two demo upstreams
of different speed. Resources for a first request are put when they are missing; those that are there stay as they are,
except that the demo providers follow --demo-fast-listen and --demo-slow-listen, and the demo api_key the caller key.

Environment:
  SLUICE_ADMIN_TOKEN  the admin token; otherwise one is made, printed, and kept in the data folder
  SLUICE_CALLER_KEY   the demo caller's key; otherwise likewise`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg.AdminToken, cfg.CallerKey = os.Getenv("SLUICE_ADMIN_TOKEN"), os.Getenv("SLUICE_CALLER_KEY")
			cfg.Out = c.OutOrStdout()
			cfg.Logger = slog.New(slog.NewTextHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
			context.AfterFunc(c.Context(), func() {
				fmt.Fprintln(c.ErrOrStderr(), "\nAnswers under way may finish; Ctrl-C again ends at once.")
			})
			return dev.Run(c.Context(), cfg)
		},
	}
	f := c.Flags()
	f.StringVar(&cfg.DataDir, "data-dir", ".data", "folder for the etcd, the generated secrets, and the keyset that seals secrets in the etcd")
	f.StringVar(&cfg.ProxyListen, "proxy-listen", "127.0.0.1:8080", "address of the OpenAI API")
	f.StringVar(&cfg.StatusListen, "status-listen", "127.0.0.1:9090", "address of the proxy's /status and /metrics")
	f.StringVar(&cfg.AdminListen, "admin-listen", "127.0.0.1:8081", "address of the admin API and its docs")
	f.StringVar(&cfg.DemoFastListen, "demo-fast-listen", "127.0.0.1:9101", "address of the quick demo upstream")
	f.StringVar(&cfg.DemoSlowListen, "demo-slow-listen", "127.0.0.1:9102", "address of the slow demo upstream")
	f.TextVar(&level, "log-level", level, "debug, info, warn or error")
	return c
}
