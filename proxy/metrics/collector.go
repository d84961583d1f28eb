package metrics

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/core/signal"
)

// Reading is what a node knows at the moment of a scrape.
type Reading struct {
	// Revision is the store revision up to which every change is served, Rejected the faults of what is not.
	Revision int64
	Rejected int
	// Connected: the store is reached.
	Connected bool
	Fleet     Fleet
	// Targets are those of the snapshot, so that series come and go with the configuration.
	Targets []Target
}

// Fleet is the node's part in the fleet.
type Fleet struct {
	// Peers is how many nodes of the cell publish signals, this one included.
	Peers int
	// Puts, Skips and PutFailures count writes of the node's signals; Rejects values of peers that could not be read.
	Puts, Skips, PutFailures, Rejects int64
}

// Target is what the fleet knows of one model's upstream.
type Target struct {
	Model string
	// Cooling is how long it stays set aside.
	Cooling     time.Duration
	TTFT, Total signal.Estimate
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
	of   targetFamilies
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
	c.node, c.of = newNodeFamilies(add), newTargetFamilies(add)
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
	for i := range r.Targets {
		c.of.collect(send, &r.Targets[i])
	}
}

type declare func(kind prometheus.ValueType, name, help string, labels ...string) family

type emit func(f family, v float64, labels ...string)

// nodeFamilies tell of the node itself.
type nodeFamilies struct {
	revision, rejected, connected, peers family
	puts, skips, putFailures, rejects    family
}

func newNodeFamilies(add declare) nodeFamilies {
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	return nodeFamilies{
		revision:    add(gauge, "snapshot_revision", "Store revision up to which every change is served."),
		rejected:    add(gauge, "rejected_faults", "Faults of resources that are not served as stored."),
		connected:   add(gauge, "store_connected", "1 while the store is reached."),
		peers:       add(gauge, "fleet_peers", "Nodes of the cell that share signals, this one included."),
		puts:        add(counter, "signal_puts_total", "Signal values written."),
		skips:       add(counter, "signal_skips_total", "Signal writes skipped because nothing moved."),
		putFailures: add(counter, "signal_put_failures_total", "Signal writes that failed."),
		rejects:     add(counter, "signal_peer_rejects_total", "Signal values of peers that could not be read."),
	}
}

func (f *nodeFamilies) collect(send emit, r *Reading) {
	send(f.revision, float64(r.Revision))
	send(f.rejected, float64(r.Rejected))
	send(f.connected, one(r.Connected))
	send(f.peers, float64(r.Fleet.Peers))
	send(f.puts, float64(r.Fleet.Puts))
	send(f.skips, float64(r.Fleet.Skips))
	send(f.putFailures, float64(r.Fleet.PutFailures))
	send(f.rejects, float64(r.Fleet.Rejects))
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// targetFamilies tell what the fleet knows of a target, as this node sees it.
type targetFamilies struct {
	cooling, inFlight, load, attempts, failures  family
	latency, rung, weight, age, elasticity, flex family
}

func newTargetFamilies(add declare) targetFamilies {
	const gauge = prometheus.GaugeValue
	return targetFamilies{
		cooling:    add(gauge, "target_cooling_seconds", "Time for which the target stays set aside.", "target"),
		inFlight:   add(gauge, "target_in_flight", "Attempts under way on the whole fleet.", "target"),
		load:       add(gauge, "target_load", "Mean of the fleet's attempts under way when recent attempts began.", "target"),
		attempts:   add(gauge, "target_attempts", "The fleet's attempts, a count that halves every 10 s.", "target"),
		failures:   add(gauge, "target_failure_ratio", "Share of those attempts that failed, with two successes added.", "target"),
		latency:    add(gauge, "target_latency_seconds", "The fleet's merged latency estimate.", "target", "class"),
		rung:       add(gauge, "target_rung_seconds", "Mean latency whose samples lose half their weight in the half-life.", "target", "class", "half_life"),
		weight:     add(gauge, "target_samples", "Samples behind the latency estimate, aged.", "target", "class"),
		age:        add(gauge, "target_sample_age_seconds", "Time since the fleet's latest attempt.", "target", "class"),
		elasticity: add(gauge, "target_elasticity", "Slope of ln latency over ln load: 0 where the target scales, 1 where it queues.", "target", "class"),
		flex:       add(gauge, "target_elasticity_error", "Standard error of the elasticity.", "target", "class"),
	}
}

// collect sends nothing of what was never measured: a latency of zero would look fast.
func (f *targetFamilies) collect(send emit, t *Target) {
	send(f.cooling, t.Cooling.Seconds(), t.Model)
	send(f.inFlight, float64(t.Total.Inflight), t.Model)
	if t.TTFT.Tried {
		send(f.load, t.Total.Load, t.Model)
		send(f.attempts, t.Total.Attempts, t.Model)
		send(f.failures, t.Total.Failures, t.Model)
	}
	f.class(send, t.Model, signal.TTFT, &t.TTFT)
	f.class(send, t.Model, signal.Total, &t.Total)
}

// halfLives are those of signal.Estimate.Rungs.
var halfLives = [...]string{"3s", "10s", "60s"}

func (f *targetFamilies) class(send emit, model string, c signal.Class, e *signal.Estimate) {
	if e.Borrowed || e.SinceSample == signal.Never {
		return
	}
	send(f.weight, e.Weight, model, c.String())
	send(f.age, e.SinceSample.Seconds(), model, c.String())
	if e.Weight > 0 { // one that has only failed has no latency
		send(f.latency, e.Latency, model, c.String())
		for i, h := range halfLives {
			send(f.rung, e.Rungs[i], model, c.String(), h)
		}
	}
	if !math.IsInf(e.ElasticityError, 1) {
		send(f.elasticity, e.Elasticity, model, c.String())
		send(f.flex, e.ElasticityError, model, c.String())
	}
}
