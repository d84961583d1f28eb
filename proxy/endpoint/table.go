package endpoint

import (
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider/openai"
)

// table holds every endpoint by its path.
var table = index(
	&Endpoint{Path: "chat/completions", Shape: envelope.Chat, Wire: &openai.Chat, Teaches: Latency, Kinds: []core.ProviderKind{core.ProviderOpenAI}},
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
