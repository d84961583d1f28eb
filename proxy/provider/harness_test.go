package provider

import (
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/envelope"
)

// plain is the dialect of the tests.
var plain = Dialect{
	Forwarded: []string{"Openai-Beta", "Traceparent", "Tracestate"},
	Returned:  []string{"Openai-Processing-Ms", "Openai-Version"}, ReturnedPrefix: "X-Ratelimit-",
}

// provider is what differs between the providers of the tests.
type provider struct {
	base, secret, header, query string
	headers                     map[string]string
}

// compiled returns a target of that provider as the node would compile it.
func compiled(tb testing.TB, p provider) *core.Target {
	tb.Helper()
	if p.base == "" {
		p.base = "https://api.example.com/v1"
	}
	res := &core.Provider{ID: "p", Kind: core.ProviderOpenAI, BaseURL: p.base, Headers: p.headers}
	if p.secret != "" {
		res.Auth = &core.Auth{Secret: p.secret, Header: p.header, Query: p.query}
	}
	doc := core.NewDocument()
	doc.Set(res)
	doc.Set(&core.Model{ID: "m", Provider: "p", UpstreamModel: "u"})
	snapshot, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		tb.Fatalf("compile %+v: %v", p, faults)
	}
	return snapshot.Targets()[0]
}

func bodyOf(tb testing.TB, raw, model string) envelope.Body {
	tb.Helper()
	e, err := envelope.Parse([]byte(raw), envelope.Chat)
	if err != nil {
		tb.Fatalf("%s: %v", raw, err)
	}
	return e.Body(model, envelope.Options{})
}
