package dev

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/sluice-gateway/sluice/admin"
	"github.com/sluice-gateway/sluice/cmd/demo"
	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

// readyLimit bounds the time from the start of the parts to the first request that can be served.
const readyLimit = 20 * time.Second

// Run serves until ctx ends, then lets the answers under way come to their end.
func Run(ctx context.Context, cfg Config) error {
	began := time.Now()
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return err
	}
	locked, err := lock(cfg.DataDir)
	if err != nil {
		return err
	}
	defer locked.Close()
	l, err := listen(cfg)
	if err != nil {
		return err
	}
	defer l.close()
	s, err := loadSecrets(cfg)
	if err != nil {
		return err
	}
	etcd, err := embedded.Start(embedded.Config{Dir: filepath.Join(cfg.DataDir, "etcd"), Logger: etcdLogger(ctx, cfg.Logger)})
	if err != nil {
		return err
	}
	defer etcd.Close()
	cfg.etcd = etcd.Endpoints()[0]
	keys, err := loadKeys(cfg)
	if err != nil {
		return err
	}
	st, err := store.Open(store.Config{Endpoints: etcd.Endpoints(), Keys: keys, Logger: cfg.Logger})
	if err != nil {
		return err
	}
	defer st.Close()
	return serve(ctx, cfg, l, s, st, began)
}

// etcdLogger returns nil, which is silence, unless everything is to be logged: etcd reports errors at each regular
// start and end, and what really fails is reported by those who need it.
func etcdLogger(ctx context.Context, l *slog.Logger) *slog.Logger {
	if l != nil && l.Enabled(ctx, slog.LevelDebug) {
		return l
	}
	return nil
}

// serve runs the parts, seeds them and says so.
func serve(ctx context.Context, cfg Config, l listeners, s secrets, st *store.Store, began time.Time) error {
	control, err := admin.New(admin.Config{Store: st, AdminTokens: []string{s.admin.value}, Version: cfg.Version, Logger: cfg.Logger})
	if err != nil {
		return err
	}
	node := proxy.New(proxy.Config{Store: st, Version: cfg.Version, Logger: cfg.Logger})
	parts, whole := newStack(ctx)
	parts.start(ctx, fastName, upstream(l.fast, demo.Config{Name: fastName, FirstToken: fastFirstToken, PerToken: fastPerToken}))
	parts.start(ctx, slowName, upstream(l.slow, demo.Config{Name: slowName, FirstToken: slowFirstToken, PerToken: slowPerToken}))
	parts.start(ctx, "admin", func(ctx context.Context) error { return control.Serve(ctx, l.admin) })
	parts.start(ctx, "proxy", func(ctx context.Context) error { return node.Run(ctx, l.proxy, l.status) })
	err = open(whole, cfg, l, s, began)
	if err == nil {
		<-whole.Done()
	}
	if whole.Err() != nil {
		err = nil // asked to end, or a part has ended: stop says which and why
	}
	return errors.Join(err, parts.stop())
}

func upstream(l net.Listener, cfg demo.Config) func(context.Context) error {
	return func(ctx context.Context) error { return demo.New(cfg).Serve(ctx, l) }
}

// open seeds the resources, waits until the node serves them and prints what can be done now.
func open(ctx context.Context, cfg Config, l listeners, s secrets, began time.Time) error {
	limited, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	revision, err := newSeeder(url(l.admin), s.admin.value).seed(limited, resources(url(l.fast), url(l.slow), s.caller.value))
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	if err := awaitServing(limited, url(l.status)+"/status", revision); err != nil {
		return err
	}
	return announce(cfg, l, s, time.Since(began))
}
