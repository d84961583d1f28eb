package provider

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAHealthCheckIsAskedAsTheProviderWantsIt(t *testing.T) {
	for _, c := range []struct {
		name     string
		provider provider
		url      string
		header   http.Header
	}{
		{"credential in the usual header", provider{secret: "sk-upstream"}, "https://api.example.com/v1/models",
			http.Header{"Accept": {"application/json"}, "User-Agent": {"sluice/test"}, "Authorization": {"Bearer sk-upstream"}}},
		{"credential in a header of its own", provider{base: "http://127.0.0.1:9000/", secret: "sk-upstream", header: "api-key"}, "http://127.0.0.1:9000/models",
			http.Header{"Accept": {"application/json"}, "User-Agent": {"sluice/test"}, "Api-Key": {"sk-upstream"}}},
		{"credential in the query", provider{base: "https://[::1]:8443/a%2Fb/v1", secret: "s&k=1 +/ü", query: "api key"}, "https://[::1]:8443/a%2Fb/v1/models?api+key=s%26k%3D1+%2B%2F%C3%BC",
			http.Header{"Accept": {"application/json"}, "User-Agent": {"sluice/test"}}},
		{"headers of the provider", provider{secret: "sk-upstream", headers: map[string]string{"OpenAI-Organization": "org", "user-agent": "custom"}}, "https://api.example.com/v1/models",
			http.Header{"Accept": {"application/json"}, "User-Agent": {"custom"}, "Openai-Organization": {"org"}, "Authorization": {"Bearer sk-upstream"}}},
		{"no credential", provider{}, "https://api.example.com/v1/models",
			http.Header{"Accept": {"application/json"}, "User-Agent": {"sluice/test"}}},
	} {
		req := plain.NewCheck(t.Context(), compiled(t, c.provider), "/models", "sluice/test")
		if req.Method != http.MethodGet || req.URL.String() != c.url {
			t.Errorf("%s: got %s %s, want GET %s", c.name, req.Method, req.URL, c.url)
		}
		if req.Body != nil || req.GetBody != nil || req.ContentLength != 0 {
			t.Errorf("%s: got a body of length %d, want none", c.name, req.ContentLength)
		}
		if req.Context() != t.Context() {
			t.Errorf("%s: the request does not end with the context", c.name)
		}
		if diff := cmp.Diff(c.header, req.Header); diff != "" {
			t.Errorf("%s: header (-want +got):\n%s", c.name, diff)
		}
	}
}
