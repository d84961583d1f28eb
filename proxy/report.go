package proxy

import (
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/status"
)

func (n *Node) nodeStatus() core.NodeStatus {
	host, _ := os.Hostname() // for people only; absent is fine
	s := core.NodeStatus{
		ID: n.cfg.NodeID, Version: n.cfg.Version, Cell: n.cfg.Cell, Host: host, StartedAt: n.started.UTC(),
		Revision: n.holder.Revision(), Draining: n.draining.Load(),
	}
	if state := n.holder.Load(); state != nil {
		s.Rejected = state.Rejected
	}
	return s
}

// report is the node's account of itself on its status listener.
func (n *Node) report(now time.Time) status.Report {
	state := n.holder.Load()
	r := status.Report{NodeStatus: n.nodeStatus(), Ready: n.ready(now) == nil, Peers: n.sharer.Live(), Targets: []status.TargetStatus{}}
	r.Store.Error = n.storeTrouble()
	r.Store.Connected = r.Store.Error == ""
	if state == nil {
		return r
	}
	for _, t := range state.Targets() {
		ttft, total := n.board.Estimate(t.Signal, signal.TTFT, now), n.board.Estimate(t.Signal, signal.Total, now)
		r.Targets = append(r.Targets, status.TargetStatus{
			Model: t.Model, Provider: t.Upstream.ID, CoolingFor: n.cooling.Standing(t, now).Remaining.Seconds(),
			InFlight: total.Inflight, TTFT: estimate(ttft), Total: estimate(total),
		})
	}
	return r
}

func estimate(e signal.Estimate) *status.SignalEstimate {
	if e.Borrowed || e.SinceSample == signal.Never {
		return nil
	}
	return &status.SignalEstimate{LatencySeconds: e.Latency, Weight: e.Weight, Failures: e.Failures, AgeSeconds: e.SinceSample.Seconds()}
}

// collector answers a scrape with what the node knows at that moment. Its targets are the configured ones,
// so its series come and go with them.
type collector struct{ n *Node }

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("sluice_"+name, help, labels, nil)
}

var (
	descRevision  = gauge("snapshot_revision", "Store revision up to which every change is served.")
	descRejected  = gauge("rejected_faults", "Faults of resources that are not served as stored.")
	descConnected = gauge("store_connected", "1 while the store is reached.")
	descPeers     = gauge("fleet_peers", "Nodes of the cell that share signals, this one included.")
	descPuts      = gauge("signal_puts_total", "Signal values written.")
	descSkips     = gauge("signal_skips_total", "Signal writes skipped because nothing moved.")
	descPutFails  = gauge("signal_put_failures_total", "Signal writes that failed.")
	descPeerBad   = gauge("signal_peer_rejects_total", "Signal values of peers that could not be read.")
	descCooling   = gauge("target_cooling_seconds", "Time for which the target stays set aside.", "target")
	descLatency   = gauge("target_latency_seconds", "The fleet's merged latency estimate.", "target", "class")
	descWeight    = gauge("target_samples", "Samples behind the latency estimate, aged.", "target", "class")
	descFailures  = gauge("target_failure_ratio", "Share of attempts that failed, aged.", "target", "class")
	descInFlight  = gauge("target_in_flight", "Attempts under way on the whole fleet.", "target")
)

// Describe sends nothing: the series depend on the configuration.
func (collector) Describe(chan<- *prometheus.Desc) {}

// Collect sends the node's gauges.
func (c collector) Collect(out chan<- prometheus.Metric) {
	r := c.n.report(time.Now())
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	connected := 0.0
	if r.Store.Connected {
		connected = 1
	}
	send(descRevision, prometheus.GaugeValue, float64(r.Revision))
	send(descRejected, prometheus.GaugeValue, float64(len(r.Rejected)))
	send(descConnected, prometheus.GaugeValue, connected)
	send(descPeers, prometheus.GaugeValue, float64(r.Peers))
	stats := c.n.sharer.Stats()
	send(descPuts, prometheus.CounterValue, float64(stats.Puts.Load()))
	send(descSkips, prometheus.CounterValue, float64(stats.Skips.Load()))
	send(descPutFails, prometheus.CounterValue, float64(stats.PutFailures.Load()))
	send(descPeerBad, prometheus.CounterValue, float64(stats.PeerRejects.Load()))
	for _, t := range r.Targets {
		send(descCooling, prometheus.GaugeValue, t.CoolingFor, t.Model)
		send(descInFlight, prometheus.GaugeValue, float64(t.InFlight), t.Model)
		for class, e := range map[string]*status.SignalEstimate{"ttft": t.TTFT, "total": t.Total} {
			if e != nil {
				if e.Weight > 0 { // one that has only failed has no latency
					send(descLatency, prometheus.GaugeValue, e.LatencySeconds, t.Model, class)
				}
				send(descWeight, prometheus.GaugeValue, e.Weight, t.Model, class)
				send(descFailures, prometheus.GaugeValue, e.Failures, t.Model, class)
			}
		}
	}
}
