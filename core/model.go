package core

import "encoding/json"

// Model is a direct model: one upstream model of one provider. Its id is what a client may put in "model".
type Model struct {
	ID          string            `json:"id"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	// Provider is the id of the provider that serves the model.
	Provider string `json:"provider"`
	// UpstreamModel is the name by which the provider knows the model.
	UpstreamModel string    `json:"upstream_model"`
	Timeouts      *Timeouts `json:"timeouts,omitempty"`
	Cooldown      *Cooldown `json:"cooldown,omitempty"`
	// Cost is what the provider charges, for metrics and for least_cost.
	Cost *Cost `json:"cost,omitempty"`
	// Capabilities lists all that the model can do beyond text. Absent (nil): not known, and nothing is withheld from
	// it. An empty list: nothing.
	Capabilities []Capability `json:"capabilities,omitzero"`
	// ContextWindow is how many tokens fit into one request and its answer. Absent: not known, and nothing is withheld.
	ContextWindow *int `json:"context_window,omitempty"`
	// MaxConcurrency is how many requests the upstream model serves at once. Absent: not known.
	MaxConcurrency *int `json:"max_concurrency,omitempty"`
	// Parameters changes the caller's body on its way to this model.
	Parameters *Parameters `json:"parameters,omitempty"`
	// HealthCheck asks the upstream regularly, from one node of the fleet, whether it is there. Absent: never.
	HealthCheck *HealthCheck `json:"health_check,omitempty"`
}

// Cost is a price in US dollars per million tokens.
type Cost struct {
	InputPer1M  float64 `json:"input_per_1m"`
	OutputPer1M float64 `json:"output_per_1m"`
}

// Parameters are changes to the top-level members of a request body; everything else stays as it was sent.
type Parameters struct {
	// Set puts a member in, over the caller's own.
	Set map[string]json.RawMessage `json:"set,omitempty"`
	// Remove takes members out.
	Remove []string `json:"remove,omitempty"`
}

// HealthCheck is a GET below the provider's base URL, with its credential. A status below 500 other than 401,
// 403 and 429 is healthy.
type HealthCheck struct {
	// Path defaults to /models.
	Path string `json:"path,omitempty"`
	// Interval defaults to 30s.
	Interval *Duration `json:"interval,omitempty"`
	// Timeout defaults to 5s.
	Timeout *Duration `json:"timeout,omitempty"`
	// Failures is how many failed checks in a row set the target aside until one succeeds. Default 2.
	Failures *int `json:"failures,omitempty"`
}

// Cooldown says when and for how long a failing target is set aside.
type Cooldown struct {
	// Failures is how many failures in a row start a cooldown. Default 3. A 429 starts one at once.
	Failures *int `json:"failures,omitempty"`
	// Duration is the length of the first cooldown; each further one in a row doubles it. Default 10s; zero
	// switches cooldowns off.
	Duration *Duration `json:"duration,omitempty"`
	// Max caps the doubling and any Retry-After of the upstream. Default 5m.
	Max *Duration `json:"max,omitempty"`
}
