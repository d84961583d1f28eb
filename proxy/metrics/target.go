package metrics

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/core/signal"
)

// targetFamilies tell what the fleet knows of a target, as this node sees it.
type targetFamilies struct {
	cooling, inFlight, load, attempts, failures  family
	latency, rung, weight, age, elasticity, flex family
	percentile, throughput, quota                family
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
		percentile: add(gauge, "target_percentile_seconds", "Percentile of the fleet's recent latencies, to within 5 %.", "target", "class", "percentile"),
		throughput: add(gauge, "target_throughput_tokens", "The fleet's recent output in tokens a second, once the first token is there.", "target"),
		quota:      add(gauge, "target_quota_ratio", "Share that remains of the upstream's rate limits, as it said last.", "target"),
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
	f.spread(send, t.Model, signal.TTFT, &t.TTFTSpread)
	f.spread(send, t.Model, signal.Total, &t.TotalSpread)
	if t.Throughput > 0 {
		send(f.throughput, t.Throughput, t.Model)
	}
	if t.Quota != nil {
		send(f.quota, *t.Quota, t.Model)
	}
}

func (f *targetFamilies) spread(send emit, model string, c signal.Class, s *signal.Spread) {
	if s.Weight > 0 {
		send(f.percentile, s.P50, model, c.String(), "50")
		send(f.percentile, s.P90, model, c.String(), "90")
		send(f.percentile, s.P99, model, c.String(), "99")
	}
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
