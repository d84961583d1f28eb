package core

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// Dimension is one of the things by which the scored strategy compares targets.
type Dimension int

// The dimensions, in the order of Optimize's fields.
const (
	DimensionLatency Dimension = iota
	DimensionHealth
	DimensionCost
	DimensionQuota
	DimensionPriority

	// Dimensions is how many there are.
	Dimensions = 5
)

var dimensionNames = [Dimensions]string{"latency", "health", "cost", "quota", "priority"}

// String returns the dimension's name in a profile.
func (d Dimension) String() string { return dimensionNames[d] }

// MissingRule says what a dimension counts for a target of which it is not known.
type MissingRule string

// The rules. None of them moves weight to another dimension.
const (
	// MissingPrior gives the value of a target of which nothing is known: the same to every one.
	MissingPrior MissingRule = "prior"
	// MissingPenalize gives 0.
	MissingPenalize MissingRule = "penalize"
	// MissingExclude leaves the target out.
	MissingExclude MissingRule = "exclude"
)

// Profile is a reusable way of scoring targets, for routings of the scored strategy.
type Profile struct {
	ID          string            `json:"id"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	// Optimize weighs the dimensions. Absent: latency .55, health .25, cost .10, quota .10.
	Optimize *Optimize `json:"optimize,omitempty"`
	// Missing says what counts where a dimension is not known of a target. Default prior.
	Missing *Missing `json:"missing,omitempty"`
	// Require leaves out targets that lack something.
	Require *Require `json:"require,omitempty"`
	// Limits leave out targets that are beyond them.
	Limits *ProfileLimits `json:"limits,omitempty"`
	// Prefer puts targets that are beyond it behind all others.
	Prefer *Prefer `json:"prefer,omitempty"`
	// Exploration is the share of requests, from 0 to 0.5, whose first target is drawn among all that are eligible.
	// Default 0.
	Exploration float64 `json:"exploration,omitempty"`
	// ProbeAfter is how long a target may go without a sample from any node before one node of the fleet sends it one
	// real request. Default 60s; zero never probes.
	ProbeAfter *Duration `json:"probe_after,omitempty"`
}

// Ref names the profile.
func (p *Profile) Ref() Ref { return Ref{KindProfile, p.ID} }

// Optimize weighs the dimensions of a score; what is not named has weight 0. The weights are normalised to a sum of 1.
type Optimize struct {
	Latency  float64 `json:"latency,omitempty"`
	Health   float64 `json:"health,omitempty"`
	Cost     float64 `json:"cost,omitempty"`
	Quota    float64 `json:"quota,omitempty"`
	Priority float64 `json:"priority,omitempty"`
}

// Missing has the rule of each dimension that can be unknown.
type Missing struct {
	Latency MissingRule `json:"latency,omitempty"`
	Health  MissingRule `json:"health,omitempty"`
	Cost    MissingRule `json:"cost,omitempty"`
	Quota   MissingRule `json:"quota,omitempty"`
}

// Require is what a target must have.
type Require struct {
	// Capabilities must be declared by the target, all of them.
	Capabilities []Capability `json:"capabilities,omitempty"`
	// ContextWindow is the least context window in tokens, which the target must declare.
	ContextWindow int `json:"context_window,omitempty"`
}

// ProfileLimits are what a target must not go beyond. What is not known of a target is not beyond.
type ProfileLimits struct {
	// MaxCostUSD is the most that the request may be estimated to cost, in US dollars.
	MaxCostUSD *float64 `json:"max_cost_usd,omitempty"`
	// MaxLatencyMS is the longest expected time to a good answer, in milliseconds: to the first token of a stream.
	MaxLatencyMS *float64 `json:"max_latency_ms,omitempty"`
}

// Prefer is what a target had better not go beyond. What is not known of a target is not beyond.
type Prefer struct {
	// P50, P90 and P99 bound the percentiles of the fleet's recent latencies.
	P50 *Duration `json:"p50,omitempty"`
	P90 *Duration `json:"p90,omitempty"`
	P99 *Duration `json:"p99,omitempty"`
	// MinThroughput is the least output in tokens a second, once the first token is there.
	MinThroughput *float64 `json:"min_throughput,omitempty"`
}

// DefaultOptimize holds where a profile has no weights at all.
var DefaultOptimize = Optimize{Latency: .55, Health: .25, Cost: .10, Quota: .10}

// ScorePolicy is a Profile with all defaults applied. It is compiled once a profile and never changes.
type ScorePolicy struct {
	// Profile is the id; empty: the defaults.
	Profile string
	// Weights sum to 1.
	Weights [Dimensions]float64
	Missing [Dimensions]MissingRule
	// Capabilities must be declared; empty: none.
	Capabilities  Capabilities
	ContextWindow int     // 0: none
	MaxCost       float64 // US dollars; 0: no limit
	MaxLatency    time.Duration
	// P50, P90, P99 and MinThroughput (tokens a second) demote; 0: they do not.
	P50, P90, P99 time.Duration
	MinThroughput float64
	Exploration   float64
	ProbeAfter    time.Duration // 0: never probed
}

// ByCost reports whether the policy looks at what a request is estimated to cost.
func (p *ScorePolicy) ByCost() bool { return p.Weights[DimensionCost] > 0 || p.MaxCost > 0 }

// ByQuota reports whether the policy looks at what is left of upstreams' rate limits, or at whether that is known.
func (p *ScorePolicy) ByQuota() bool {
	return p.Weights[DimensionQuota] > 0 || p.Missing[DimensionQuota] == MissingExclude
}

// Details returns what the policy looks at of a target beyond the estimate of its latency.
func (p *ScorePolicy) Details() (d signal.Detail) {
	if p.Percentiles() {
		d |= signal.WantSpread
	}
	if p.MinThroughput > 0 {
		d |= signal.WantThroughput
	}
	return d
}

// Percentiles reports whether the policy looks at percentiles of latency.
func (p *ScorePolicy) Percentiles() bool { return p.P50 > 0 || p.P90 > 0 || p.P99 > 0 }
