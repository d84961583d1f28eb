package core

import (
	"cmp"
	"math"
	"strconv"
	"time"
)

// Bounds of a profile.
const (
	// MaxWeight is the greatest weight of a dimension; only the ratios of weights count.
	MaxWeight = 1000.0
	// MaxExploration is the greatest share of requests that may be drawn: above a half, a profile would say little.
	MaxExploration = 0.5
)

// profile compiles one profile, once for all routings that name it.
func (c *compiler) profile(p *Profile) {
	k := c.check(p.Ref())
	s := &ScorePolicy{
		Profile:     p.ID,
		Weights:     k.weights(p.Optimize),
		Missing:     k.missing(p.Missing),
		Exploration: p.Exploration,
		ProbeAfter:  time.Duration(valueOr(p.ProbeAfter, Duration(DefaultProbeAfter))),
	}
	k.required(s, p.Require)
	k.limits(s, p.Limits)
	k.preferred(s, p.Prefer)
	k.require(p.Exploration >= 0 && p.Exploration <= MaxExploration, "/exploration", "range", "exploration must be from 0 to 0.5")
	if k.ok {
		c.scores[p.ID] = s
	}
}

// score returns the policy of a routing: its profile's, or the defaults; nil unless the strategy is scored.
func (k *checker) score(r *Routing) *ScorePolicy {
	if r.Strategy != StrategyScored {
		return nil
	}
	if r.Profile == "" {
		if k.c.unscored == nil {
			k.c.unscored = &ScorePolicy{Weights: k.weights(nil), Missing: k.missing(nil), ProbeAfter: DefaultProbeAfter}
		}
		return k.c.unscored
	}
	if _, stored := k.c.doc.Profiles[r.Profile]; !stored {
		k.require(false, "/profile", "reference", "profile "+strconv.Quote(r.Profile)+" does not exist")
		return nil
	}
	s := k.c.scores[r.Profile]
	k.require(s != nil, "/profile", "reference", "profile "+strconv.Quote(r.Profile)+" cannot be served")
	return s
}

// weights checks the weights and divides them by their sum.
func (k *checker) weights(o *Optimize) [Dimensions]float64 {
	if o == nil {
		o = &DefaultOptimize
	}
	w := [Dimensions]float64{o.Latency, o.Health, o.Cost, o.Quota, o.Priority}
	sum, sound := 0.0, true
	for d, x := range w {
		sound = k.require(x >= 0 && x <= MaxWeight, "/optimize/"+Dimension(d).String(), "range", "a weight must be from 0 to 1000") && sound
		sum += x
	}
	if sound && k.require(sum > 0, "/optimize", "weights", "at least one weight must be above 0") {
		for d := range w {
			w[d] /= sum
		}
	}
	return w
}

// missing checks the rules and applies the defaults. Priority is never missing.
func (k *checker) missing(m *Missing) [Dimensions]MissingRule {
	m = cmp.Or(m, &Missing{})
	rules := [Dimensions]MissingRule{m.Latency, m.Health, m.Cost, m.Quota}
	for d, rule := range rules {
		switch rule {
		case "":
			rules[d] = MissingPrior
		case MissingPrior, MissingPenalize, MissingExclude:
		default:
			k.require(false, "/missing/"+Dimension(d).String(), "enum", `what is missing must be "prior", "penalize" or "exclude"`)
		}
	}
	return rules
}

// required puts what a target must have into s. A capability that this version does not know rejects the profile:
// without it targets would be let in that were meant to be left out.
func (k *checker) required(s *ScorePolicy, r *Require) {
	if r == nil {
		return
	}
	for i, c := range r.Capabilities {
		known := s.Capabilities.Add(c)
		k.require(known, "/require/capabilities/"+strconv.Itoa(i), "enum", strconv.Quote(string(c))+" is not a capability that this version knows")
	}
	k.require(r.ContextWindow >= 0, "/require/context_window", "minimum", "context_window must be at least 1")
	s.ContextWindow = r.ContextWindow
}

func (k *checker) limits(s *ScorePolicy, l *ProfileLimits) {
	if l == nil {
		return
	}
	s.MaxCost = k.positive(l.MaxCostUSD, "/limits/max_cost_usd")
	ms := k.positive(l.MaxLatencyMS, "/limits/max_latency_ms")
	s.MaxLatency = time.Duration(min(ms*float64(time.Millisecond), math.MaxInt64/2))
	k.require(ms <= 0 || s.MaxLatency > 0, "/limits/max_latency_ms", "range", "max_latency_ms must be at least a nanosecond")
}

func (k *checker) preferred(s *ScorePolicy, p *Prefer) {
	if p == nil {
		return
	}
	s.MinThroughput = k.positive(p.MinThroughput, "/prefer/min_throughput")
	last, lastName := time.Duration(0), ""
	for _, q := range []struct {
		name string
		in   *Duration
		out  *time.Duration
	}{{"p50", p.P50, &s.P50}, {"p90", p.P90, &s.P90}, {"p99", p.P99, &s.P99}} {
		if q.in == nil {
			continue
		}
		*q.out = time.Duration(*q.in)
		if !k.require(*q.in > 0, "/prefer/"+q.name, "minimum", q.name+" must be above zero") {
			continue
		}
		k.require(*q.out >= last, "/prefer/"+q.name, "order", q.name+" must not be below "+lastName)
		last, lastName = *q.out, q.name
	}
}

// positive returns the number, which must be finite and above 0; 0 for nil.
func (k *checker) positive(x *float64, pointer string) float64 {
	k.require(x == nil || (*x > 0 && !math.IsInf(*x, 1)), pointer, "range", "must be a number above 0")
	return valueOr(x, 0)
}
