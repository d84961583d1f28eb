package azure

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

func compiled(t *testing.T, base, model string, auth *core.Auth) *core.Target {
	t.Helper()
	doc := core.NewDocument()
	doc.Set(&core.Provider{ID: "p", Kind: core.ProviderAzureOpenAI, BaseURL: base, APIVersion: "2024-10-21", Auth: auth})
	doc.Set(&core.Model{ID: "m", Provider: "p", UpstreamModel: model})
	snapshot, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return snapshot.Targets()[0]
}

func TestAURLNamesTheDeploymentAndTheVersion(t *testing.T) {
	for _, c := range []struct{ base, model, path, want string }{
		{"https://x.openai.azure.com", "gpt-4o", "/chat/completions", "https://x.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"},
		{"https://x.openai.azure.com/", "gpt-4o", "/embeddings", "https://x.openai.azure.com/openai/deployments/gpt-4o/embeddings?api-version=2024-10-21"},
		{"https://gw/a%2Fb", "d", "/completions", "https://gw/a%2Fb/openai/deployments/d/completions?api-version=2024-10-21"},
		{"https://gw/a%2Fb", "d", "/responses", "https://gw/a%2Fb/openai/responses?api-version=2024-10-21"},
		{"https://gw", "a/../b?c#d e", "/images/generations", "https://gw/openai/deployments/a%2F..%2Fb%3Fc%23d%20e/images/generations?api-version=2024-10-21"},
		{"https://gw", "d", "/responses", "https://gw/openai/responses?api-version=2024-10-21"},
		{"https://gw", "d", "/models", "https://gw/openai/models?api-version=2024-10-21"},
	} {
		target := compiled(t, c.base, c.model, &core.Auth{Secret: "key-of-the-resource"})
		got := Dialect.NewRequest(t.Context(), provider.Call{Target: target, Path: c.path})
		if got.URL.String() != c.want || got.Header.Get("Api-Key") != "key-of-the-resource" || got.Header.Get("Authorization") != "" {
			t.Errorf("%s: got %s with %v, want %s", c.path, got.URL, got.Header, c.want)
		}
		if target.Upstream.BaseURL.RawQuery != "" {
			t.Errorf("%s changed the base URL to %s", c.path, target.Upstream.BaseURL)
		}
	}
}

func TestACredentialInTheQueryStandsBehindTheVersion(t *testing.T) {
	target := compiled(t, "https://gw", "d", &core.Auth{Secret: "a b", Query: "key"})
	want := url.Values{"api-version": {"2024-10-21"}, "key": {"a b"}}
	for name, req := range map[string]*http.Request{
		"call": Dialect.NewRequest(t.Context(), provider.Call{Target: target, Path: "/chat/completions"}), "check": Dialect.NewCheck(t.Context(), target, "/models", "sluice"),
	} {
		if got := req.URL.Query(); got.Encode() != want.Encode() {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
