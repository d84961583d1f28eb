package core

// Strategy says in which order a routing's targets are tried.
type Strategy string

// The strategies that this version serves.
const (
	StrategyFailover       Strategy = "failover"
	StrategyRoundRobin     Strategy = "round_robin"
	StrategyLeastLatency   Strategy = "least_latency"
	StrategyConsistentHash Strategy = "consistent_hash"
	StrategyLeastCost      Strategy = "least_cost"
	StrategyLeastBusy      Strategy = "least_busy"
	StrategySemantic       Strategy = "semantic"
	StrategyScored         Strategy = "scored"
)

// Strategies returns every strategy.
func Strategies() []Strategy {
	return []Strategy{
		StrategyFailover, StrategyRoundRobin, StrategyLeastLatency, StrategyConsistentHash, StrategyLeastCost, StrategyLeastBusy, StrategySemantic, StrategyScored,
	}
}

// WhenAllUnavailable says what happens when every target of a routing cools.
type WhenAllUnavailable string

// The choices for WhenAllUnavailable.
const (
	// UnavailableFail answers 503 with Retry-After, the least remaining cooldown.
	UnavailableFail WhenAllUnavailable = "fail"
	// UnavailableTryAnyway tries the targets in order of remaining cooldown, least first.
	UnavailableTryAnyway WhenAllUnavailable = "try_anyway"
)

// Routing is a virtual model: an ordered choice among targets. Its id shares the namespace of models.
type Routing struct {
	ID          string            `json:"id"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Strategy    Strategy          `json:"strategy"`
	Targets     []RoutingTarget   `json:"targets"`
	// Retries is how many further times one target is tried before the next. Default 1.
	Retries *int `json:"retries,omitempty"`
	// MaxFallbacks caps how many further targets are tried after the first. Default: all of them.
	MaxFallbacks *int `json:"max_fallbacks,omitempty"`
	// RetryOn429 allows retries on the same target after 429. Default false: 429 goes to the next target.
	RetryOn429 bool `json:"retry_on_429,omitempty"`
	// FallbackOnStatuses lists further 4xx statuses that go to the next target instead of to the caller.
	FallbackOnStatuses []int              `json:"fallback_on_statuses,omitempty"`
	WhenAllUnavailable WhenAllUnavailable `json:"when_all_unavailable,omitempty"`
	// Deadline bounds the whole request, all attempts and pauses included. Default 10m; zero means none.
	Deadline *Duration `json:"deadline,omitempty"`
	// Timeouts bound each attempt of this routing, over those of the target.
	Timeouts *Timeouts `json:"timeouts,omitempty"`
	// Latency holds the settings of least_latency; any other strategy refuses it.
	Latency *Latency `json:"latency,omitempty"`
	// HashOn names what consistent_hash hashes; that strategy needs it and any other refuses it. It and StickyOn must
	// be those of the routings among the targets, if these have one.
	HashOn *HashOn `json:"hash_on,omitempty"`
	// StickyOn names what tells one session from another, for the strategies that can keep a session where it
	// was: least_latency and least_busy. Absent: no stickiness.
	StickyOn *HashOn `json:"sticky_on,omitempty"`
	// Semantic holds the settings of the semantic strategy, which needs it; any other strategy refuses it.
	Semantic *Semantic `json:"semantic,omitempty"`
	// Profile is the id of the profile by which the scored strategy scores; any other strategy refuses it. Absent: the
	// defaults of a profile.
	Profile string `json:"profile,omitempty"`
}

// RoutingTarget is one choice of a routing.
type RoutingTarget struct {
	// Model is the id of a model or of another routing.
	Model string `json:"model"`
	// Weight is the target's share of the traffic, as far as its strategy has shares. Default 1; zero is only used
	// when nothing else is left.
	Weight *int `json:"weight,omitempty"`
	// Priority sorts targets into tiers, higher first. Default 0.
	Priority int `json:"priority,omitempty"`
	// Tags are for requests to ask by. A request that names tags is served by the targets that bear one of them; if
	// there are none, by those that bear TagDefault. A request without tags is served by the targets without
	// tags and those that bear TagDefault; if there are none, by all. The targets of a routing among the targets
	// bear its tags too.
	Tags []string `json:"tags,omitempty"`
	// Examples are prompts that the target is for, 1 to 64 of them. Only for semantic.
	Examples []string `json:"examples,omitempty"`
	// Threshold is the target's own bar, over that of the routing. Only for semantic.
	Threshold *float64 `json:"threshold,omitempty"`
	// Catchall: the target serves the prompts that are like nobody's examples. At most one of a routing; only for semantic.
	Catchall bool `json:"catchall,omitempty"`
}
