package endpoint

import (
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider/anthropic"
	"github.com/sluice-gateway/sluice/proxy/provider/openai"
)

// table holds every endpoint by its path.
var table = index(
	&Endpoint{Path: "chat/completions", Shape: envelope.Chat, Wire: &openai.Chat, Teaches: Latency, Kinds: deployed},
	&Endpoint{Path: "completions", Shape: envelope.Completions, Wire: &openai.Chat, Teaches: Latency, Kinds: deployed},
	&Endpoint{Path: "responses", Dialect: apierror.Responses, Shape: envelope.Responses, Wire: &openai.Responses, Teaches: Latency, Kinds: deployed},
	&Endpoint{Path: "embeddings", Wire: &openai.Object, Teaches: Health, Kinds: deployed},
	&Endpoint{Path: "moderations", Wire: &openai.Object, Teaches: Health, Kinds: plain},
	&Endpoint{Path: "rerank", Wire: &openai.Object, Teaches: Health, Kinds: plain},
	&Endpoint{Path: "messages", Dialect: apierror.Anthropic, Shape: envelope.Messages, Wire: &anthropic.Messages, Teaches: Latency, Kinds: messages},
	&Endpoint{Path: "messages/count_tokens", Dialect: apierror.Anthropic, Shape: envelope.Messages, Wire: &anthropic.Count, Teaches: Nothing, Kinds: messages},
	&Endpoint{Path: "images/generations", Wire: &openai.Object, Teaches: Health, Kinds: deployed},
)

// plain are the kinds of upstream that speak the OpenAI API wholly; deployed those that do so for a deployed model;
// messages those that speak the Anthropic API.
var (
	plain    = []core.ProviderKind{core.ProviderOpenAI}
	deployed = []core.ProviderKind{core.ProviderOpenAI, core.ProviderAzureOpenAI}
	messages = []core.ProviderKind{core.ProviderAnthropic}
)

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
