package endpoint

import (
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider"
	"github.com/sluice-gateway/sluice/proxy/provider/anthropic"
	"github.com/sluice-gateway/sluice/proxy/provider/azure"
	"github.com/sluice-gateway/sluice/proxy/provider/openai"
)

// Teaching is what the attempts of an endpoint teach about their targets.
type Teaching uint8

// What attempts may teach.
const (
	// Nothing: what a target does here says nothing of how it answers.
	Nothing Teaching = iota
	// Health: failures cool a target and successes bring it back. Its latency is of another kind than that of answers.
	Health
	// Latency: besides, the attempts are samples of the target's latency, failures and lengths of answers.
	Latency
)

// Endpoint is one thing that callers may ask for, by POST.
type Endpoint struct {
	// Path stands below /v1/ for callers: "chat/completions". Below is the same with a slash before it, as upstreams
	// have it below their base URLs.
	Path, Below string
	// Dialect is in whose words errors are told.
	Dialect apierror.Dialect
	// Shape is what is looked for in the body.
	Shape envelope.Shape
	// Wire is how answers read.
	Wire *provider.Wire
	// Teaches is what attempts teach.
	Teaches Teaching
	// Kinds are the kinds of upstream that can answer, those of Detours included.
	Kinds []core.ProviderKind
	// Detours are how those are asked that have no such endpoint.
	Detours []Detour
}

// Detour asks an upstream at another endpoint, in that one's dialect.
type Detour struct {
	Kinds []core.ProviderKind
	To    *Endpoint
	// Caller and Upstream say conversations as the two endpoints do.
	Caller, Upstream conversation.Codec
}

// Detour returns how upstreams of that kind are asked; nil: at the endpoint itself.
func (e *Endpoint) Detour(kind core.ProviderKind) *Detour {
	for i := range e.Detours {
		if slices.Contains(e.Detours[i].Kinds, kind) {
			return &e.Detours[i]
		}
	}
	return nil
}

// Streams reports whether the endpoint has streams.
func (e *Endpoint) Streams() bool { return e.Wire.Inspect != nil }

// Dialect returns how upstreams of that kind are reached.
func Dialect(kind core.ProviderKind) *provider.Dialect {
	switch kind {
	case core.ProviderAzureOpenAI:
		return &azure.Dialect
	case core.ProviderAnthropic:
		return &anthropic.Dialect
	}
	return &openai.Dialect
}
