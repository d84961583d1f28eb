package metrics_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/metrics"
	"github.com/sluice-gateway/sluice/proxy/share"
	"github.com/sluice-gateway/sluice/store"
)

func registered(r metrics.Reading) *prometheus.Registry {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metrics.NewCollector(func(time.Time) metrics.Reading { return r }))
	return registry
}

// gathered has every family, with one series at least.
func gathered() *prometheus.Registry {
	return registered(metrics.Reading{Sharing: sharing(), Targets: []metrics.Target{detailed(metrics.Target{Model: "m", TTFT: estimate(), Total: estimate()})}})
}

// detailed is the target with all that scored routings look at.
func detailed(t metrics.Target) metrics.Target {
	t.TTFTSpread, t.Throughput, t.Quota = signal.Spread{P50: 1, P90: 2, P99: 4, Weight: 9}, 30, new(0.25)
	return t
}

// estimate is one of which all is known.
func estimate() signal.Estimate {
	return signal.Estimate{
		Latency: 2, Rungs: [3]float64{3, 2, 1}, Weight: 8, Failures: .25, Attempts: 5, Load: 1.5, Elasticity: .5, ElasticityError: .1,
		Inflight: 4, Measured: true, Tried: true, SinceSample: time.Second,
	}
}

// sharing is a node's part in a fleet, no two numbers of which are the same.
func sharing() share.Stats {
	return share.Stats{
		Puts: 10, Skips: 11, Withheld: 12, PutFailures: 13, PutBytes: 14,
		PutLatency: share.Histogram{Count: 3, Sum: time.Second, Buckets: map[float64]uint64{.1: 2, 1: 3}},
		PeerValues: 15, PeerBytes: 16, PeerRejects: 17, EntryRejects: 18, RootPuts: 19, RootBytes: 20, RootFailures: 21,
		Aggregating: true, Live: 22, Ghosts: 23, Mode: share.Tree, Interval: 2 * time.Second, ViewAge: 3 * time.Second,
		Degraded: true, Fuse: share.FuseSlow, Space: store.Space{InUse: 24, Quota: 25}, Uncompacted: true,
	}
}

func TestAScrapeShowsWhatTheNodeKnows(t *testing.T) {
	total := estimate()
	total.SinceSample, total.Borrowed = signal.Never, true
	got := series(t, registered(metrics.Reading{
		Revision: 7, Rejected: 2, Connected: true, Sharing: sharing(),
		Targets: []metrics.Target{detailed(metrics.Target{Model: "m", Cooling: 1500 * time.Millisecond, TTFT: estimate(), Total: total})},
	}))
	want := map[string]float64{
		`sluice_snapshot_revision{}`:                                          7,
		`sluice_rejected_faults{}`:                                            2,
		`sluice_store_connected{}`:                                            1,
		`sluice_fleet_peers{}`:                                                22,
		`sluice_fleet_ghosts{}`:                                               23,
		`sluice_fleet_view_age_seconds{}`:                                     3,
		`sluice_fleet_degraded{}`:                                             1,
		`sluice_fleet_mode{mode=flat}`:                                        0,
		`sluice_fleet_mode{mode=tree}`:                                        1,
		`sluice_fleet_aggregating{}`:                                          1,
		`sluice_signal_interval_seconds{}`:                                    2,
		`sluice_signal_fuse{state=closed}`:                                    0,
		`sluice_signal_fuse{state=slow}`:                                      1,
		`sluice_signal_fuse{state=open}`:                                      0,
		`sluice_store_in_use_bytes{}`:                                         24,
		`sluice_store_quota_bytes{}`:                                          25,
		`sluice_store_uncompacted{}`:                                          1,
		`sluice_signal_puts_total{}`:                                          10,
		`sluice_signal_skips_total{}`:                                         11,
		`sluice_signal_withheld_total{}`:                                      12,
		`sluice_signal_put_failures_total{}`:                                  13,
		`sluice_signal_put_bytes_total{}`:                                     14,
		`sluice_signal_put_duration_seconds{}`:                                3,
		`sluice_signal_peer_values_total{}`:                                   15,
		`sluice_signal_peer_bytes_total{}`:                                    16,
		`sluice_signal_peer_rejects_total{}`:                                  17,
		`sluice_signal_entry_rejects_total{}`:                                 18,
		`sluice_signal_root_puts_total{}`:                                     19,
		`sluice_signal_root_bytes_total{}`:                                    20,
		`sluice_signal_root_failures_total{}`:                                 21,
		`sluice_target_cooling_seconds{target=m}`:                             1.5,
		`sluice_target_in_flight{target=m}`:                                   4,
		`sluice_target_load{target=m}`:                                        1.5,
		`sluice_target_attempts{target=m}`:                                    5,
		`sluice_target_failure_ratio{target=m}`:                               .25,
		`sluice_target_latency_seconds{class=ttft,target=m}`:                  2,
		`sluice_target_rung_seconds{class=ttft,half_life=3s,target=m}`:        3,
		`sluice_target_rung_seconds{class=ttft,half_life=10s,target=m}`:       2,
		`sluice_target_rung_seconds{class=ttft,half_life=60s,target=m}`:       1,
		`sluice_target_samples{class=ttft,target=m}`:                          8,
		`sluice_target_sample_age_seconds{class=ttft,target=m}`:               1,
		`sluice_target_elasticity{class=ttft,target=m}`:                       .5,
		`sluice_target_elasticity_error{class=ttft,target=m}`:                 .1,
		`sluice_target_percentile_seconds{class=ttft,percentile=50,target=m}`: 1,
		`sluice_target_percentile_seconds{class=ttft,percentile=90,target=m}`: 2,
		`sluice_target_percentile_seconds{class=ttft,percentile=99,target=m}`: 4,
		`sluice_target_throughput_tokens{target=m}`:                           30,
		`sluice_target_quota_ratio{target=m}`:                                 .25,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("series (-want +got): a borrowed estimate is not shown\n%s", diff)
	}
}

func TestWhatIsNotKnownIsAbsentAndNotZero(t *testing.T) {
	unknown := signal.Estimate{SinceSample: signal.Never, ElasticityError: math.Inf(1)}
	failed := unknown
	failed.Tried, failed.SinceSample, failed.Failures, failed.Attempts = true, time.Second, .33, 1
	got := series(t, registered(metrics.Reading{Targets: []metrics.Target{
		{Model: "untried", TTFT: unknown, Total: unknown}, {Model: "failed", TTFT: failed, Total: failed},
	}}))
	for s := range got {
		if strings.Contains(s, "latency") || strings.Contains(s, "quota") || strings.Contains(s, "in_use") || strings.Contains(s, "rung") || strings.Contains(s, "elasticity") ||
			strings.Contains(s, "untried") && !strings.Contains(s, "cooling") && !strings.Contains(s, "in_flight") {
			t.Errorf("%s is shown and was not measured", s)
		}
	}
	if got[`sluice_target_failure_ratio{target=failed}`] != .33 {
		t.Errorf("what has only failed shows no failures: %v", got)
	}
}
