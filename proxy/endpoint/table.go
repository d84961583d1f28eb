package endpoint

import (
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider/openai"
)

// table holds every endpoint by its path.
var table = index(
	&Endpoint{Path: "chat/completions", Shape: envelope.Chat, Wire: &openai.Chat, Teaches: Latency, Kinds: plain},
	&Endpoint{Path: "completions", Shape: envelope.Completions, Wire: &openai.Chat, Teaches: Latency, Kinds: plain},
	&Endpoint{Path: "responses", Dialect: apierror.Responses, Shape: envelope.Responses, Wire: &openai.Responses, Teaches: Latency, Kinds: plain},
	&Endpoint{Path: "embeddings", Wire: &openai.Object, Teaches: Health, Kinds: plain},
	&Endpoint{Path: "moderations", Wire: &openai.Object, Teaches: Health, Kinds: plain},
	&Endpoint{Path: "rerank", Wire: &openai.Object, Teaches: Health, Kinds: plain},
	&Endpoint{Path: "images/generations", Wire: &openai.Object, Teaches: Health, Kinds: plain},
)

// plain are the kinds of upstream that speak the OpenAI API wholly.
var plain = []core.ProviderKind{core.ProviderOpenAI}

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
