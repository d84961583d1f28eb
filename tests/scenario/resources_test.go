package scenario

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func resourcesAreCreatedReadChangedAndDeleted(t *testing.T, env Environment) {
	o := newOperator(t, env)
	const provider = `{"kind":"openai","base_url":"https://api.example.com/v1","auth":{"secret":"sk-a-secret-of-some-length-4242"},"labels":{"team":"red"}}`
	t.Cleanup(func() { o.forget("providers/crud") })

	created := o.must(http.StatusCreated, "PUT", "/admin/v1/providers/crud", provider, "If-None-Match", "*")
	etag := created.Header.Get("ETag")
	if etag == "" || created.Header.Get("X-Sluice-Revision") == "" {
		t.Errorf("a write has ETag %q and X-Sluice-Revision %q, want both", etag, created.Header.Get("X-Sluice-Revision"))
	}
	got := o.must(http.StatusOK, "GET", "/admin/v1/providers/crud", "")
	if got.Header.Get("ETag") != etag || !strings.Contains(got.Body, "***4242") {
		t.Errorf("GET after PUT: ETag %q, want %q; the secret should be shown as ***4242\n%s", got.Header.Get("ETag"), etag, got.Body)
	}

	// What was read may be sent back: the masked secret stands for the stored one.
	o.must(http.StatusOK, "PUT", "/admin/v1/providers/crud", got.Body, "If-Match", etag)
	patched := o.must(http.StatusOK, "PATCH", "/admin/v1/providers/crud", `{"description":"changed","labels":{"team":null}}`,
		"Content-Type", "application/merge-patch+json")
	if body := patched.json(); body["description"] != "changed" || body["auth"] == nil || strings.Contains(patched.Body, "red") {
		t.Errorf("PATCH should change the description, drop the label and keep the rest: %s", patched.Body)
	}
	o.must(http.StatusPreconditionFailed, "PUT", "/admin/v1/providers/crud", provider, "If-Match", etag)
	o.must(http.StatusPreconditionFailed, "PUT", "/admin/v1/providers/crud", provider, "If-None-Match", "*")

	o.must(http.StatusNoContent, "DELETE", "/admin/v1/providers/crud", "")
	gone := o.must(http.StatusNotFound, "GET", "/admin/v1/providers/crud", "")
	if contentType := gone.Header.Get("Content-Type"); !strings.HasPrefix(contentType, "application/problem+json") {
		t.Errorf("404 is %q, want application/problem+json", contentType)
	}
	listsAreCompleteOverTheirPages(o)
}

func listsAreCompleteOverTheirPages(o *operator) {
	o.t.Helper()
	for i := range 5 {
		o.put(fmt.Sprintf("providers/page-%d", i), `{"kind":"openai","base_url":"https://api.example.com/v1","labels":{"set":"pages"}}`)
	}
	seen := map[string]bool{}
	path := "/admin/v1/providers?limit=2&label=set=pages"
	for pages := 1; ; pages++ {
		page := o.must(http.StatusOK, "GET", path, "").json()
		items, _ := page["items"].([]any)
		for _, item := range items {
			resource, _ := item.(map[string]any)["resource"].(map[string]any)
			seen[fmt.Sprint(resource["id"])] = true
		}
		next, _ := page["next_page_token"].(string)
		if next == "" {
			break
		}
		if pages > 5 {
			o.t.Fatalf("5 providers, 2 a page: still another page after %d", pages)
		}
		path = "/admin/v1/providers?limit=2&label=set=pages&page_token=" + next
	}
	if len(seen) != 5 {
		o.t.Errorf("the pages hold %v, want page-0 to page-4", seen)
	}
}

func badWritesAreRefusedWithReasons(t *testing.T, env Environment) {
	o := newOperator(t, env)
	o.put("providers/refusals", `{"kind":"openai","base_url":"https://api.example.com/v1"}`)
	o.put("models/refusals-m", `{"provider":"refusals","upstream_model":"m"}`)

	for _, refused := range []struct {
		why          string
		status       int
		method, path string
		body         string
		want         []string // all stand in the answer
	}{
		{"not JSON", 400, "PUT", "providers/x", `{"kind":`, nil},
		{"trailing data", 400, "PUT", "providers/x", `{"kind":"openai","base_url":"https://a.example"} {}`, nil},
		{"a key twice", 400, "PUT", "providers/x", `{"kind":"openai","kind":"openai","base_url":"https://a.example"}`, []string{"kind"}},
		{"every fault at once", 422, "PUT", "providers/x", `{"kind":"open","base_url":7,"colour":"red"}`, []string{"/kind", "/base_url", "colour"}},
		{"a dangling reference", 422, "PUT", "models/x", `{"provider":"nowhere","upstream_model":"m"}`, []string{"/provider", "nowhere"}},
		{"another id", 422, "PUT", "models/x", `{"id":"y","provider":"refusals","upstream_model":"m"}`, []string{"/id"}},
		{"a name that is taken", 422, "PUT", "routings/refusals-m", `{"strategy":"failover","targets":[{"model":"refusals-m"}]}`, nil},
		{"an embedder that is not there", 422, "PUT", "routings/x", `{"strategy":"semantic","targets":[{"model":"refusals-m","examples":["Hello."]}],"semantic":{"embeddings":{"provider":"nowhere","model":"e"}}}`,
			[]string{"/semantic/embeddings/provider", "nowhere"}},
		{"a target without examples", 422, "PUT", "routings/x", `{"strategy":"semantic","targets":[{"model":"refusals-m"}],"semantic":{"embeddings":{"provider":"refusals","model":"e"}}}`, []string{"/targets/0/examples"}},
		{"a profile that weighs nothing", 422, "PUT", "profiles/x", `{"optimize":{"cost":0}}`, []string{"/optimize"}},
		{"a resource in use", 409, "DELETE", "providers/refusals", "", []string{"refusals-m"}},
		{"a resource that is not there", 404, "DELETE", "models/x", "", nil},
		{"an unknown collection", 404, "GET", "toasters", "", nil},
	} {
		a, err := o.send(refused.method, "/admin/v1/"+refused.path, refused.body)
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != refused.status || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/problem+json") {
			t.Errorf("%s: got %d %s, want %d as a problem: %s", refused.why, a.Status, a.Header.Get("Content-Type"), refused.status, a.Body)
		}
		for _, want := range refused.want {
			if !strings.Contains(a.Body, want) {
				t.Errorf("%s: the answer does not name %s: %s", refused.why, want, a.Body)
			}
		}
	}
	strangersAreRefused(o, env.Admin())
}

func strangersAreRefused(o *operator, admin Admin) {
	o.t.Helper()
	const path, body = "/admin/v1/providers/refusals", `{"kind":"openai","base_url":"https://b.example"}`
	o.as("").must(http.StatusUnauthorized, "GET", path, "")
	o.as("wrong").must(http.StatusUnauthorized, "GET", path, "")
	o.as(admin.ViewerToken).must(http.StatusOK, "GET", path, "")
	o.as(admin.ViewerToken).must(http.StatusForbidden, "PUT", path, body)
	o.as(admin.ViewerToken).must(http.StatusForbidden, "DELETE", path, "")
}
