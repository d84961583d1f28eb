package proxy

import (
	"log/slog"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/metrics"
	"github.com/sluice-gateway/sluice/proxy/share"
	"github.com/sluice-gateway/sluice/proxy/shelf"
)

// embeds makes what turns prompts and examples into vectors. It goes out by the same pools, and so by the same rules, as
// what goes to the models.
func (n *Node) embeds(userAgent string) {
	n.embedder = embed.New(embed.Config{Transport: n.pools.Transport, UserAgent: userAgent, Observer: embedding{n.metrics, n.logger}, Logger: n.logger})
	n.shelf = shelf.New(shelf.Config{Vectors: n.cfg.Store, Room: n.room, Keeps: n.sharer.Keeps, Logger: n.logger})
	n.examples = embed.NewExamples(embed.ExamplesConfig{Embedder: n.embedder, Store: n.shelf, Keeps: n.sharer.Keeps, Logger: n.logger})
}

// room reports whether etcd has room for more than configuration and signals.
func (n *Node) room() bool { return n.sharer.Stats().Fuse == share.FuseClosed }

// prepare gives the collections of a snapshot those vectors that are known, so that a change that leaves a routing's
// examples as they are leaves it without vectors at no moment.
func (n *Node) prepare(s *core.Snapshot) embed.Collections {
	collections, err := embed.Collect(s)
	if err != nil {
		n.logger.Error("examples cannot be embedded; the fallback serves", "error", err)
	}
	n.shelf.Need(collections.List())
	n.examples.Want(collections.List())
	return collections
}

// embedding is told how endpoints fare.
type embedding struct {
	*metrics.Metrics
	logger *slog.Logger
}

// EndpointLeft says so when no request waits for an endpoint any more, and when they do again.
func (e embedding) EndpointLeft(upstream string, alone bool) {
	if alone {
		e.logger.Warn("embedding endpoint keeps failing; no request waits for it until it answers again", "upstream", upstream)
		return
	}
	e.logger.Info("embedding endpoint answers again", "upstream", upstream)
}
