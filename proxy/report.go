package proxy

import (
	"os"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/metrics"
	"github.com/sluice-gateway/sluice/proxy/share"
	"github.com/sluice-gateway/sluice/proxy/status"
)

func (n *Node) nodeStatus() core.NodeStatus {
	host, _ := os.Hostname() // for people only; absent is fine
	s := core.NodeStatus{
		ID: n.cfg.NodeID, Version: n.cfg.Version, Cell: n.cfg.Cell, Host: host, StartedAt: n.started.UTC(),
		Revision: n.holder.Revision(), Draining: n.draining.Load(), Keys: n.cfg.Store.KeyIDs(),
	}
	if address := n.address.Load(); address != nil {
		s.Address = *address
	}
	if state := n.holder.Load(); state != nil {
		s.Rejected = state.Rejected
	}
	return s
}

// report is the node's account of itself on its status listener.
func (n *Node) report(now time.Time) status.Report {
	state := n.holder.Load()
	stats := n.sharer.Stats()
	r := status.Report{
		NodeStatus: n.nodeStatus(), Ready: n.ready(now) == nil, Peers: stats.Live, Sharing: sharing(&stats), Targets: []status.TargetStatus{},
	}
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
	for _, c := range n.examples.States() {
		r.Semantic = append(r.Semantic, status.SemanticStatus{
			Routing: c.Name, Provider: c.Upstream, Ready: c.Ready, Dimensions: c.Dimension, Examples: c.Texts, Missing: c.Missing,
			Failure: c.Failure, LeftAlone: c.Alone,
		})
	}
	return r
}

func sharing(s *share.Stats) status.Sharing {
	return status.Sharing{
		Mode: s.Mode.String(), Aggregator: s.Aggregator, Degraded: s.Degraded, ViewAgeSeconds: s.ViewAge.Seconds(),
		IntervalSeconds: s.Interval.Seconds(), Fuse: s.Fuse.String(), Uncompacted: s.Uncompacted,
	}
}

func estimate(e signal.Estimate) *status.SignalEstimate {
	if e.Borrowed || e.SinceSample == signal.Never {
		return nil
	}
	return &status.SignalEstimate{LatencySeconds: e.Latency, Weight: e.Weight, Failures: e.Failures, AgeSeconds: e.SinceSample.Seconds()}
}

// reading is what a scrape of the metrics shows. Targets are the configured ones.
func (n *Node) reading(now time.Time) metrics.Reading {
	status := n.nodeStatus()
	r := metrics.Reading{
		Revision: status.Revision, Rejected: len(status.Rejected), Connected: n.storeTrouble() == "", Sharing: n.sharer.Stats(),
		Semantic: n.examples.States(),
	}
	for _, t := range n.targets() {
		m := metrics.Target{
			Model: t.Model, Cooling: n.cooling.Standing(t, now).Remaining,
			TTFT: n.board.Estimate(t.Signal, signal.TTFT, now), Total: n.board.Estimate(t.Signal, signal.Total, now),
			TTFTSpread: n.board.Spread(t.Signal, signal.TTFT, now), TotalSpread: n.board.Spread(t.Signal, signal.Total, now),
		}
		m.Throughput, _ = n.board.Throughput(t.Signal, now)
		if left, known := n.board.Quota(t.Signal, now); known {
			m.Quota = &left
		}
		r.Targets = append(r.Targets, m)
	}
	return r
}
