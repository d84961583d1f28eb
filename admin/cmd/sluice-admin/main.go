// Command sluice-admin serves the admin API of a Sluice gateway.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	_ "golang.org/x/crypto/x509roots/fallback" // TLS roots for images without any

	"github.com/sluice-gateway/sluice/admin"
	"github.com/sluice-gateway/sluice/store"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sluice-admin:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "health" {
		return health(ctx, args[1:], os.Getenv)
	}
	s, err := parse(args, os.Getenv)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: s.logLevel}))
	cfg, err := s.store(log)
	if err != nil {
		return err
	}
	st, err := store.Open(cfg)
	if err != nil {
		return err
	}
	defer st.Close()
	if err := examineSecrets(ctx, st, log); err != nil {
		return err
	}
	version := version()
	srv, err := admin.New(admin.Config{
		Store: st, AdminTokens: s.adminTokens, ViewerTokens: s.viewerTokens, Reach: s.reach, Version: version, Logger: log,
	})
	if err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	log.Info("serving the admin API", "address", l.Addr().String(), "version", version)
	return srv.Serve(ctx, l)
}

// buildVersion is set by the linker in release builds.
var buildVersion string

// version is what the linker was told, or that of the module as the go command recorded it.
func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
