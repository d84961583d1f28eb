package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryKindLivesFromCreateToDelete(t *testing.T) {
	w := newWorld(t)
	w.seed()
	for _, k := range []struct{ path, body, patch, patched string }{
		{"/admin/v1/providers/a", providerBody, `{"base_url":"https://one.example/v2"}`, "/base_url"},
		{"/admin/v1/models/a", modelBody, `{"upstream_model":"gpt-2"}`, "/upstream_model"},
		{"/admin/v1/profiles/a", profileBody, `{"exploration":0.1}`, "/exploration"},
		{"/admin/v1/routings/a", routingBody, `{"strategy":"round_robin"}`, "/strategy"},
		{"/admin/v1/api-keys/a", apiKeyBody, `{"disabled":true}`, "/disabled"},
	} {
		created := w.do("PUT", k.path, k.body).want(201)
		if got := created.header.Get("Location"); got != k.path {
			t.Errorf("Location: got %q, want %q", got, k.path)
		}
		if got := created.object()["id"]; got != "a" {
			t.Errorf("%s: the id is not in the resource: %s", k.path, created.body)
		}
		same(t, w.do("GET", k.path, "").want(200), created)

		again := w.do("PUT", k.path, k.body).want(200)
		same(t, again, created)

		patched := w.do("PATCH", k.path, k.patch).want(200)
		if patched.header.Get("ETag") == created.header.Get("ETag") || string(patched.body) == string(created.body) {
			t.Errorf("%s: the patch changed nothing: %s", k.path, patched.body)
		}
		same(t, w.do("GET", k.path, "").want(200), patched)

		collection, _ := strings.CutSuffix(k.path, "/a")
		var l List
		if err := json.Unmarshal(w.do("GET", collection, "").want(200).body, &l); err != nil {
			t.Fatal(err)
		}
		if l.Items[0].ETag != patched.header.Get("ETag") || string(l.Items[0].Resource)+"\n" != string(patched.body) {
			t.Errorf("%s: the list shows %s, want %s", k.path, l.Items[0].Resource, patched.body)
		}

		gone := w.do("DELETE", k.path, "").want(204)
		if len(gone.body) > 0 || gone.header.Get("X-Sluice-Revision") == "" {
			t.Errorf("%s: DELETE answered %v %s", k.path, gone.header, gone.body)
		}
		w.do("GET", k.path, "").problem(404, "not-found")
		w.do("DELETE", k.path, "").problem(404, "not-found")
		w.do("PATCH", k.path, k.patch).problem(404, "not-found")
	}
}

// same checks that both answers show one state of a resource.
func same(t *testing.T, got, want answer) {
	t.Helper()
	if diff := cmp.Diff(string(want.body), string(got.body)); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", got.asked, diff)
	}
	if g, w := got.header.Get("ETag"), want.header.Get("ETag"); g != w || g == "" {
		t.Errorf("%s: ETag %s, want %s", got.asked, g, w)
	}
}

func TestAWriteThatChangesNothingKeepsTheRevision(t *testing.T) {
	w := newWorld(t)
	first := w.do("PUT", "/admin/v1/providers/p", providerBody).want(201)
	w.do("PUT", "/admin/v1/providers/other", providerBody).want(201)
	// Other order of fields, other white space.
	again := w.do("PUT", "/admin/v1/providers/p", `{ "auth":{"secret":"sk-SECRET-MARK-abcd"}, "base_url":"https://one.example/v1", "id":"p", "kind":"openai"}`).want(200)
	same(t, again, first)
	if got, want := again.header.Get("X-Sluice-Revision"), first.header.Get("X-Sluice-Revision"); got != want {
		t.Errorf("X-Sluice-Revision: got %s, want %s", got, want)
	}
	same(t, w.do("PATCH", "/admin/v1/providers/p", `{}`).want(200), first)
}

func TestTheIDInTheBodyMustBeThatOfThePath(t *testing.T) {
	w := newWorld(t)
	p := w.do("PUT", "/admin/v1/providers/p", `{"id":"q","kind":"openai","base_url":"ftp://x"}`).problem(422, "refused")
	if diff := cmp.Diff([]string{"#/base_url url", "#/id id"}, brief(p.Errors)); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
	w.do("PUT", "/admin/v1/providers/p", `{"id":null,"kind":"openai","base_url":"http://x"}`).problem(422, "refused")
	w.do("PUT", "/admin/v1/providers/p", `{"id":"p","kind":"openai","base_url":"http://x"}`).want(201)
	w.do("PATCH", "/admin/v1/providers/p", `{"id":"q"}`).problem(422, "refused")
	w.do("GET", "/admin/v1/providers/q", "").problem(404, "not-found")
}
