package endpoint

import (
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/chat"
	"github.com/sluice-gateway/sluice/proxy/conversation/messages"
	"github.com/sluice-gateway/sluice/proxy/conversation/responses"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider/anthropic"
	"github.com/sluice-gateway/sluice/proxy/provider/openai"
)

// The endpoints of conversations, with what leads from one to another.
var chatEndpoint, messagesEndpoint, responsesEndpoint = conversing()

func conversing() (asChat, asMessages, asResponses *Endpoint) {
	asChat = &Endpoint{Path: "chat/completions", Shape: envelope.Chat, Wire: &openai.Chat, Teaches: Latency, Kinds: deployed}
	asMessages = &Endpoint{Path: "messages", Dialect: apierror.Anthropic, Shape: envelope.Messages, Wire: &anthropic.Messages, Teaches: Latency, Kinds: messaging}
	asResponses = &Endpoint{Path: "responses", Dialect: apierror.Responses, Shape: envelope.Responses, Wire: &openai.Responses, Teaches: Latency, Kinds: deployed}
	asResponses.detour(asMessages, sayResponses, sayMessages)
	asChat.detour(asMessages, sayChat, sayMessages)
	asMessages.detour(asChat, sayMessages, sayChat)
	return asChat, asMessages, asResponses
}

// table holds every endpoint by its path.
var table = index(
	chatEndpoint,
	&Endpoint{Path: "completions", Shape: envelope.Completions, Wire: &openai.Chat, Teaches: Latency, Kinds: deployed},
	responsesEndpoint,
	&Endpoint{Path: "embeddings", Wire: &openai.Object, Teaches: Health, Kinds: deployed},
	&Endpoint{Path: "moderations", Wire: &openai.Object, Teaches: Health, Kinds: plain},
	&Endpoint{Path: "rerank", Wire: &openai.Object, Teaches: Health, Kinds: plain},
	messagesEndpoint,
	&Endpoint{Path: "messages/count_tokens", Dialect: apierror.Anthropic, Shape: envelope.Messages, Wire: &anthropic.Count, Teaches: Nothing, Kinds: messaging},
	&Endpoint{Path: "images/generations", Wire: &openai.Object, Teaches: Health, Kinds: deployed},
)

// Kinds of upstream: plain speak the OpenAI API wholly, deployed as far as a deployment goes, messaging the Anthropic API.
var (
	plain     = []core.ProviderKind{core.ProviderOpenAI}
	deployed  = []core.ProviderKind{core.ProviderOpenAI, core.ProviderAzureOpenAI}
	messaging = []core.ProviderKind{core.ProviderAnthropic}
)

// The codecs of the dialects.
var (
	sayChat      = chat.New(nil, nil)
	sayMessages  = messages.New(nil)
	sayResponses = responses.New(nil, nil)
)

// detour lets the kinds of upstream of another endpoint answer this one.
func (e *Endpoint) detour(to *Endpoint, caller, upstream conversation.Codec) {
	kinds := slices.DeleteFunc(slices.Clone(to.Kinds), func(k core.ProviderKind) bool { return slices.Contains(e.Kinds, k) || to.Detour(k) != nil })
	e.Detours = append(e.Detours, Detour{kinds, to, caller, upstream})
	e.Kinds = append(slices.Clip(e.Kinds), kinds...)
}

func index(all ...*Endpoint) map[string]*Endpoint {
	m := make(map[string]*Endpoint, len(all))
	for _, e := range all {
		e.Below = "/" + e.Path
		m[e.Path] = e
	}
	return m
}

// Find returns the endpoint of that path below /v1/; nil if there is none.
func Find(path string) *Endpoint { return table[path] }
