package core

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
