package store

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/sluice-gateway/sluice/store/keyring"
)

const (
	// DefaultPrefix is the root of all keys.
	DefaultPrefix = "/sluice"
	// DefaultDialTimeout bounds an attempt to connect, and a login: a member that is there answers in milliseconds, and 3 s leave the
	// caller's own deadline room for another member.
	DefaultDialTimeout = 3 * time.Second
	// DefaultCallTimeout bounds one call: longer than an election of etcd (1 to 2 s), shorter than the
	// patience of whoever waits for the answer.
	DefaultCallTimeout = 5 * time.Second

	// A silent connection is probed and then given up. 10 s is the least that gRPC allows; a watch probes
	// its own stream more often (timings.ask), and so does a lease.
	keepAliveTime    = 10 * time.Second
	keepAliveTimeout = 3 * time.Second

	// gRPC's own pauses between two attempts to connect grow to two minutes. An etcd that is back after a
	// long outage must be found in seconds.
	connectPause    = 100 * time.Millisecond
	connectPauseMax = 2 * time.Second
)

// Config says where etcd is and how to reach it. Only Endpoints is required.
type Config struct {
	Endpoints []string
	// Prefix is the root of all keys. Default DefaultPrefix.
	Prefix             string
	Username, Password string
	TLS                *tls.Config
	// DialTimeout bounds an attempt to connect, and a login. Default DefaultDialTimeout.
	DialTimeout time.Duration
	// CallTimeout bounds one call to etcd, a page of a long read included. Default DefaultCallTimeout.
	CallTimeout time.Duration
	// Keys seal the secrets of resources and open them; nil: what is sealed stays so. The store looks again at their
	// file by itself.
	Keys *keyring.Keyring
	// PlainSecrets lets secrets be written as they are given when there are no Keys. Without either they are refused.
	PlainSecrets bool
	Logger       *slog.Logger
}

// Store is the gateway's part of one etcd.
type Store struct {
	keys        keys
	vault       vault
	endpoints   []string
	tls         *tls.Config
	callTimeout time.Duration
	timings     timings
	log         *slog.Logger
	// Watches and leases have a connection of their own, so that a long read never delays them.
	calls, streams *link
	// updating holds one token: the writers of one process queue here instead of conflicting in etcd.
	updating chan struct{}
}

// Open returns a store without dialling: etcd may be away.
func Open(cfg Config) (*Store, error) {
	if len(cfg.Endpoints) == 0 {
		return nil, errors.New("open store: no etcd endpoints")
	}
	s := &Store{
		keys:        keys{strings.TrimRight(cmp.Or(cfg.Prefix, DefaultPrefix), "/")},
		vault:       vault{cfg.Keys, cfg.PlainSecrets},
		endpoints:   cfg.Endpoints,
		tls:         cfg.TLS,
		callTimeout: cmp.Or(cfg.CallTimeout, DefaultCallTimeout),
		timings:     defaultTimings(),
		log:         cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler)),
		calls:       newLink(clientConfig(cfg)),
		streams:     newLink(clientConfig(cfg)),
		updating:    make(chan struct{}, 1),
	}
	return s, nil
}

func clientConfig(cfg Config) clientv3.Config {
	dial := cmp.Or(cfg.DialTimeout, DefaultDialTimeout)
	connect := grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: connectPause, Multiplier: 1.6, Jitter: 0.2, MaxDelay: connectPauseMax},
		MinConnectTimeout: dial,
	}
	return clientv3.Config{
		Endpoints:            cfg.Endpoints,
		Username:             cfg.Username,
		Password:             cfg.Password,
		TLS:                  cfg.TLS,
		DialTimeout:          dial,
		DialKeepAliveTime:    keepAliveTime,
		DialKeepAliveTimeout: keepAliveTimeout,
		DialOptions:          []grpc.DialOption{grpc.WithConnectParams(connect)},
		Logger:               zap.NewNop(),
	}
}

// Endpoints returns where etcd is, as the store was told. The caller must not change the slice.
func (s *Store) Endpoints() []string { return s.endpoints }

// Close ends the connections. Calls that are under way fail, and a watch keeps failing until its context ends.
func (s *Store) Close() error {
	return errors.Join(s.calls.close(), s.streams.close())
}

// Ping makes one linearizable read: nil means that etcd has a leader and accepts the credentials.
func (s *Store) Ping(ctx context.Context) error {
	if _, err := s.get(ctx, s.keys.generation(), clientv3.WithCountOnly()); err != nil {
		return fmt.Errorf("ping etcd: %w", err)
	}
	return nil
}
