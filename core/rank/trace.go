package rank

import (
	"github.com/sluice-gateway/sluice/core"
)

// Trace says why an order is as it is. Order overwrites all of it, and what it points to; one Trace serves one Order at a
// time, and the next of about the same size allocates nothing. Times are in seconds. A number that is absent is not known, does not apply or is infinite.
type Trace struct {
	// Routing is the id of the group that was ordered.
	Routing string `json:"routing"`
	// Time is the class by which latencies were ranked: ttft or total.
	Time string `json:"time"`
	// Tagging is which targets the tags of the request left.
	Tagging Tagging `json:"tagging"`
	// Tiers are in the order in which they were ranked, those of a nested routing after the one around them.
	Tiers []TierTrace `json:"tiers"`
	// Candidates are the members of the tiers, and the targets that a filter left out.
	Candidates []Candidate `json:"candidates"`

	room traceRoom
}

// TierTrace is one tier of a routing.
type TierTrace struct {
	// Path leads from the outermost routing to the one whose tier this is.
	Path     []string      `json:"path"`
	Priority int           `json:"priority"`
	Spare    bool          `json:"spare,omitempty"` // the members of weight 0
	Strategy core.Strategy `json:"strategy"`
	// Latency is only there for least_latency.
	Latency *LatencyTrace `json:"latency,omitempty"`
	// Scored is only there for scored.
	Scored *ScoreTrace `json:"scored,omitempty"`
	// Semantic is only there for semantic.
	Semantic *RouteTrace `json:"semantic,omitempty"`
}

// LatencyTrace is what a tier of least_latency has in common.
type LatencyTrace struct {
	Selection core.Selection `json:"selection"`
	Inflight  core.Inflight  `json:"inflight"`
	// Rule settled Sharpness, the power of the draw; no sharpness means a strict order.
	Rule      Rule     `json:"rule"`
	Sharpness *float64 `json:"sharpness,omitempty"`
	// Leader is the target whose elasticity mattered to the rule.
	Leader          string   `json:"leader,omitempty"`
	Elasticity      *float64 `json:"elasticity,omitempty"`
	ElasticityError *float64 `json:"elasticity_error,omitempty"`
	// BestKnown is what latencies fade to; Charge is what a failure costs.
	BestKnown float64 `json:"best_known_s"`
	Charge    float64 `json:"failure_charge_s"`
	// MeanInflight is the fleet's requests in flight per target.
	MeanInflight float64 `json:"mean_in_flight"`
}

// Candidate is one member of a tier: a target or a nested routing.
type Candidate struct {
	Target  string `json:"target,omitempty"`
	Routing string `json:"routing,omitempty"`
	// Path leads from the outermost routing to the one whose member this is.
	Path     []string `json:"path"`
	Priority int      `json:"priority"`
	Weight   int      `json:"weight"`
	// Position is the target's place in the order, from 1 on; a routing has that of its first target. 0: in none.
	Position int       `json:"position"`
	Eligible bool      `json:"eligible"`
	Excluded Exclusion `json:"excluded,omitempty"`
	// Probe: it stands where it does for a sample. Sticks: because it served the session before. Explored: because it was
	// drawn.
	Probe    bool `json:"probe,omitempty"`
	Sticks   bool `json:"sticks,omitempty"`
	Explored bool `json:"explored,omitempty"`
	// Class and Score are those of the best of Evidence; the class comes first, then a lower score. Score is only for
	// least_latency. Where the class is hot, the score is not a time: the requests in flight over max_concurrency.
	Class string   `json:"class,omitempty"`
	Score *float64 `json:"score,omitempty"`
	// Share is the chance to come first among those of the class, where a draw or weights decide.
	Share *float64 `json:"share,omitempty"`
	// Turn is the standing on the wheel; the highest is next.
	Turn *float64 `json:"turn,omitempty"`
	// HashScore decides consistent_hash, the highest first.
	HashScore *float64 `json:"hash_score,omitempty"`
	// Price in US dollars decides least_cost: of the request, or a list price per million tokens.
	Price *float64 `json:"price_usd,omitempty"`
	// Load decides least_busy: the fleet's requests in flight by weight.
	Load *float64 `json:"load,omitempty"`
	// Total decides scored within Class, the highest first: the sum of the Dimensions' contributions.
	Total *float64 `json:"total,omitempty"`
	// JudgedBy is the target of a routing whose Dimensions these are.
	JudgedBy   string           `json:"judged_by,omitempty"`
	Dimensions []DimensionTrace `json:"dimensions,omitempty"`
	// Demoted lists the preferences of the profile that are not met: p50, p90, p99, min_throughput.
	Demoted []string `json:"demoted,omitempty"`
	// Semantic is how like the prompt is to the member's examples.
	Semantic *MeaningTrace `json:"semantic,omitempty"`
	// Evidence is what is known of the target, or of the targets by which the routing is judged.
	Evidence []Evidence `json:"evidence,omitempty"`

	around int32 // the candidate of the routing around it; -1: none
}

// Evidence is what the fleet knows of one target.
type Evidence struct {
	Target string `json:"target"`
	Class  string `json:"class"` // answers, unmeasured, hot or failing
	// Source: measured, borrowed from the other class of time, or prior.
	Source string `json:"source"`
	// Latency is the decayed mean, Rungs are its three means with half-lives of 3, 10 and 60 s, and Samples is how
	// much the first is worth.
	Latency float64    `json:"latency_s"`
	Rungs   [3]float64 `json:"rungs_s"`
	Samples float64    `json:"samples"`
	// WithPrior is the latency drawn to the best known one.
	WithPrior float64 `json:"latency_with_prior_s"`
	// Failures is the share of attempts that fail.
	Failures float64 `json:"failures"`
	// Expected is the expected time to an answer, failures counted in; Score the same with regard to the load.
	Expected float64 `json:"expected_s"`
	Score    float64 `json:"score"`
	// Inflight is the fleet's requests in flight, Usual what recent attempts met.
	Inflight       int     `json:"in_flight"`
	Usual          float64 `json:"usual_in_flight"`
	MaxConcurrency int     `json:"max_concurrency,omitempty"`
	// Elasticity is how latency rises with load, and its standard error.
	Elasticity      *float64 `json:"elasticity,omitempty"`
	ElasticityError *float64 `json:"elasticity_error,omitempty"`
	// SinceSample is the time since the fleet's last attempt, Cooling the time for which it is still set aside.
	SinceSample *float64 `json:"since_sample_s,omitempty"`
	Cooling     float64  `json:"cooling_s,omitempty"`
}

// String names the class as explanations show it.
func (c class) String() string {
	switch c {
	case answers:
		return "answers"
	case unmeasured:
		return "unmeasured"
	case hot:
		return "hot"
	}
	return "failing"
}
