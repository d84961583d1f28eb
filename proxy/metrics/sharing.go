package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/proxy/share"
)

// sharingFamilies tell of the node's part in the fleet.
type sharingFamilies struct {
	peers, ghosts, viewAge, degraded, mode, aggregating      family
	interval, fuse, inUse, quota, uncompacted                family
	puts, putBytes, skips, withheld, putFailures, putLatency family
	values, bytes, rejects, entryRejects                     family
	rootPuts, rootBytes, rootFailures                        family
}

func newSharingFamilies(add declare) sharingFamilies {
	const gauge, counter = prometheus.GaugeValue, prometheus.CounterValue
	return sharingFamilies{
		peers:        add(gauge, "fleet_peers", "Nodes of the cell that share signals, this one included."),
		ghosts:       add(gauge, "fleet_ghosts", "Nodes that are gone and whose samples still count."),
		viewAge:      add(gauge, "fleet_view_age_seconds", "Time since what is known of the other nodes was up to date."),
		degraded:     add(gauge, "fleet_degraded", "1 while that is too long ago: the node goes by its own samples more and more."),
		mode:         add(gauge, "fleet_mode", "1 for the way in which the node learns what the others measure.", "mode"),
		aggregating:  add(gauge, "fleet_aggregating", "1 while this node is the aggregator of its cell."),
		interval:     add(gauge, "signal_interval_seconds", "Time between two regular writes of signals."),
		fuse:         add(gauge, "signal_fuse", "1 for what the node does so that signals never fill the store.", "state"),
		inUse:        add(gauge, "store_in_use_bytes", "What data and history take in the store."),
		quota:        add(gauge, "store_quota_bytes", "Length at which the store refuses writes."),
		uncompacted:  add(gauge, "store_uncompacted", "1 while the store keeps a history of more than 30 minutes."),
		puts:         add(counter, "signal_puts_total", "Signal values written."),
		putBytes:     add(counter, "signal_put_bytes_total", "Size of the signal values written."),
		skips:        add(counter, "signal_skips_total", "Signal writes skipped because nothing moved."),
		withheld:     add(counter, "signal_withheld_total", "Signal writes withheld because the store is too full."),
		putFailures:  add(counter, "signal_put_failures_total", "Signal writes that failed."),
		putLatency:   add(gauge, "signal_put_duration_seconds", "Time that a write of signals took."),
		values:       add(counter, "signal_peer_values_total", "Signal values received."),
		bytes:        add(counter, "signal_peer_bytes_total", "Size of the signal values received."),
		rejects:      add(counter, "signal_peer_rejects_total", "Signal values received that could not be read."),
		entryRejects: add(counter, "signal_entry_rejects_total", "Targets left out of values received because they broke the bounds."),
		rootPuts:     add(counter, "signal_root_puts_total", "Roots written as the aggregator."),
		rootBytes:    add(counter, "signal_root_bytes_total", "Size of those roots."),
		rootFailures: add(counter, "signal_root_failures_total", "Writes of roots that failed."),
	}
}

func (f *sharingFamilies) collect(send emit, s *share.Stats) {
	send(f.peers, float64(s.Live))
	send(f.ghosts, float64(s.Ghosts))
	send(f.viewAge, s.ViewAge.Seconds())
	send(f.degraded, one(s.Degraded))
	for _, m := range []share.Mode{share.Flat, share.Tree} {
		send(f.mode, one(s.Mode == m), m.String())
	}
	send(f.aggregating, one(s.Aggregating))
	send(f.interval, s.Interval.Seconds())
	for _, state := range []share.Fuse{share.FuseClosed, share.FuseSlow, share.FuseOpen} {
		send(f.fuse, one(s.Fuse == state), state.String())
	}
	if s.Space.Quota > 0 { // the store has told
		send(f.inUse, float64(s.Space.InUse))
		send(f.quota, float64(s.Space.Quota))
	}
	send(f.uncompacted, one(s.Uncompacted))
	f.counters(send, s)
}

func (f *sharingFamilies) counters(send emit, s *share.Stats) {
	send(f.puts, float64(s.Puts))
	send(f.putBytes, float64(s.PutBytes))
	send(f.skips, float64(s.Skips))
	send(f.withheld, float64(s.Withheld))
	send(f.putFailures, float64(s.PutFailures))
	send(f.values, float64(s.PeerValues))
	send(f.bytes, float64(s.PeerBytes))
	send(f.rejects, float64(s.PeerRejects))
	send(f.entryRejects, float64(s.EntryRejects))
	send(f.rootPuts, float64(s.RootPuts))
	send(f.rootBytes, float64(s.RootBytes))
	send(f.rootFailures, float64(s.RootFailures))
}

// latency is the one histogram that is kept elsewhere.
func (f *sharingFamilies) latency(s *share.Stats) prometheus.Metric {
	h := s.PutLatency
	return prometheus.MustNewConstHistogram(f.putLatency.desc, h.Count, h.Sum.Seconds(), h.Buckets)
}
