package core

import (
	"slices"
	"testing"
)

// TestAzureEndpointsNameADeploymentAndAVersion calls the checker with an upstream of each kind: every call to a
// deployment that is not named so fails, and every prompt would go to the fallback.
func TestAzureEndpointsNameADeploymentAndAVersion(t *testing.T) {
	const pointer = "/semantic/embeddings/endpoint "
	for endpoint, want := range map[string][]string{
		"https://x.openai.azure.com/openai/deployments/embed/embeddings?api-version=2024-10-21": nil,
		"https://proxy/azure/openai/deployments/a%2Fb/embeddings?v=1&api-version=preview":       nil,
		"": {pointer + "required"},
		"https://x.openai.azure.com/openai/deployments/embed/embeddings":               {pointer + "api-version"},
		"https://x.openai.azure.com/openai/deployments/embed/embeddings?api-version=":  {pointer + "api-version"},
		"https://x.openai.azure.com/openai/deployments/embed/embeddings?API-VERSION=1": {pointer + "api-version"},
		"https://x.openai.azure.com/v1/embeddings?api-version=1":                       {pointer + "deployment"},
		"https://x.openai.azure.com/openai/deployments//embeddings?api-version=1":      {pointer + "deployment"},
		"https://x.openai.azure.com/openai/deployments/a/b/embeddings?api-version=1":   {pointer + "deployment"},
		"https://x.openai.azure.com/openai/deployments/e/embeddings/?api-version=1":    {pointer + "deployment"},
		"https://x.openai.azure.com/openai/deployments/e/chat?api-version=1":           {pointer + "deployment"},
		"https://x.openai.azure.com": {pointer + "api-version", pointer + "deployment"},
		"https://x/%zz":              {pointer + "url"},
	} {
		c := azure("azure", ProviderAzureOpenAI)
		k := c.check(Ref{KindRouting, "r"})
		p := k.embeddings(&Embeddings{Provider: "azure", Endpoint: endpoint})
		if got := rules(c.faults); !slices.Equal(got, want) || k.ok != (want == nil) {
			t.Errorf("%s: got %v, want %v", endpoint, c.faults, want)
		}
		if !p.Deployment || p.URL != endpoint || p.Upstream.ID != "azure" {
			t.Errorf("%s: got %+v, want a deployment", endpoint, p)
		}
	}
}

func TestOnlyKindsThatEmbedCanBeNamed(t *testing.T) {
	c := azure("claude", "anthropic")
	k := c.check(Ref{KindRouting, "r"})
	if k.embeddings(&Embeddings{Provider: "claude", Model: "e"}); !slices.Equal(rules(c.faults), []string{"/semantic/embeddings/provider embeddings"}) {
		t.Errorf("got %v, want the provider to be refused", c.faults)
	}
}

// azure returns a compiler that knows one upstream of that kind.
func azure(id string, kind ProviderKind) *compiler {
	doc := NewDocument()
	doc.Set(&Provider{ID: id, Kind: kind})
	return &compiler{doc: doc, upstreams: map[string]*Upstream{id: {ID: id, Kind: kind}}}
}

func rules(faults []Fault) []string {
	sortFaults(faults)
	var out []string
	for _, f := range faults {
		out = append(out, f.Pointer+" "+f.Rule)
	}
	return out
}
