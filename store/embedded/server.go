package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"golang.org/x/crypto/bcrypt"
	"google.golang.org/grpc"
)

const (
	// A member alone elects itself after one election timeout: there is nobody whose heartbeat could be late.
	heartbeat = 10 * time.Millisecond
	election  = 100 * time.Millisecond

	// startTimeout bounds the start: opening a large database takes seconds.
	startTimeout = 30 * time.Second

	// compaction keeps five minutes of history: enough for any watch to resume, and little enough that
	// nodes which write their signals every second do not fill the database.
	compaction = "5m"
)

// Config says where the member keeps its data. Only Dir is required.
type Config struct {
	// Dir holds the data and is created if missing. A server started on the same Dir continues it.
	Dir string
	// Listen is the loopback address for clients. Default "127.0.0.1:0": any free port.
	Listen string
	// Token tells one new cluster from another: servers of different tokens have different cluster ids.
	Token string
	// QuotaBytes bounds the database. Default: etcd's, 2 GiB.
	QuotaBytes int64
	// UnsafeNoFsync never waits for the disk, and hashes passwords weakly. A crash of the machine loses
	// data: for tests only.
	UnsafeNoFsync bool
	Logger        *slog.Logger
}

// Server is a running etcd member.
type Server struct {
	etcd     *embed.Etcd
	endpoint string
	streams  streams
	once     sync.Once
}

// Start runs a member and returns when it accepts requests.
func Start(cfg Config) (*Server, error) {
	conf, err := settings(cfg)
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	open := streams{closing: make(chan struct{})}
	conf.GRPCAdditionalServerOptions = []grpc.ServerOption{open.option()}
	etcd, err := embed.StartEtcd(conf)
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	s := &Server{etcd: etcd, endpoint: "http://" + etcd.Clients[0].Addr().String(), streams: open}
	late := time.NewTimer(startTimeout)
	defer late.Stop()
	select {
	case <-etcd.Server.ReadyNotify():
		return s, nil
	case err = <-etcd.Err():
	case <-etcd.Server.StopNotify():
		err = errors.New("the server stopped")
	case <-late.C:
		err = fmt.Errorf("not ready after %s", startTimeout)
	}
	s.Close()
	return nil, fmt.Errorf("start etcd: %w", err)
}

func settings(cfg Config) (*embed.Config, error) {
	if cfg.Dir == "" {
		return nil, errors.New("no data folder")
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, err
	}
	conf := embed.NewConfig()
	conf.Name = "sluice"
	conf.Dir = cfg.Dir
	// The one member is its own only peer: it never dials, so its peer port need not be known.
	peer, client := loopback("127.0.0.1:0"), loopback(cmp.Or(cfg.Listen, "127.0.0.1:0"))
	conf.ListenPeerUrls, conf.AdvertisePeerUrls = peer, peer
	conf.ListenClientUrls, conf.AdvertiseClientUrls = client, client
	conf.InitialCluster = conf.InitialClusterFromName(conf.Name)
	conf.InitialClusterToken = cmp.Or(cfg.Token, "sluice")
	conf.TickMs, conf.ElectionMs = uint(heartbeat.Milliseconds()), uint(election.Milliseconds())
	conf.AutoCompactionMode, conf.AutoCompactionRetention = embed.CompactorModePeriodic, compaction
	conf.QuotaBackendBytes = cfg.QuotaBytes
	if cfg.UnsafeNoFsync {
		conf.UnsafeNoFsync, conf.BcryptCost = true, uint(bcrypt.MinCost)
	}
	conf.EnableGRPCGateway = false
	conf.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zapLogger(cfg.Logger))
	return conf, nil
}

func loopback(address string) []url.URL { return []url.URL{{Scheme: "http", Host: address}} }

// Endpoints returns where clients reach the member.
func (s *Server) Endpoints() []string { return []string{s.endpoint} }

// Close stops the member and waits until it has. Its data stay in Dir. Closing again does nothing.
func (s *Server) Close() {
	s.once.Do(func() {
		close(s.streams.closing)
		s.etcd.Close()
	})
}

// EndLeases revokes every lease, as an etcd may do to all of its clients after trouble of its own (etcd#15247).
func (s *Server) EndLeases(ctx context.Context) error {
	list, err := s.etcd.Server.LeaseLeases(ctx, &pb.LeaseLeasesRequest{})
	if err != nil {
		return fmt.Errorf("end leases: %w", err)
	}
	for _, l := range list.Leases {
		if _, err := s.etcd.Server.LeaseRevoke(ctx, &pb.LeaseRevokeRequest{ID: l.ID}); err != nil {
			return fmt.Errorf("end leases: %w", err)
		}
	}
	return nil
}
