package scenario

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// serve stores a provider for u and a model of the same name over it.
func serve(o *operator, name string, u Upstream) {
	o.t.Helper()
	serveWith(o, name, u, "")
}

// serveWith does the same with further members of the model.
func serveWith(o *operator, name string, u Upstream, members string) {
	o.t.Helper()
	o.put("providers/"+name, fmt.Sprintf(`{"kind":"openai","base_url":%q}`, u.BaseURL))
	o.put("models/"+name, fmt.Sprintf(`{"provider":%q,"upstream_model":"upstream-of-%s"%s}`, name, name, members))
}

func aWriteIsVisibleOnAllNodes(t *testing.T, env Environment) {
	env.Scale(t, 3)
	o := newOperator(t, env)
	key := newKey(o, "visible")
	serve(o, "visible", env.Upstream(t, upstream.Behaviour{}))

	for _, p := range env.Proxies() {
		if target := direct(t, p, key).mustChat(t, "visible", false); target != "visible" {
			t.Errorf("%s: x-sluice-target is %q, want visible", p.API, target)
		}
	}
	o.written(http.MethodDelete, "models/visible", "")
	for _, p := range env.Proxies() {
		_, err := direct(t, p, key).chat(t.Context(), "visible", false)
		if status := statusOf(err); status != http.StatusNotFound {
			t.Errorf("%s: after the delete a request gets %v, want 404", p.API, err)
		}
	}
}

// statusOf returns the HTTP status of an SDK error, or 0.
func statusOf(err error) int {
	var failure *openai.Error
	if errors.As(err, &failure) {
		return failure.StatusCode
	}
	return 0
}

func theOfficialSDKChatsThroughEveryProxy(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "sdk")
	server := env.Upstream(t, upstream.Behaviour{PerToken: time.Millisecond})
	serve(o, "sdk", server)
	o.put("routings/sdk-routing", `{"strategy":"round_robin","targets":[{"model":"sdk"}]}`)

	for _, p := range env.Proxies() {
		c := direct(t, p, key)
		for _, model := range []string{"sdk", "sdk-routing"} {
			for _, stream := range []bool{false, true} {
				if target := c.mustChat(t, model, stream); target != "sdk" {
					t.Errorf("%s: %q, stream %v: x-sluice-target is %q, want sdk", p.API, model, stream, target)
				}
			}
		}
		if got := modelsOf(t, c); !slices.Contains(got, "sdk") || !slices.Contains(got, "sdk-routing") {
			t.Errorf("%s: /v1/models lists %v, want sdk and sdk-routing among them", p.API, got)
		}
		if _, err := direct(t, p, "sk-nobody").chat(t.Context(), "sdk", false); statusOf(err) != http.StatusUnauthorized {
			t.Errorf("%s: a stranger's request gets %v, want 401", p.API, err)
		}
	}
	for _, r := range server.Requests() {
		if r.Model != "upstream-of-sdk" || r.Header.Get("Authorization") != "" {
			t.Errorf("the upstream was asked for %q with Authorization %q, want upstream-of-sdk and none", r.Model, r.Header.Get("Authorization"))
		}
	}
}

func modelsOf(t *testing.T, c caller) []string {
	t.Helper()
	var out []string
	pages := c.sdk.Models.ListAutoPaging(t.Context())
	for pages.Next() {
		out = append(out, pages.Current().ID)
	}
	if err := pages.Err(); err != nil {
		t.Fatalf("list models: %v", err)
	}
	return out
}
