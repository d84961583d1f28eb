package core

import "time"

// APIKey is a caller of the gateway.
type APIKey struct {
	ID          string            `json:"id"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	// KeySHA256 is the SHA-256 of the key in lower-case hexadecimal; the key itself is never stored.
	KeySHA256 string `json:"key_sha256"`
	// AllowedModels are globs ('*' any run, '?' any character) over model and routing ids. Empty allows none.
	AllowedModels []string `json:"allowed_models"`
	// ExpiresAt ends the key's validity (RFC 3339).
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
	Disabled  bool       `json:"disabled,omitempty"`
	// Explain allows the caller to ask with x-sluice-explain for the decision behind an answer.
	Explain bool `json:"explain,omitempty"`
}
