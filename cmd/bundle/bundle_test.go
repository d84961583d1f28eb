package bundle_test

import (
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/cmd/bundle"
	"github.com/sluice-gateway/sluice/schemas"
)

const good = `
providers:
  - {id: p, kind: openai, base_url: "https://api.example.com/v1"}
models:
  - id: fast
    provider: p
    upstream_model: gpt
    timeouts: {first_token: 5s}
---
routings:
  - {id: r, strategy: failover, targets: [{model: fast}]}
api_keys:
  - {id: k, key_sha256: "` + hash + `", allowed_models: ["*"], expires_at: 2031-01-01T00:00:00Z}
`

const scoredAndSemantic = `
---
routings:
  - {id: s, strategy: scored, targets: [{model: fast}], profile: economy}
  - id: t
    strategy: semantic
    targets: [{model: fast, examples: [Say hello.]}, {model: r, catchall: true}]
    semantic: {embeddings: {provider: p, model: e}}
profiles:
  - {id: economy, optimize: {cost: 2, latency: 1}}
`

const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

func check(t *testing.T, text string) (out []string) {
	t.Helper()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := bundle.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range bundle.Check(set, entries) {
		out = append(out, f.Ref.String()+"#"+f.Pointer+" "+f.Rule)
	}
	return out
}

func TestResourcesThatFitTogetherHaveNoFaults(t *testing.T) {
	if got := check(t, good+scoredAndSemantic); len(got) > 0 {
		t.Errorf("got %q, want no faults", got)
	}
	if got := check(t, `{"providers":[{"id":"p","kind":"openai","base_url":"http://127.0.0.1:1/v1"}]}`); len(got) > 0 {
		t.Errorf("JSON: got %q, want no faults", got)
	}
}

func TestFaultsOfSchemasAndOfTheWholeAreFoundAtOnce(t *testing.T) {
	got := check(t, strings.NewReplacer("strategy: failover", "strategy: fastest", "provider: p", "provider: q").Replace(good))
	want := []string{"model/fast#/provider reference", "routing/r#/strategy enum"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAProfileOrAnEmbedderThatNoFileHoldsIsAFault(t *testing.T) {
	got := check(t, strings.NewReplacer("profile: economy", "profile: speed", "embeddings: {provider: p", "embeddings: {provider: q").Replace(good+scoredAndSemantic))
	if want := "routing/s#/profile reference|routing/t#/semantic/embeddings/provider reference"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAResourceStatedTwiceIsAFault(t *testing.T) {
	got := check(t, good+"---"+good)
	if len(got) != 4 || got[0] != "api_key/k#/id unique" {
		t.Errorf("got %q, want one fault for each resource", got)
	}
}

func TestFilesThatAreNoBundlesAreRefused(t *testing.T) {
	cases := map[string]string{
		"resources: []":                     `"resources" is not a list of resources`,
		"models: [{provider: p}]":           "models[0] has no id",
		"models: {id: m}":                   "cannot unmarshal",
		"models: []\nmodels: []":            "already defined",
		"models: [{id: a, id: b}]":          "already defined",
		"providers: [{id: p, weight: .nan}": "did not find",
	}
	for text, want := range cases {
		if _, err := bundle.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
