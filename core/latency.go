package core

import (
	"cmp"
	"time"
)

// Selection says how least_latency makes an order of what the fleet has measured.
type Selection string

// The selections.
const (
	// SelectionStrict puts the fastest first, always.
	SelectionStrict Selection = "strict"
	// SelectionBalanced draws the order, a faster target with a greater weight.
	SelectionBalanced Selection = "balanced"
	// SelectionAdaptive is strict while nothing shows that a target queues, and slides to balanced as one does.
	SelectionAdaptive Selection = "adaptive"
)

// Inflight says how the fleet's requests in flight enter the score of least_latency.
type Inflight string

// The choices for Inflight.
const (
	// InflightNormalized compares them with what is usual for the target.
	InflightNormalized Inflight = "normalized"
	// InflightAbsolute takes them as they are, over the model's max_concurrency.
	InflightAbsolute Inflight = "absolute"
	// InflightOff leaves them out.
	InflightOff Inflight = "off"
)

// Latency holds the settings of the least_latency strategy.
type Latency struct {
	// Selection defaults to adaptive.
	Selection Selection `json:"selection,omitempty"`
	// Sharpness is the power K of balanced and adaptive draws: a target's weight is its score to the power of -K.
	// Default 6.
	Sharpness *float64 `json:"sharpness,omitempty"`
	// Inflight defaults to normalized.
	Inflight Inflight `json:"inflight,omitempty"`
	// ProbeAfter is how long a target may go without a sample from any node before one node of the fleet
	// sends it one real request. Default 60s; zero never probes.
	ProbeAfter *Duration `json:"probe_after,omitempty"`
}

// LatencyPolicy is a Latency with all defaults applied. The zero value belongs to every other strategy.
type LatencyPolicy struct {
	Selection  Selection
	Sharpness  float64
	Inflight   Inflight
	ProbeAfter time.Duration // 0: never probed
}

// Defaults and bounds of Latency. Sharpness: between 6 and 8 the simulated fleets do the same; below a tenth every
// target is as good as any, and above 20 a draw is strict in all but name.
const (
	DefaultSelection  = SelectionAdaptive
	DefaultSharpness  = 6.0
	MinSharpness      = 0.1
	MaxSharpness      = 20.0
	DefaultInflight   = InflightNormalized
	DefaultProbeAfter = 60 * time.Second
)

// latency checks the settings and applies the defaults.
func (k *checker) latency(r *Routing) LatencyPolicy {
	if !k.require(r.Latency == nil || r.Strategy == StrategyLeastLatency, "/latency", "strategy", `latency belongs to strategy "least_latency"`) ||
		r.Strategy != StrategyLeastLatency {
		return LatencyPolicy{}
	}
	l := cmp.Or(r.Latency, &Latency{})
	p := LatencyPolicy{
		Selection:  cmp.Or(l.Selection, DefaultSelection),
		Sharpness:  valueOr(l.Sharpness, DefaultSharpness),
		Inflight:   cmp.Or(l.Inflight, DefaultInflight),
		ProbeAfter: time.Duration(valueOr(l.ProbeAfter, Duration(DefaultProbeAfter))),
	}
	switch p.Selection {
	case SelectionStrict, SelectionBalanced, SelectionAdaptive:
	default:
		k.require(false, "/latency/selection", "enum", `selection must be "strict", "balanced" or "adaptive"`)
	}
	switch p.Inflight {
	case InflightNormalized, InflightAbsolute, InflightOff:
	default:
		k.require(false, "/latency/inflight", "enum", `inflight must be "normalized", "absolute" or "off"`)
	}
	k.require(p.Sharpness >= MinSharpness && p.Sharpness <= MaxSharpness, "/latency/sharpness", "range", "sharpness must be from 0.1 to 20")
	return p
}
