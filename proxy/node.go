package proxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"golang.org/x/sync/errgroup"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/budget"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/inspect"
	"github.com/sluice-gateway/sluice/proxy/journal"
	"github.com/sluice-gateway/sluice/proxy/live"
	"github.com/sluice-gateway/sluice/proxy/metrics"
	"github.com/sluice-gateway/sluice/proxy/probe"
	"github.com/sluice-gateway/sluice/proxy/serve"
	"github.com/sluice-gateway/sluice/proxy/share"
	"github.com/sluice-gateway/sluice/proxy/shelf"
	"github.com/sluice-gateway/sluice/proxy/sse"
	"github.com/sluice-gateway/sluice/proxy/status"
	"github.com/sluice-gateway/sluice/store"
)

// Defaults of a node.
const (
	DefaultCell  = "default"
	DefaultDrain = 30 * time.Second
	// DefaultMaxBody leaves room for a dozen images in one request.
	DefaultMaxBody = 32 << 20
	// DefaultMaxBuffered bounds all request bodies and whole answers held at one time.
	DefaultMaxBuffered = 1 << 30
	// DefaultMaxAnswer bounds an answer that is not a stream.
	DefaultMaxAnswer = 32 << 20
	// DefaultMaxEvent bounds one event of a stream: a 10 MiB image as base64 fits.
	DefaultMaxEvent = sse.DefaultMax
)

// Config is what a Node is made of. Zero fields take the defaults above.
type Config struct {
	Store *store.Store
	// NodeID names the node in the fleet; it must be new with every start. Empty: random.
	NodeID string
	// Cell is the part of the fleet that shares signals.
	Cell string
	// TreeAbove is above how many nodes one of them aggregates the cell's signals, EtcdQuota how many bytes etcd may
	// hold where it does not tell that itself. Zero: as package share has them.
	TreeAbove int
	EtcdQuota int64
	Version   string
	// Env resolves "${env:NAME}" secrets; nil: the process's environment.
	Env core.Env
	// Reach says which upstreams are allowed.
	Reach core.Reach
	// Drain bounds how long answers under way may take to finish once Run's context has ended.
	Drain time.Duration
	// Settle is how long a draining node still accepts connections, so that load balancers notice.
	Settle time.Duration
	// FailedStatus is answered instead of 502 and 504; 0: as they are.
	FailedStatus int
	// MaxBody bounds a request body, MaxBuffered all bodies and whole answers held at one time, MaxAnswer a whole
	// answer, and MaxEvent one event of a stream. All are in bytes.
	MaxBody, MaxBuffered int64
	MaxAnswer, MaxEvent  int
	// Advertise is where the control plane reaches the status listener, host:port. Empty: the listener's address, with
	// the one from which this node reaches etcd where it listens on all.
	Advertise string
	// Decisions is how many of the latest requests' decisions are remembered; negative: none.
	Decisions int
	Logger    *slog.Logger

	// dial connects to upstreams; nil: as Reach allows.
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Node is one proxy.
type Node struct {
	cfg      Config
	started  time.Time
	logger   *slog.Logger
	board    *signal.Board
	ranker   *rank.Ranker
	cooling  *cooldown.Table
	holder   *live.Holder
	sharer   *share.Sharer
	pools    *dispatch.Pools
	prober   *probe.Prober
	embedder *embed.Embedder
	examples *embed.Examples
	shelf    *shelf.Shelf
	metrics  *metrics.Metrics
	edge     *serve.Edge
	streams  *serve.Streams
	journal  *journal.Journal
	inspect  *inspect.Handler
	address  atomic.Pointer[string] // of the status listener, for the control plane; nil: not serving yet
	registry *prometheus.Registry

	health   atomic.Pointer[string] // why the store is not reached; nil: it is
	draining atomic.Bool
	serving  atomic.Pointer[time.Time] // since when there is a snapshot
}

// New returns a Node; nothing happens before Run.
func New(cfg Config) *Node {
	cfg.withDefaults()
	n := &Node{
		cfg:      cfg,
		started:  time.Now(),
		logger:   cfg.Logger.With("node", cfg.NodeID),
		board:    signal.NewBoard(),
		ranker:   rank.NewRanker(),
		registry: prometheus.NewRegistry(),
		pools:    dispatch.NewPools(cfg.dial),
		streams:  serve.NewStreams(serve.Silence, idleLimit),
		journal:  journal.New(cfg.NodeID, max(cfg.Decisions, 0)),
	}
	waiting := "not connected yet"
	n.health.Store(&waiting)
	n.cooling = cooldown.New(n.board)
	n.holder = live.New(core.Site{Env: cfg.Env, Reach: cfg.Reach}, n.logger, n.prepare, n.changed)
	token := rand.Text()
	n.sharer = share.New(share.Config{
		Node: cfg.NodeID, Cell: cfg.Cell, Token: token, TreeAbove: cfg.TreeAbove, Quota: cfg.EtcdQuota, Logger: n.logger,
	}, cfg.Store, n.board)
	userAgent := "sluice/" + cmp.Or(cfg.Version, "dev")
	n.prober = probe.New(probe.Config{
		Targets: n.targets, Owns: n.sharer.Keeps, Transport: n.pools.Transport, Wards: n.cooling, Changed: n.sharer.Urgent,
		UserAgent: userAgent, Logger: n.logger,
	})
	n.metrics = metrics.New(n.registry)
	n.embeds(userAgent)
	n.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), metrics.NewCollector(n.reading))
	held := budget.New(cfg.MaxBuffered)
	dispatcher := dispatch.New(dispatch.Config{
		Board: n.board, Ranker: n.ranker, Cooldowns: n.cooling, Transport: n.pools.Transport, Examples: n.examples, Owner: n.sharer.Owns, Lag: n.sharer.Lag,
		Cooled: n.sharer.Urgent, Observer: n.metrics, Journal: n.journal, Logger: n.logger, UserAgent: userAgent, Budget: held, FailedStatus: cfg.FailedStatus, MaxAnswer: cfg.MaxAnswer, MaxEvent: cfg.MaxEvent,
	})
	n.edge = serve.New(serve.Config{
		State: n.holder.Load, Observer: n.metrics, Logger: n.logger, MaxBody: cfg.MaxBody, Budget: held, Streams: n.streams, Dispatcher: dispatcher,
	})
	n.inspect = inspect.New(inspect.Config{
		Token: token, Node: cfg.NodeID, Find: n.journal.Find, State: n.holder.Load, Suppose: n.holder.Suppose, Examples: n.examples, Explain: dispatcher.Explain,
	})
	return n
}

func (c *Config) withDefaults() {
	c.NodeID = cmp.Or(c.NodeID, randomID())
	c.Cell = cmp.Or(c.Cell, DefaultCell)
	c.Drain = cmp.Or(c.Drain, DefaultDrain)
	c.MaxBody = cmp.Or(c.MaxBody, DefaultMaxBody)
	c.MaxBuffered = cmp.Or(c.MaxBuffered, DefaultMaxBuffered)
	c.MaxAnswer = cmp.Or(c.MaxAnswer, DefaultMaxAnswer)
	c.MaxEvent = cmp.Or(c.MaxEvent, DefaultMaxEvent)
	c.Decisions = cmp.Or(c.Decisions, journal.Default)
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Env == nil {
		c.Env = os.LookupEnv
	}
	if c.dial == nil {
		c.dial = dialer(c.Reach)
	}
}

// randomID is unique in the fleet and over its restarts.
func randomID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// targets returns those of the current snapshot.
func (n *Node) targets() []*core.Target {
	if state := n.holder.Load(); state != nil {
		return state.Targets()
	}
	return nil
}

// ID returns the node's name in the fleet.
func (n *Node) ID() string { return n.cfg.NodeID }

// Run serves the API and the status listener until ctx ends, then drains: readiness goes off, what is
// under way may finish within the drain limit, and what has not by then ends with an error event.
func (n *Node) Run(ctx context.Context, api, statusListener net.Listener) error {
	defer n.pools.Close()
	defer n.embedder.Close()
	address := cmp.Or(n.cfg.Advertise, advertised(ctx, statusListener.Addr(), n.cfg.Store.Endpoints()))
	n.address.Store(&address)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	g, background := errgroup.WithContext(background)
	g.Go(func() error { return n.holder.Run(background) })
	g.Go(func() error {
		return n.cfg.Store.Watch(background, store.Watcher{Publish: n.holder.Offer, Progress: n.holder.Advance, Health: n.reached})
	})
	g.Go(func() error { return n.sharer.Run(background) })
	g.Go(func() error { return n.prober.Run(background) })
	g.Go(func() error { return n.examples.Run(background) })
	g.Go(func() error { return n.shelf.Run(background) })
	g.Go(func() error {
		return serveStatus(background, statusListener, status.New(status.Config{Ready: n.ready, Report: n.report, Metrics: n.registry, Inspect: n.inspect}))
	})
	g.Go(func() error {
		defer stop()
		return n.serveAPI(ctx, background, api)
	})
	err := g.Wait()
	if errors.Is(err, context.Canceled) {
		err = nil // what stop brought about
	}
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveLimit)
	defer cancel()
	if e := n.sharer.Leave(leave); e != nil {
		n.logger.Warn("left the fleet without saying so", "error", e)
	}
	return err
}

func (n *Node) reached(err error) {
	if err == nil {
		if n.health.Swap(nil) != nil {
			n.logger.Info("store reached")
		}
		return
	}
	why := err.Error()
	if n.health.Swap(&why) == nil {
		n.logger.Warn("store not reached; serving what is known", "error", err)
	}
}

// changed runs after each publication.
func (n *Node) changed(s *live.State) {
	now := time.Now()
	n.serving.CompareAndSwap(nil, &now)
	n.pools.Keep(s.Snapshot)
	n.metrics.Keep(s.Snapshot)
	kept := make(map[signal.Key]bool, len(s.Targets()))
	for _, t := range s.Targets() {
		kept[t.Signal] = true
	}
	keep := func(k signal.Key) bool { return kept[k] }
	n.board.Forget(keep)
	n.board.Want(s.Details())
	n.ranker.Forget(func(group string) bool { _, served := s.Group(group); return served })
	n.cooling.Forget(keep, time.Now())
	n.announce()
}

// announce tells the fleet what this node serves.
func (n *Node) announce() {
	if err := n.sharer.Report(n.nodeStatus()); err != nil {
		n.logger.Error("node status not published", "error", err)
	}
}
