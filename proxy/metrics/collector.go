package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/share"
)

// Reading is what a node knows at the moment of a scrape.
type Reading struct {
	// Revision is the store revision up to which every change is served, Rejected the faults of what is not.
	Revision int64
	Rejected int
	// Connected: the store is reached.
	Connected bool
	// Sharing is the node's part in the fleet.
	Sharing share.Stats
	// Targets are those of the snapshot, so that series come and go with the configuration.
	Targets []Target
	// Semantic says how far the examples of each semantic routing are.
	Semantic []embed.State
}

// Target is what the fleet knows of one model's upstream.
type Target struct {
	Model string
	// Cooling is how long it stays set aside.
	Cooling     time.Duration
	TTFT, Total signal.Estimate
	// TTFTSpread and TotalSpread are the percentiles of both, weight zero where they are not known, as where no routing
	// asks for them.
	TTFTSpread, TotalSpread signal.Spread
	// Throughput is the output in tokens a second; zero: not known.
	Throughput float64
	// Quota is the remaining share of the upstream's rate limits; nil: not known.
	Quota *float64
}

// family is one metric that is made at the scrape.
type family struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// collector answers a scrape with what the node knows at that moment.
type collector struct {
	read func(now time.Time) Reading
	node nodeFamilies
	in   sharingFamilies
	of   targetFamilies
	like semanticFamilies
	all  []*prometheus.Desc
}

// NewCollector returns the collector of what read returns.
func NewCollector(read func(now time.Time) Reading) prometheus.Collector {
	c := &collector{read: read}
	add := func(kind prometheus.ValueType, name, help string, labels ...string) family {
		d := prometheus.NewDesc("sluice_"+name, help, labels, nil)
		c.all = append(c.all, d)
		return family{d, kind}
	}
	c.node, c.in, c.of, c.like = newNodeFamilies(add), newSharingFamilies(add), newTargetFamilies(add), newSemanticFamilies(add)
	return c
}

// Describe sends every metric that Collect may send.
func (c *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range c.all {
		out <- d
	}
}

// Collect sends the metrics as of now.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	r := c.read(time.Now())
	send := func(f family, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(f.desc, f.kind, v, labels...)
	}
	c.node.collect(send, &r)
	c.in.collect(send, &r.Sharing)
	out <- c.in.latency(&r.Sharing)
	for i := range r.Targets {
		c.of.collect(send, &r.Targets[i])
	}
	c.like.collect(send, r.Semantic)
}

type declare func(kind prometheus.ValueType, name, help string, labels ...string) family

type emit func(f family, v float64, labels ...string)
