package httpapi

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

func TestFaultsOfAllKindsAreToldAtOnce(t *testing.T) {
	w := newWorld(t)
	w.seed()
	p := w.do("PUT", "/admin/v1/routings/r2", `{
		"id": "other", "surplus": 1, "retries": 99, "description": 7,
		"strategy": "fastest",
		"targets": [{"model": "m", "weight": -1}, {"weight": 1.5}]
	}`).problem(422, "refused")
	want := []string{
		"#/description type", "#/id id", "#/retries maximum", "#/strategy enum", "#/surplus unknown-field",
		"#/targets/0/weight minimum", "#/targets/1/model required", "#/targets/1/weight type",
	}
	if diff := cmp.Diff(want, brief(p.Errors)); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
	w.do("GET", "/admin/v1/routings/r2", "").problem(404, "not-found")
}

func TestFaultsOfTheSchemaAndOfTheDocumentAreToldTogether(t *testing.T) {
	w := newWorld(t)
	w.seed()
	p := w.do("PUT", "/admin/v1/routings/r2", `{"strategy":"failover","retries":99,"surplus":true,"targets":[{"model":"none"},{"model":"m"}]}`).problem(422, "refused")
	want := []string{"#/retries maximum", "#/surplus unknown-field", "#/targets/0/model reference"}
	if diff := cmp.Diff(want, brief(p.Errors)); diff != "" {
		t.Errorf("faults (-want +got)\n%s", diff)
	}
}

func TestAFaultOfAnotherResourceNamesIt(t *testing.T) {
	w := newWorld(t)
	w.seed()
	p := w.do("PUT", "/admin/v1/models/r", modelBody).problem(422, "refused")
	if diff := cmp.Diff([]string{"routing/r#/id unique"}, brief(p.Errors)); diff != "" {
		t.Errorf("a model with the id of a routing (-want +got)\n%s", diff)
	}
	p = w.do("PATCH", "/admin/v1/providers/p", `{"tls":{"ca_pem":"-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n"}}`).problem(422, "refused")
	want := []string{"#/tls/ca_pem pem", "model/m#/provider reference", "routing/r#/targets targets", "routing/r#/targets/0/model reference"}
	if diff := cmp.Diff(want, brief(p.Errors)); diff != "" {
		t.Errorf("a provider that cannot serve (-want +got)\n%s", diff)
	}
}

// TestWhatWouldMakeEveryRequestFailOpenIsRefusedOnWriting has one case for each refusal of semantic and scored routing
// that the document decides, and some of those that the schema does: both are one 422.
func TestWhatWouldMakeEveryRequestFailOpenIsRefusedOnWriting(t *testing.T) {
	w := newWorld(t)
	w.seed()
	w.do("PUT", "/admin/v1/routings/topics", `{"strategy":"semantic","targets":[{"model":"m","examples":["x"]}],"semantic":{"embeddings":{"provider":"p","model":"e"}}}`).want(201)
	semantic := func(targets, embeddings string) string {
		return `{"strategy":"semantic","targets":[` + targets + `],"semantic":{"embeddings":{` + embeddings + `}}}`
	}
	const sound, openai = `{"model":"m","examples":["x"]}`, `"provider":"p","model":"e"`
	for _, c := range []struct{ path, body, want string }{
		{"routings/x", semantic(`{"model":"m"}`, openai), "#/targets/0/examples required"},
		{"routings/x", semantic(`{"model":"m","catchall":true},{"model":"r","catchall":true}`, openai), "#/targets one-catchall"},
		{"routings/x", `{"strategy":"semantic","targets":[` + sound + `]}`, "#/semantic required"},
		{"routings/x", `{"strategy":"semantic","targets":[` + sound + `],"semantic":{}}`, "#/semantic/embeddings required"},
		{"routings/x", semantic(`{"model":"m","examples":["x"],"threshold":2}`, openai), "#/targets/0/threshold maximum"},
		{"routings/x", semantic(sound, `"provider":"none","model":"e"`), "#/semantic/embeddings/provider reference"},
		{"routings/x", semantic(sound, `"provider":"p"`), "#/semantic/embeddings/model required"},
		{"routings/x", semantic(sound, openai+`,"endpoint":"http://169.254.169.254/embeddings"`), "#/semantic/embeddings/endpoint reach"},
		{"routings/x", semantic(sound+`,{"model":"topics","examples":["y"]}`, openai+`,"dimensions":3`), "#/targets one-embedding"},
		{"routings/x", `{"strategy":"scored","targets":[{"model":"m"}],"profile":"none"}`, "#/profile reference"},
		{"routings/x", `{"strategy":"failover","targets":[{"model":"m"}],"profile":"none"}`, "#/profile strategy"},
		{"profiles/x", `{"optimize":{"cost":0}}`, "#/optimize weights"},
		{"profiles/x", `{"prefer":{"p50":"2s","p90":"1s"}}`, "#/prefer/p90 order"},
		{"profiles/x", `{"prefer":{"p50":"0s"}}`, "#/prefer/p50 minimum"},
		{"profiles/x", `{"require":{"capabilities":["sight"]}}`, "#/require/capabilities/0 enum"},
	} {
		p := w.do("PUT", "/admin/v1/"+c.path, c.body).problem(422, "refused")
		if got := strings.Join(brief(p.Errors), ", "); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.path, c.body, got, c.want)
		}
		w.do("GET", "/admin/v1/"+c.path, "").problem(404, "not-found")
	}
}

func TestReferencesAreProved(t *testing.T) {
	w := newWorld(t)
	w.seed()
	w.do("PUT", "/admin/v1/routings/outer", `{"strategy":"failover","targets":[{"model":"r"}]}`).want(201)
	for path, c := range map[string]struct{ body, want string }{
		"models/x":    {`{"provider":"none","upstream_model":"x"}`, "#/provider reference"},
		"routings/x":  {`{"strategy":"failover","targets":[{"model":"none"},{"model":"m"}]}`, "#/targets/0/model reference"},
		"routings/y":  {`{"strategy":"failover","targets":[{"model":"y"}]}`, "#/targets/0/model cycle"},
		"routings/m":  {routingBody, "#/id unique"},
		"api-keys/k2": {apiKeyBody, "#/key_sha256 unique"},
	} {
		if path == "api-keys/k2" {
			w.do("PUT", "/admin/v1/api-keys/k1", apiKeyBody).want(201)
		}
		p := w.do("PUT", "/admin/v1/"+path, c.body).problem(422, "refused")
		if len(p.Errors) == 0 || brief(p.Errors)[0] != c.want {
			t.Errorf("%s: got %v, want %q", path, brief(p.Errors), c.want)
		}
	}
	p := w.do("PATCH", "/admin/v1/routings/r", `{"targets":[{"model":"outer"},{"model":"m"}]}`).problem(422, "refused")
	if got := strings.Join(brief(p.Errors), ", "); !strings.Contains(got, "#/targets/0/model cycle") || !strings.Contains(got, "routing/outer#/targets/0/model cycle") {
		t.Errorf("a cycle: got %s", got)
	}
}

func TestFaultsThatWereThereBeforeAreNotHeldAgainstAChange(t *testing.T) {
	w := newWorld(t)
	w.seed()
	if _, err := w.store.Update(context.Background(), func(store.Image) ([]store.Change, error) {
		return []store.Change{
			{Ref: core.Ref{Kind: core.KindModel, ID: "dangling"}, Value: []byte(`{"id":"dangling","provider":"later","upstream_model":"x"}`)},
			{Ref: core.Ref{Kind: core.KindRouting, ID: "broken"}, Value: []byte(`{"id":"broken","strategy":"failover","targets":[{"model":"dangling"}]}`)},
		}, nil
	}); err != nil {
		t.Fatal(err)
	}
	w.do("PUT", "/admin/v1/models/m2", modelBody).want(201)
	w.do("PATCH", "/admin/v1/routings/broken", `{"description":"still broken"}`).want(200)
	w.do("PATCH", "/admin/v1/routings/broken", `{"targets":[{"model":"other"}]}`).problem(422, "refused")
	w.do("PUT", "/admin/v1/providers/later", providerBody).want(201)
	w.do("DELETE", "/admin/v1/routings/broken", "").want(204)
}

func TestABodyThatIsNoObjectIsRefused(t *testing.T) {
	w := newWorld(t)
	w.seed()
	for _, body := range []string{`null`, `[]`, `"text"`, `7`, `true`} {
		for _, method := range []string{"PUT", "PATCH"} {
			p := w.do(method, "/admin/v1/providers/p", body).problem(422, "refused")
			if diff := cmp.Diff([]string{"# type"}, brief(p.Errors)); diff != "" {
				t.Errorf("%s %s (-want +got)\n%s", method, body, diff)
			}
		}
	}
}
