package core

// Strategy says in which order a routing's targets are tried.
type Strategy string

// The strategies that this version serves.
const (
	StrategyFailover     Strategy = "failover"
	StrategyRoundRobin   Strategy = "round_robin"
	StrategyLeastLatency Strategy = "least_latency"
)

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
}

// RoutingTarget is one choice of a routing.
type RoutingTarget struct {
	// Model is the id of a model or of another routing.
	Model string `json:"model"`
	// Weight is the target's share in round_robin. Default 1; zero is only used when nothing else is left.
	Weight *int `json:"weight,omitempty"`
	// Priority sorts targets into tiers, higher first. Default 0.
	Priority int `json:"priority,omitempty"`
}

// Latency holds the settings of the least_latency strategy.
type Latency struct {
	// ProbeAfter is how long a target may go without a sample from any node before one node of the fleet
	// sends it one real request. Default 60s; zero never probes.
	ProbeAfter *Duration `json:"probe_after,omitempty"`
}
