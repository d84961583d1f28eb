package schemafields

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

// plain are resources without any field that has a default, in the objects that hold such fields.
func plain() map[core.Kind]map[string]any {
	return routed(core.StrategyLeastLatency)
}

// plainFor are resources of which that kind may have the field at path, and in which the field counts.
func plainFor(kind core.Kind, path string) map[core.Kind]map[string]any {
	semantic := strings.HasPrefix(path, "/semantic") || slices.Contains([]string{"/targets/*/catchall", "/targets/*/examples", "/targets/*/threshold"}, path)
	switch {
	case kind == core.KindRouting && semantic:
		return routed(core.StrategySemantic)
	case kind == core.KindRouting && path == "/profile", kind == core.KindProfile:
		out := routed(core.StrategyScored)
		if path == "/optimize/latency" {
			out[core.KindProfile]["optimize"] = map[string]any{"health": 1}
		}
		return out
	}
	return plain()
}

// routed are resources with a routing of that strategy.
func routed(strategy core.Strategy) map[core.Kind]map[string]any {
	target := map[string]any{"model": "m"}
	routing := map[string]any{"id": "r", "strategy": string(strategy), "targets": []any{target}}
	switch strategy {
	case core.StrategyConsistentHash:
		routing["hash_on"] = map[string]any{"source": "header", "name": "X-Key"}
	case core.StrategySemantic:
		target["examples"] = []any{"x"}
		routing["semantic"] = map[string]any{"embeddings": map[string]any{"provider": "p", "model": "e"}}
	case core.StrategyScored:
		routing["profile"] = "f"
	}
	return map[core.Kind]map[string]any{
		core.KindProvider: {"id": "p", "kind": "openai", "base_url": "https://h/v1", "auth": map[string]any{"secret": "s3cret"}, "tls": map[string]any{}},
		core.KindModel:    {"id": "m", "provider": "p", "upstream_model": "u", "health_check": map[string]any{}},
		core.KindProfile:  {"id": "f", "optimize": map[string]any{"latency": 1}},
		core.KindRouting:  routing,
		core.KindAPIKey:   {"id": "k", "key_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "allowed_models": []any{"*"}},
	}
}

// TestWritingADefaultOutChangesNothing: the default that a schema states is the one that core applies. To
// show that the field counts at all, an example that differs from the default must change the snapshot.
func TestWritingADefaultOutChangesNothing(t *testing.T) {
	for _, kind := range core.Kinds() {
		for _, f := range sorted(schemaFields(t, kind)) {
			value, ok := f.node["default"]
			if !ok {
				continue
			}
			base := snapshot(t, plainFor(kind, f.path))
			if !reflect.DeepEqual(base, with(t, kind, f.path, value)) {
				t.Errorf("%s%s: writing the default %v out changes the snapshot", kind, f.path, value)
			}
			example := f.node["examples"].([]any)[0]
			if !reflect.DeepEqual(example, value) && reflect.DeepEqual(base, with(t, kind, f.path, example)) {
				t.Errorf("%s%s: the example %v changes nothing", kind, f.path, example)
			}
		}
	}
}

// TestEveryOptionalScalarHasADefaultOrMeansNothingWhenAbsent: a field that core fills in has to state with what.
func TestEveryOptionalScalarHasADefaultOrMeansNothingWhenAbsent(t *testing.T) {
	without := map[core.Kind][]string{
		core.KindProvider: {"/id", "/description", "/api_version", "/auth/query", "/tls/ca_pem", "/tls/cert_pem", "/tls/key_pem", "/tls/server_name"},
		core.KindModel:    {"/id", "/description", "/context_window", "/max_concurrency", "/timeouts/attempt", "/timeouts/connect", "/timeouts/first_token", "/timeouts/idle"}, // the provider's
		core.KindProfile: {
			"/id", "/description", "/limits/max_cost_usd", "/limits/max_latency_ms", "/prefer/min_throughput", "/prefer/p50", "/prefer/p90", "/prefer/p99", "/require/context_window",
		},
		core.KindRouting: {
			"/id", "/description", "/hash_on/name", "/max_fallbacks", "/profile", "/semantic/embeddings/dimensions", "/semantic/embeddings/endpoint", "/semantic/embeddings/model", "/semantic/threshold",
			"/sticky_on/name", "/targets/*/threshold", "/timeouts/attempt", "/timeouts/connect", "/timeouts/first_token", "/timeouts/idle",
		},
		core.KindAPIKey: {"/id", "/description", "/expires_at"},
	}
	for _, kind := range core.Kinds() {
		want := map[string]bool{}
		for _, path := range without[kind] {
			want[path] = true
		}
		got := map[string]bool{}
		for path, f := range schemaFields(t, kind) {
			_, has := f.node["default"]
			if !has && !f.required && f.typ != "object" && f.typ != "array" && path[len(path)-1] != '*' {
				got[path] = true
			}
		}
		if !maps.Equal(want, got) {
			t.Errorf("%s: fields without a default are %v, want %v", kind, got, want)
		}
	}
}

// with returns the snapshot of the plain resources in which one field has a value.
func with(t *testing.T, kind core.Kind, path string, value any) *core.Snapshot {
	t.Helper()
	resources := plainFor(kind, path)
	set(resources[kind], path, value)
	return snapshot(t, resources)
}

// snapshot compiles the resources, which must be without fault, after they have passed their schemas.
func snapshot(t *testing.T, resources map[core.Kind]map[string]any) *core.Snapshot {
	t.Helper()
	s := load(t)
	doc := core.NewDocument()
	for kind, resource := range resources {
		raw := encode(t, resource)
		if faults := s.Validate(string(kind), raw); len(faults) > 0 {
			t.Fatalf("%s %s: %v", kind, raw, faults)
		}
		r, faults := core.Decode(core.Ref{Kind: kind, ID: resource["id"].(string)}, raw)
		if len(faults) > 0 {
			t.Fatalf("%s %s: %v", kind, raw, faults)
		}
		doc.Set(r)
	}
	compiled, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		t.Fatalf("compile: %v", faults)
	}
	return compiled
}
