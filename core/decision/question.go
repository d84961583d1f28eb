package decision

import (
	"encoding/json"

	"github.com/sluice-gateway/sluice/core"
)

// Question asks what would be decided about a request: which model or routing, and what is known of the request.
// Exactly one of Model, Routing and Profile is given.
type Question struct {
	// Model is the id of a stored model or routing.
	Model string `json:"model,omitempty"`
	// Routing is one that is not stored, or that is to be tried before it is.
	Routing *core.Routing `json:"routing,omitempty" swaggertype:"object"`
	// Profile is one that is not stored, by which Targets are scored.
	Profile *core.Profile        `json:"profile,omitempty" swaggertype:"object"`
	Targets []core.RoutingTarget `json:"targets,omitempty" swaggertype:"array,object"`
	// Request is the body of a chat completion, whose model does not matter.
	Request json.RawMessage `json:"request,omitempty" swaggertype:"object"`
	Facts   Facts           `json:"facts,omitzero" validate:"optional"`
}

// Facts are what a decision goes by. Those that a body tells are not given together with a body.
type Facts struct {
	Stream bool `json:"stream,omitempty"`
	// InputTokens and MaxTokens are for estimates of cost and context windows.
	InputTokens int `json:"input_tokens,omitempty"`
	MaxTokens   int `json:"max_tokens,omitempty"`
	// Capabilities are what a target must be capable of.
	Capabilities []core.Capability `json:"capabilities,omitempty"`
	// Prompt is compared with the examples of semantic routings.
	Prompt string `json:"prompt,omitempty"`
	// Tags are those of X-Sluice-Tags.
	Tags []string `json:"tags,omitempty"`
	// Hash is the value at the place of hash_on, Session that of sticky_on.
	Hash    string `json:"hash,omitempty"`
	Session string `json:"session,omitempty"`
}

// InBody returns the JSON name of a fact that is given and that a body would tell; empty: there is none.
func (f *Facts) InBody() string {
	switch {
	case f.Stream:
		return "stream"
	case f.InputTokens != 0:
		return "input_tokens"
	case f.MaxTokens != 0:
		return "max_tokens"
	case len(f.Capabilities) > 0:
		return "capabilities"
	case f.Prompt != "":
		return "prompt"
	}
	return ""
}
