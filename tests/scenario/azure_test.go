package scenario

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

func azureEmbedsByItsDeploymentAndNothingOfTheCallerReachesIt(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "azure")
	azure, answering := env.Upstream(t, upstream.Behaviour{}), env.Upstream(t, upstream.Behaviour{})
	resource := strings.TrimSuffix(azure.BaseURL, "/v1")
	for _, model := range []string{"azure-code", "azure-translate", "azure-chat"} {
		serve(o, model, answering)
	}
	o.put("providers/azure", fmt.Sprintf(`{"kind":"azure-openai","base_url":%q,"api_version":"2024-06-01","auth":{"secret":"key-of-azure"},"headers":{"X-Team":"red"}}`, resource))
	routing := func(endpoint string) string {
		return fmt.Sprintf(`{"strategy":"semantic","targets":%s,"semantic":{"embeddings":{"provider":"azure","endpoint":%q},"threshold":0.25}}`, exampleTargets("azure", ""), endpoint)
	}
	for _, lacking := range []string{"/openai/deployments/embed/embeddings", "/openai/embeddings?api-version=2024-10-21", "/v1/embeddings"} {
		o.must(http.StatusUnprocessableEntity, "PUT", "/admin/v1/routings/azure", routing(resource+lacking))
	}
	acquainted(t, env.Proxies())
	o.put("routings/azure", routing(resource+"/openai/deployments/embed/embeddings?api-version=2024-10-21"))
	ready(t, env.Proxies(), "azure")

	for _, p := range env.Proxies() {
		a := program(t, p, key).says("azure", codePrompt, "Cookie", "session=of-the-caller", "X-Team", "of-the-caller", "X-Of-The-Caller", "yes", "Openai-Organization", "of-the-caller")
		a.servedBy(t, "azure-code", "embedded by Azure")
	}
	requests := azure.Requests()
	if want := 1 + len(env.Proxies()); len(requests) != want {
		t.Errorf("%d calls, want %d: one for the examples, and each node's own for the prompt", len(requests), want)
	}
	for _, r := range requests {
		reachedAzure(t, r, key)
	}
}

func reachedAzure(t *testing.T, r upstream.Request, key string) {
	t.Helper()
	query, err := url.ParseQuery(r.Query)
	if err != nil || r.Path != "/openai/deployments/embed/embeddings" || len(query) != 1 || query.Get("api-version") != "2024-10-21" || r.Model != "" {
		t.Errorf("Azure was asked at %s?%s for the model %q, want the deployment, one version and no model", r.Path, r.Query, r.Model)
	}
	if r.Header.Get("Api-Key") != "key-of-azure" || r.Header.Get("X-Team") != "red" {
		t.Errorf("Azure got Api-Key %q and X-Team %q, want the provider's own", r.Header.Get("Api-Key"), r.Header.Get("X-Team"))
	}
	for name, values := range r.Header {
		text := strings.Join(values, " ")
		if name == "Cookie" || name == "Authorization" || strings.Contains(strings.ToLower(name+text), "of-the-caller") || strings.Contains(text, key) {
			t.Errorf("%s: %s of the caller reached Azure", name, text)
		}
	}
}
