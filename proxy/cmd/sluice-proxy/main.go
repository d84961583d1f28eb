// Command sluice-proxy is one node of the data plane.
//
//	sluice-proxy [flags]        serve
//	sluice-proxy health [URL]   exit 0 if the node is ready, for container health checks
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
	"syscall"
	"time"

	_ "golang.org/x/crypto/x509roots/fallback" // TLS roots for images without any

	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/keyring"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "health" {
		os.Exit(health(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sluice-proxy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	s, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: s.logLevel}))
	st, err := openStore(s, logger)
	if err != nil {
		return err
	}
	defer st.Close()
	if err := checkKeys(ctx, st); err != nil {
		return err
	}
	api, err := net.Listen("tcp", s.listen)
	if err != nil {
		return err
	}
	status, err := net.Listen("tcp", s.statusListen)
	if err != nil {
		api.Close()
		return err
	}
	node := proxy.New(proxy.Config{
		Store: st, NodeID: s.node, Cell: s.cell, Version: version(), Drain: s.drain, Settle: s.settle, Reach: s.reach,
		MaxBody: s.maxBody, MaxBuffered: s.maxBuffered, MaxAnswer: int(s.maxAnswer), MaxEvent: int(s.maxEvent),
		FailedStatus: int(s.failedStatus), TreeAbove: int(s.treeAbove), EtcdQuota: s.etcdQuota, Decisions: decisions(s), Advertise: s.advertise, Logger: logger,
	})
	logger.Info("serving", "node", node.ID(), "api", api.Addr().String(), "status", status.Addr().String(), "etcd", s.etcd)
	return node.Run(ctx, api, status)
}

// decisions is what the node is told: there 0 stands for the default.
func decisions(s settings) int {
	if s.decisions == 0 {
		return -1
	}
	return int(s.decisions)
}

func openStore(s settings, logger *slog.Logger) (*store.Store, error) {
	cfg := store.Config{Endpoints: s.etcd, Prefix: s.prefix, Username: s.username, Password: s.password, Logger: logger}
	if s.keysetFile != "" {
		keys, err := keyring.Open(s.keysetFile, logger)
		if err != nil {
			return nil, err
		}
		cfg.Keys = keys
	}
	return store.Open(cfg)
}

// keysLimit bounds the look at how secrets are stored: a node starts without etcd as well.
const keysLimit = 2 * time.Second

// checkKeys ends a start that could serve no upstream that needs a credential.
func checkKeys(ctx context.Context, st *store.Store) error {
	ctx, cancel := context.WithTimeout(ctx, keysLimit)
	defer cancel()
	return st.CheckKeys(ctx)
}
