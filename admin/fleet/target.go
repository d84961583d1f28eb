package fleet

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sluice-gateway/sluice/core/signal"
)

// Target is what a cell knows of one upstream. Models that lead to the same upstream with the same credential
// share it.
type Target struct {
	// Signal is the key under which the nodes keep it, in hexadecimal.
	Signal string   `json:"signal" example:"9f86d081884c7d65"`
	Models []string `json:"models" example:"gpt-4o"`
	// InFlight is how many requests are under way on all nodes.
	InFlight int `json:"in_flight" example:"3"`
	// CoolingForSeconds is how long the target is still set aside; 0: it is in use.
	CoolingForSeconds float64 `json:"cooling_for_seconds" example:"0"`
	// Attempts is how many were made lately: a count that halves every 10 s.
	Attempts float64 `json:"attempts" example:"41.5"`
	// Failures is the share of them that failed, 0 to 1, as the ranking takes it: with two successes added.
	Failures float64 `json:"failures" example:"0.01"`
	// Load is how many requests were under way on all nodes when recent attempts began, in the mean.
	Load float64 `json:"load" example:"2.6"`
	// Failing: the latest attempt failed and there was no answer in the 30 s before. It is ranked last.
	Failing bool `json:"failing"`
	// TTFT is the time to the first token of streams, Total the time to the end of all other answers.
	TTFT  Estimate `json:"ttft"`
	Total Estimate `json:"total"`
	// Throughput is how fast output comes once it has begun. It is absent unless a scored routing prefers a throughput.
	Throughput *Throughput `json:"throughput,omitempty"`
	// QuotaRemaining is the share, 0 to 1, that is left of the upstream's rate limits, of the one that is used up most, as
	// its answers said last. It is absent where they say nothing.
	QuotaRemaining *float64 `json:"quota_remaining,omitempty" example:"0.83"`
	// Contributors are the nodes that have a part in this, those with the most attempts first, at most 50.
	Contributors []Contributor `json:"contributors"`
	// OtherContributors is how many more there are.
	OtherContributors int `json:"other_contributors,omitempty"`
}

// maxContributors keeps the report of a large cell at a few megabytes.
const maxContributors = 50

// Where an estimate comes from.
const (
	// SourceMeasured: from attempts of its own class.
	SourceMeasured = "measured"
	// SourceBorrowed: from the other class; none of its own was measured.
	SourceBorrowed = "borrowed"
	// SourcePrior: nothing is known. It counts as the best known latency of its routing, or 1 s.
	SourcePrior = "prior"
)

// Estimate is a merged estimate of a latency.
type Estimate struct {
	Source string `json:"source" enums:"measured,borrowed,prior" example:"measured"`
	// LatencySeconds is what the ranking starts from, before it draws a faint estimate to the best known one.
	LatencySeconds float64 `json:"latency_seconds" example:"0.42"`
	// M3Seconds, M10Seconds and M60Seconds are the means whose samples lose half their weight every 3, 10 and 60 s.
	M3Seconds  float64 `json:"m3_seconds" example:"0.4"`
	M10Seconds float64 `json:"m10_seconds" example:"0.42"`
	M60Seconds float64 `json:"m60_seconds" example:"0.45"`
	// Weight is how many samples the latency is worth; they fade.
	Weight float64 `json:"weight" example:"17.3"`
	// AgeSeconds is since the latest attempt; absent when there was none.
	AgeSeconds *float64 `json:"age_seconds,omitempty" example:"0.8"`
	// Elasticity is how the latency follows the load, d ln latency / d ln load: about 0 where it does not, 1 where the
	// target queues. ElasticityError is its standard error. Both are absent while too little is known.
	Elasticity      *float64 `json:"elasticity,omitempty" example:"0.05"`
	ElasticityError *float64 `json:"elasticity_error,omitempty" example:"0.04"`
	// Spread has the percentiles. It is absent unless a scored routing prefers percentiles.
	Spread *Spread `json:"spread,omitempty"`
}

// Spread is how the latencies of the last minutes are distributed, each percentile to within 5 %.
type Spread struct {
	P50Seconds float64 `json:"p50_seconds" example:"0.41"`
	P90Seconds float64 `json:"p90_seconds" example:"0.83"`
	P99Seconds float64 `json:"p99_seconds" example:"1.9"`
	// Weight is how many samples they are worth; they lose half their weight every 60 s.
	Weight float64 `json:"weight" example:"212.4"`
}

// Throughput is the output of recent answers.
type Throughput struct {
	// TokensPerSecond is that behind the first token of streams, or of whole answers where there were no streams.
	TokensPerSecond float64 `json:"tokens_per_second" example:"61.5"`
	// Weight is how many answers it is worth; they lose half their weight every 60 s.
	Weight float64 `json:"weight" example:"40.2"`
}

// Contributor is what one node adds to a target.
type Contributor struct {
	Node string `json:"node" example:"c2375e0f1b7d4a3c"`
	// AgeSeconds is that of the node's value, as in members.
	AgeSeconds float64 `json:"age_seconds" example:"0.4"`
	// Attempts is the node's part of the target's.
	Attempts float64 `json:"attempts" example:"12.2"`
	// TTFTWeight and TotalWeight are how many samples the node's own latency is worth.
	TTFTWeight  float64 `json:"ttft_weight" example:"9.1"`
	TotalWeight float64 `json:"total_weight" example:"0"`
	// InFlight is the node's part of the target's.
	InFlight int `json:"in_flight" example:"1"`
	// CoolingForSeconds is how long this node sets the target aside.
	CoolingForSeconds float64 `json:"cooling_for_seconds" example:"0"`
}

func newTarget(u upstream, all view, members []view) Target {
	e, total := all.estimate(u.key, signal.TTFT), all.estimate(u.key, signal.Total)
	t := Target{
		Signal: fmt.Sprintf("%016x", uint64(u.key)), Models: u.models, InFlight: e.Inflight,
		CoolingForSeconds: e.Cooling.Seconds(), Attempts: e.Attempts, Failures: e.Failures, Load: e.Load, Failing: e.Failing,
		TTFT: newEstimate(e), Total: newEstimate(total), Contributors: []Contributor{},
	}
	t.TTFT.Spread, t.Total.Spread = all.spread(u.key, signal.TTFT), all.spread(u.key, signal.Total)
	if speed, weight := all.board.Throughput(u.key, all.now); weight > 0 {
		t.Throughput = &Throughput{speed, weight}
	}
	if left, known := all.board.Quota(u.key, all.now); known {
		t.QuotaRemaining = &left
	}
	if known(e) { // most models of a large configuration are not: the members need not be asked one by one
		t.Contributors, t.OtherContributors = contributors(u.key, members)
	}
	return t
}

// known reports whether any node has to tell of it.
func known(e signal.Estimate) bool { return e.Tried || e.Inflight > 0 || e.Cooling > 0 }

func contributors(k signal.Key, members []view) (most []Contributor, others int) {
	most = make([]Contributor, 0, len(members))
	for _, m := range members {
		if c, ok := m.contributor(k); ok {
			most = append(most, c)
		}
	}
	slices.SortStableFunc(most, func(a, b Contributor) int { return cmp.Compare(b.Attempts, a.Attempts) })
	shown := min(len(most), maxContributors)
	return most[:shown], len(most) - shown
}

func newEstimate(e signal.Estimate) Estimate {
	out := Estimate{
		Source: SourceMeasured, LatencySeconds: e.Latency, Weight: e.Weight,
		M3Seconds: e.Rungs[0], M10Seconds: e.Rungs[1], M60Seconds: e.Rungs[2],
	}
	switch {
	case e.Weight == 0:
		out.Source = SourcePrior
	case e.Borrowed:
		out.Source = SourceBorrowed
	}
	if e.SinceSample != signal.Never {
		out.AgeSeconds = new(e.SinceSample.Seconds())
	}
	if !math.IsInf(e.ElasticityError, 1) {
		out.Elasticity, out.ElasticityError = &e.Elasticity, &e.ElasticityError
	}
	return out
}
