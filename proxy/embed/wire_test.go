package embed_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

func TestACallIsWhatTheProviderWants(t *testing.T) {
	for _, c := range []struct {
		name       string
		provider   core.Provider
		settings   core.EmbeddingPolicy
		url        string
		model      string // empty: none
		dimensions int    // 0: none
		header     http.Header
	}{
		{"as simple as can be", core.Provider{}, core.EmbeddingPolicy{Model: "e"}, "/v1/embeddings", "e", 0,
			http.Header{"User-Agent": {"sluice/test"}}},
		{"credential and headers", core.Provider{Auth: &core.Auth{Secret: secret}, Headers: map[string]string{"OpenAI-Organization": "org", "user-agent": "custom"}},
			core.EmbeddingPolicy{Model: "e", Dimensions: 4}, "/v1/embeddings", "e", 4,
			http.Header{"User-Agent": {"custom"}, "Openai-Organization": {"org"}, "Authorization": {"Bearer " + secret}}},
		{"credential in the query", core.Provider{Auth: &core.Auth{Secret: "s&k=1", Query: "api key"}}, core.EmbeddingPolicy{Model: "e"},
			"/v1/embeddings?api+key=s%26k%3D1", "e", 0, http.Header{"User-Agent": {"sluice/test"}}},
		{"an endpoint of its own", core.Provider{Auth: &core.Auth{Secret: secret}}, core.EmbeddingPolicy{Model: "e", URL: "HOST/a%2Fb/embed?x=1"},
			"/a%2Fb/embed?x=1", "e", 0, http.Header{"User-Agent": {"sluice/test"}, "Authorization": {"Bearer " + secret}}},
		{"Azure", core.Provider{Auth: &core.Auth{Secret: secret, Header: "api-key"}},
			core.EmbeddingPolicy{Model: "e", Deployment: true, Dimensions: 4, URL: "HOST/openai/deployments/small/embeddings?api-version=2024-10-21"},
			"/openai/deployments/small/embeddings?api-version=2024-10-21", "", 4, http.Header{"User-Agent": {"sluice/test"}, "Api-Key": {secret}}},
		{"Azure, credential in the query", core.Provider{Auth: &core.Auth{Secret: secret, Query: "key"}},
			core.EmbeddingPolicy{Deployment: true, Model: "e", URL: "HOST/openai/deployments/small/embeddings?api-version=2024-10-21"},
			"/openai/deployments/small/embeddings?api-version=2024-10-21&key=" + secret, "", 0, http.Header{"User-Agent": {"sluice/test"}}},
	} {
		s := &server{dimension: 4}
		base, transport := listen(t, s)
		c.provider.BaseURL = base + "/v1"
		c.settings.URL = strings.Replace(c.settings.URL, "HOST", base, 1)
		c.settings.Upstream = upstream(t, c.provider)
		u, err := embedder(t, transport, nil).Embed(t.Context(), endpoint(t, c.settings), prompt, 4)
		if err != nil || !same(u, unit(t, prompt, 4)) {
			t.Fatalf("%s: got %v and error %v", c.name, u, err)
		}
		got := s.calls[0]
		if got.method != http.MethodPost || got.url != c.url || got.EncodingFormat != "float" || len(got.Input) != 1 || got.Input[0] != prompt {
			t.Errorf("%s: got %+v, want a POST of the prompt to %s", c.name, got, c.url)
		}
		if (got.Model == nil) != (c.model == "") || (got.Model != nil && *got.Model != c.model) {
			t.Errorf("%s: model is %v, want %q", c.name, got.Model, c.model)
		}
		if (got.Dimensions == nil) != (c.dimensions == 0) || (got.Dimensions != nil && *got.Dimensions != c.dimensions) {
			t.Errorf("%s: dimensions is %v, want %d", c.name, got.Dimensions, c.dimensions)
		}
		c.header.Set("Accept", "application/json")
		c.header.Set("Content-Type", "application/json")
		got.header.Del("Content-Length")
		got.header.Del("Accept-Encoding")
		if diff := cmp.Diff(c.header, got.header); diff != "" {
			t.Errorf("%s: header (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestAConnectionThatTheServerHasClosedIsReplaced(t *testing.T) {
	s := &server{dimension: 4}
	base, transport := listen(t, s)
	e := endpoint(t, core.EmbeddingPolicy{Upstream: upstream(t, core.Provider{BaseURL: base})})
	m := embedder(t, transport, nil)
	if _, err := m.Embed(t.Context(), e, "first", 0); err != nil {
		t.Fatal(err)
	}
	closing := true
	s.set(func(s *server) {
		s.instead = func(w http.ResponseWriter, r *http.Request, c call) bool {
			if !closing {
				return false
			}
			closing = false
			conn, _, _ := http.NewResponseController(w).Hijack()
			conn.Close()
			return true
		}
	})
	if _, err := m.Embed(t.Context(), e, "second", 0); err != nil || s.count() != 3 {
		t.Errorf("got error %v after %d calls, want none after 3", err, s.count())
	}
}

func TestTextsArriveAsTheyAre(t *testing.T) {
	s := &server{dimension: 4}
	m, e := embedder(t, s, nil), endpoint(t, core.EmbeddingPolicy{})
	for i, text := range []string{"<a href=\"x\">&amp;</a>", "\u2028\x00\x7f\t\n\\", "日本語 🎉", strings.Repeat("x", 1<<20), "\ufffd"} {
		if _, err := m.Embed(t.Context(), e, text, 0); err != nil || s.calls[i].Input[0] != text {
			t.Errorf("%.40q arrived as %.40q, error %v", text, s.calls[i].Input[0], err)
		}
	}
}

func TestAnEndpointThatCannotBeCalledIsRefused(t *testing.T) {
	up := upstream(t, core.Provider{})
	for _, c := range []struct {
		settings core.EmbeddingPolicy
		want     string
	}{
		{core.EmbeddingPolicy{Model: "e", URL: "ftp://host/x"}, "http"},
		{core.EmbeddingPolicy{Model: "e", URL: "/embeddings"}, "http"},
		{core.EmbeddingPolicy{Model: "e", URL: "http://"}, "host"},
		{core.EmbeddingPolicy{Model: "e", URL: "http://user:" + secret + "@host/"}, "password"},
		{core.EmbeddingPolicy{Model: "e", URL: "http://host/#x"}, "fragment"},
		{core.EmbeddingPolicy{Model: "e", URL: "http://ho st/" + secret}, "not a URL"},
		{core.EmbeddingPolicy{}, "model"},
		{core.EmbeddingPolicy{Model: "e", Dimensions: -1}, "dimensions"},
		{core.EmbeddingPolicy{Model: "e", Dimensions: core.MaxDimensions + 1}, "dimensions"},
		{core.EmbeddingPolicy{Model: "e", Timeout: -1}, "timeout"},
	} {
		c.settings.Upstream = up
		e, err := embed.NewEndpoint(c.settings)
		if e != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%+v: got %v and error %v, want one that tells %q", c.settings, e, err, c.want)
		}
	}
}

func TestAKeyIsThatOfWhatDeterminesTheVector(t *testing.T) {
	base := core.EmbeddingPolicy{Model: "e", URL: "https://host/embed?v=1", Dimensions: 4, Upstream: upstream(t, core.Provider{})}
	with := func(change func(*core.EmbeddingPolicy)) core.EmbeddingPolicy {
		s := base
		change(&s)
		return s
	}
	key := func(s core.EmbeddingPolicy) embed.Key { return endpoint(t, s).Key("text") }
	same := map[string]core.EmbeddingPolicy{
		"host in capitals": with(func(s *core.EmbeddingPolicy) { s.URL = "https://HOST/embed?v=1" }),
		"timeout":          with(func(s *core.EmbeddingPolicy) { s.Timeout = 1 }),
		"another credential": with(func(s *core.EmbeddingPolicy) {
			s.Upstream = upstream(t, core.Provider{Auth: &core.Auth{Secret: secret, Query: "k"}})
		}),
	}
	for name, s := range same {
		if key(s) != key(base) {
			t.Errorf("%s makes another key", name)
		}
	}
	different := map[string]core.EmbeddingPolicy{
		"host":       with(func(s *core.EmbeddingPolicy) { s.URL = "https://host2/embed?v=1" }),
		"path":       with(func(s *core.EmbeddingPolicy) { s.URL = "https://host/embed2?v=1" }),
		"query":      with(func(s *core.EmbeddingPolicy) { s.URL = "https://host/embed?v=2" }),
		"model":      with(func(s *core.EmbeddingPolicy) { s.Model = "f" }),
		"dimensions": with(func(s *core.EmbeddingPolicy) { s.Dimensions = 5 }),
		"none":       with(func(s *core.EmbeddingPolicy) { s.Dimensions = 0 }),
	}
	seen := map[embed.Key]string{key(base): "base", endpoint(t, base).Key("text2"): "text"}
	for name, s := range different {
		if other, dup := seen[key(s)]; dup {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[key(s)] = name
	}
}

// Vectors outlast versions: were the keys to change, every node would embed everything again.
func TestTheKeyOfATextIsTheSameInEveryVersion(t *testing.T) {
	e := endpoint(t, core.EmbeddingPolicy{Model: "e", URL: "https://host/embed?v=1", Dimensions: 4})
	const want = "803e8470832cbe2b2e71a855f1357e733ce3fe6154183f59cb68cc5f56c46550"
	if got := hexKey(e.Key("text")); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
