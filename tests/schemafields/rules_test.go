package schemafields

import (
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

// TestTheSchemaRefusesWhatCoreRefusesOfOneResource changes one field of a sound resource at a time. What
// core refuses of a resource by itself has to be refused before it is stored, and at the same field.
func TestTheSchemaRefusesWhatCoreRefusesOfOneResource(t *testing.T) {
	s := load(t)
	for _, c := range []struct {
		kind  core.Kind
		path  string
		value any
	}{
		{core.KindProvider, "/kind", "gemini"},
		{core.KindProvider, "/kind", "azure-openai"}, // without its version
		{core.KindProvider, "/api_version", "2024-10-21"},
		{core.KindProvider, "/base_url", "ftp://h"},
		{core.KindProvider, "/base_url", "http://"},
		{core.KindProvider, "/base_url", "http://u@h"},
		{core.KindProvider, "/base_url", "http://h/?a=b"},
		{core.KindProvider, "/base_url", "http://h/#a"},
		{core.KindProvider, "/base_url", "://"},
		{core.KindProvider, "/auth/secret", ""},
		{core.KindProvider, "/auth/secret", "a\nb"},
		{core.KindProvider, "/auth/secret", "${env:SLUICE_ADMIN_TOKEN}"},
		{core.KindProvider, "/auth/secret", "${env:sluice_}"},
		{core.KindProvider, "/auth/header", "a b"},
		{core.KindProvider, "/tls/ca_pem", "none"},
		{core.KindModel, "/upstream_model", ""},
		{core.KindModel, "/cooldown/failures", 0},
		{core.KindModel, "/health_check/path", "models"},
		{core.KindModel, "/health_check/path", "/a?b"},
		{core.KindModel, "/health_check/failures", 0},
		{core.KindModel, "/parameters/set/model", "x"},
		{core.KindModel, "/parameters/set/stream_options", nil},
		{core.KindModel, "/parameters/remove", []any{"stream"}},
		{core.KindModel, "/parameters/set/MODEL", "x"},
		{core.KindModel, "/parameters/set/ſtream", true},
		{core.KindModel, "/parameters/remove", []any{"Stream_OptionS"}},
		{core.KindModel, "/parameters/remove", []any{"stream_optionſ"}},
		{core.KindRouting, "/strategy", "fastest"},
		{core.KindRouting, "/when_all_unavailable", "panic"},
		{core.KindRouting, "/retries", -1},
		{core.KindRouting, "/max_fallbacks", -1},
		{core.KindRouting, "/fallback_on_statuses", []any{399}},
		{core.KindRouting, "/fallback_on_statuses", []any{404, 500}},
		{core.KindRouting, "/targets", []any{}},
		{core.KindRouting, "/targets", []any{map[string]any{"model": "m", "weight": 0}}},
		{core.KindRouting, "/targets/*/weight", -1},
		{core.KindModel, "/max_concurrency", 0},
		{core.KindModel, "/capabilities", []any{"sight"}},
		{core.KindRouting, "/latency/selection", "fastest"},
		{core.KindRouting, "/latency/inflight", "on"},
		{core.KindRouting, "/latency/sharpness", 0},
		{core.KindRouting, "/latency/sharpness", 20.01},
		{core.KindRouting, "/targets/*/tags", []any{"ok", "not ok"}},
		{core.KindRouting, "/targets/*/tags", []any{strings.Repeat("x", 65)}},
		{core.KindRouting, "/strategy", "consistent_hash"},
		{core.KindRouting, "/hash_on", map[string]any{"source": "api_key"}},
		{core.KindRouting, "/sticky_on", map[string]any{"source": "body"}},
		{core.KindRouting, "/sticky_on", map[string]any{"source": "header"}},
		{core.KindRouting, "/sticky_on", map[string]any{"source": "header", "name": "a:b"}},
		{core.KindRouting, "/sticky_on", map[string]any{"source": "cookie"}},
		{core.KindRouting, "/sticky_on", map[string]any{"source": "api_key", "name": "x"}},
		{core.KindRouting, "/sticky_on", map[string]any{"source": "client_ip", "name": "x"}},
		{core.KindModel, "/context_window", 0},
		{core.KindRouting, "/semantic/threshold", 1.5},
		{core.KindRouting, "/semantic/on_embedding_failure", "panic"},
		{core.KindRouting, "/semantic/failover", "all"},
		{core.KindRouting, "/semantic/embeddings", nil},
		{core.KindRouting, "/semantic/embeddings/dimensions", 0},
		{core.KindRouting, "/semantic/embeddings/dimensions", core.MaxDimensions + 1},
		{core.KindRouting, "/semantic/embeddings/endpoint", "ftp://h"},
		{core.KindRouting, "/semantic/embeddings/endpoint", "http://"},
		{core.KindRouting, "/semantic/embeddings/endpoint", "https://u:p@h/"},
		{core.KindRouting, "/semantic/embeddings/endpoint", "https://h/?a#b"},
		{core.KindRouting, "/semantic/embeddings/endpoint", "://"},
		{core.KindRouting, "/semantic/embeddings/model", ""},
		{core.KindRouting, "/targets/*/threshold", -1.5},
		{core.KindRouting, "/targets/*/examples", []any{"x", " \n"}},
		{core.KindRouting, "/targets/*/examples", []any{}},
		{core.KindProfile, "/optimize", map[string]any{}},
		{core.KindProfile, "/optimize", map[string]any{"cost": 0}},
		{core.KindProfile, "/optimize/cost", -1},
		{core.KindProfile, "/optimize/priority", core.MaxWeight + 1},
		{core.KindProfile, "/missing/quota", "guess"},
		{core.KindProfile, "/require/capabilities", []any{"tools", "sight"}},
		{core.KindProfile, "/require/context_window", -1},
		{core.KindProfile, "/limits/max_cost_usd", 0},
		{core.KindProfile, "/limits/max_latency_ms", -1},
		{core.KindProfile, "/prefer/min_throughput", 0},
		{core.KindProfile, "/exploration", 0.6},
		{core.KindAPIKey, "/key_sha256", "abc"},
		{core.KindAPIKey, "/key_sha256", strings.Repeat("g", 64)},
		{core.KindAPIKey, "/allowed_models", []any{"["}},
	} {
		resources := plainFor(c.kind, c.path)
		set(resources[c.kind], c.path, c.value)
		own := coreFaults(t, resources, c.kind)
		stated := s.Validate(string(c.kind), encode(t, resources[c.kind]))
		same := func(f core.Fault) bool { return len(stated) > 0 && f.Pointer == stated[0].Pointer }
		if !slices.ContainsFunc(own, same) {
			t.Errorf("%s%s = %v: core says %v, the schema %v; want both to refuse the same field", c.kind, c.path, c.value, own, stated)
		}
	}
}

// TestEveryStrategyRefusesTheSettingsOfAnother tries each strategy with each setting that belongs to some only.
func TestEveryStrategyRefusesTheSettingsOfAnother(t *testing.T) {
	s := load(t)
	key := map[string]any{"source": "header", "name": "X-Key"}
	belongs := map[string][]core.Strategy{
		"latency":   {core.StrategyLeastLatency},
		"hash_on":   {core.StrategyConsistentHash},
		"sticky_on": {core.StrategyLeastLatency, core.StrategyLeastBusy},
		"semantic":  {core.StrategySemantic},
		"profile":   {core.StrategyScored},

		"targets/*/examples":  {core.StrategySemantic},
		"targets/*/threshold": {core.StrategySemantic},
		"targets/*/catchall":  {core.StrategySemantic},
	}
	values := map[string]any{
		"latency": map[string]any{}, "hash_on": key, "sticky_on": key, "semantic": map[string]any{"embeddings": map[string]any{"provider": "p", "model": "e"}}, "profile": "f",
		"targets/*/examples": []any{"x"}, "targets/*/threshold": 0.5, "targets/*/catchall": true,
	}
	for _, strategy := range core.Strategies() {
		for setting, owners := range belongs {
			resources := routed(strategy)
			routing := resources[core.KindRouting]
			set(routing, "/"+setting, values[setting])
			pointer := strings.ReplaceAll("/"+setting, "*", "0")
			own, stated := coreFaults(t, resources, core.KindRouting), s.Validate("routing", encode(t, routing))
			want := 1
			if slices.Contains(owners, strategy) {
				want = 0
			}
			if len(own) != want || len(stated) != want || want == 1 && (own[0].Pointer != pointer || stated[0].Pointer != pointer) {
				t.Errorf("%s with %s: core says %v, the schema %v; want %d fault of it", strategy, setting, own, stated, want)
			}
		}
	}
}

// TestAnAzureProviderIsItsResourceAndAVersion in the words of core and of the schema.
func TestAnAzureProviderIsItsResourceAndAVersion(t *testing.T) {
	s := load(t)
	for _, c := range []struct{ base, version, pointer string }{
		{"https://x.openai.azure.com", "2024-10-21", ""},
		{"https://x.openai.azure.com/", "2025-04-01-preview", ""},
		{"https://gateway/openai-eu", "preview", ""},
		{"https://x.openai.azure.com/openai", "2024-10-21", "/base_url"},
		{"https://x.openai.azure.com/openai/v1/", "2024-10-21", "/base_url"},
		{"https://x.openai.azure.com", "2024-10-21&a=b", "/api_version"},
		{"https://x.openai.azure.com", "", "/api_version"},
	} {
		resources := plainFor(core.KindProvider, "/kind")
		p := resources[core.KindProvider]
		p["kind"], p["base_url"] = "azure-openai", c.base
		if p["api_version"] = c.version; c.version == "" {
			delete(p, "api_version")
		}
		own, stated := coreFaults(t, resources, core.KindProvider), s.Validate("provider", encode(t, p))
		if c.pointer == "" {
			if len(own)+len(stated) > 0 {
				t.Errorf("%s with %q: core says %v, the schema %v", c.base, c.version, own, stated)
			}
		} else if len(own) != 1 || len(stated) != 1 || own[0].Pointer != c.pointer || stated[0].Pointer != c.pointer {
			t.Errorf("%s with %q: core says %v, the schema %v, want one fault at %s", c.base, c.version, own, stated, c.pointer)
		}
	}
}

func TestTheSchemaRefusesTheHeadersThatCoreReserves(t *testing.T) {
	s := load(t)
	for where, with := range map[string]func(name string) (string, any){
		"headers":     func(name string) (string, any) { return "headers", map[string]any{name: "v"} },
		"auth.header": func(name string) (string, any) { return "auth", map[string]any{"secret": "s", "header": name} },
	} {
		reserved := 0
		for _, name := range []string{
			"Accept", "Accept-Encoding", "Api-Key", "Authorization", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Expect", "Forwarded", "Host",
			"Keep-Alive", "OpenAI-Beta", "OpenAI-Organization", "Origin", "Proxy-Authorization", "Proxy-Connection", "Range", "Te", "Traceparent", "Tracestate", "Trailer", "Transfer-Encoding", "Upgrade",
			"User-Agent", "Via", "X-Api-Key", "X-Forwarded-For", "X-Goog-Api-Key", "X-Goog-User-Project", "X-Request-Id",
		} {
			for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
				resources := plain()
				field, value := with(spelling)
				resources[core.KindProvider][field] = value
				own := coreFaults(t, resources, core.KindProvider)
				stated := s.Validate("provider", encode(t, resources[core.KindProvider]))
				if len(own) != len(stated) || len(own) > 0 && (own[0].Pointer != stated[0].Pointer || own[0].Rule != stated[0].Rule) {
					t.Errorf("%s %s: core says %v, the schema %v", where, spelling, own, stated)
				}
				reserved += len(own)
			}
		}
		if reserved == 0 {
			t.Errorf("core reserves no header of %s: the test tests nothing", where)
		}
	}
}

// coreFaults returns what core says of the resource of that kind.
func coreFaults(t *testing.T, resources map[core.Kind]map[string]any, kind core.Kind) []core.Fault {
	t.Helper()
	doc := core.NewDocument()
	for k, resource := range resources {
		r, faults := core.Decode(core.Ref{Kind: k, ID: resource["id"].(string)}, encode(t, resource))
		if len(faults) > 0 {
			t.Fatalf("%s %v: %v", k, resource, faults)
		}
		doc.Set(r)
	}
	_, faults := core.Compile(doc, core.Site{})
	var own []core.Fault
	for _, f := range faults {
		if f.Ref.Kind == kind {
			own = append(own, f)
		}
	}
	return own
}
