package schemafields

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

func TestTheExamplesTogetherMakeADocumentWithoutFault(t *testing.T) {
	doc := core.NewDocument()
	for _, kind := range core.Kinds() {
		for _, example := range examples(t, kind) {
			r, faults := core.Decode(core.Ref{Kind: kind, ID: example["id"].(string)}, encode(t, example))
			if len(faults) > 0 {
				t.Fatalf("%s %v: %v", kind, example, faults)
			}
			doc.Set(r)
		}
	}
	if _, faults := core.Compile(doc, core.Site{}); len(faults) > 0 {
		t.Errorf("the examples of the schemas do not work together: %v", faults)
	}
}

// examples returns the whole resources that a schema shows.
func examples(t testing.TB, kind core.Kind) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, example := range schema(t, kind)["examples"].([]any) {
		out = append(out, object(example))
	}
	return out
}

// model returns a model with one duration.
func model(duration string) map[string]any {
	return map[string]any{"id": "m", "provider": "p", "upstream_model": "u", "cooldown": map[string]any{"duration": duration}}
}

func TestDurationsThatTheSchemaAcceptsDecode(t *testing.T) {
	s := load(t)
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 5000 {
		text := randomDuration(random)
		raw := encode(t, model(text))
		if len(s.Validate("model", raw)) > 0 {
			continue
		}
		accepted++
		if _, faults := core.Decode(core.Ref{Kind: core.KindModel, ID: "m"}, raw); len(faults) > 0 {
			t.Fatalf("the schema accepts the duration %q, core does not: %v", text, faults)
		}
	}
	if accepted < 200 {
		t.Errorf("only %d of the random durations were accepted: they test nothing", accepted)
	}
}

// randomDuration returns parts of the grammar of durations, now and then one that does not belong in it.
func randomDuration(random *rand.Rand) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	var b strings.Builder
	for range 1 + random.IntN(7) {
		b.WriteString(pick("", "", "", "", "", "", "-", "+", " ", "."))
		b.WriteString(strings.Repeat(pick("9", "0", "1"), 1+random.IntN(10)))
		b.WriteString(pick("", "", ".5", "."+strings.Repeat("9", 1+random.IntN(10))))
		b.WriteString(pick("ns", "us", "µs", "ms", "s", "m", "h", "h", "d", ""))
	}
	return b.String()
}

func TestDurationsThatCoreWritesPassTheSchema(t *testing.T) {
	s := load(t)
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		d := time.Duration(random.Int64N(int64(9999*time.Hour)) >> random.IntN(60))
		text, err := json.Marshal(core.Duration(d))
		if err != nil {
			t.Fatal(err)
		}
		if faults := s.Validate("model", encode(t, model(strings.Trim(string(text), `"`)))); len(faults) > 0 {
			t.Fatalf("core writes %s, which the schema refuses: %v", text, faults)
		}
	}
}

// FuzzWhatTheSchemaAcceptsGoesThroughCoreAndBack: it decodes without fault, and what core writes of it passes
// the schema again, so that a resource which was read can be written back.
func FuzzWhatTheSchemaAcceptsGoesThroughCoreAndBack(f *testing.F) {
	s := load(f)
	for _, kind := range core.Kinds() {
		for _, example := range examples(f, kind) {
			f.Add(string(kind), encode(f, example))
		}
	}
	f.Add("routing", []byte(`{"id":"r","strategy":"failover","targets":[{"model":"m","weight":1,"priority":-0}],"fallback_on_statuses":[],"labels":{}}`))
	f.Add("model", []byte(`{"id":"m","provider":"p","upstream_model":"u","cost":{"input_per_1m":0.15,"output_per_1m":1e-999},"parameters":{"set":{"a":[1e2,null],"":{}},"remove":["b"]},"health_check":{"path":"/","interval":"1s"}}`))
	f.Add("model", []byte(`{"id":"m","provider":"p","upstream_model":"u","capabilities":[],"max_concurrency":1}`))
	f.Add("routing", []byte(`{"id":"r","strategy":"least_busy","targets":[{"model":"m","tags":[]}],"sticky_on":{"source":"cookie","name":"s"}}`))
	f.Add("routing", []byte(`{"id":"r","strategy":"semantic","targets":[{"model":"m","examples":["a\nb"],"threshold":-1e-9},{"model":"n","catchall":true,"examples":["ü"]}],"semantic":{"embeddings":{"provider":"p","endpoint":"https://h/openai/deployments/e/embeddings?api-version=1","dimensions":1,"timeout":"1s"},"threshold":0,"failover":"none","on_embedding_failure":"fail","expose_scores":true}}`))
	f.Add("routing", []byte(`{"id":"r","strategy":"scored","targets":[{"model":"m"}],"profile":"f"}`))
	f.Add("profile", []byte(`{"id":"f","optimize":{"latency":0,"cost":1e3},"missing":{"quota":"exclude"},"require":{"capabilities":[],"context_window":1},"limits":{"max_cost_usd":1e-6,"max_latency_ms":1},"prefer":{"p50":"1ns","min_throughput":0.001},"exploration":0.5,"probe_after":"0s"}`))
	f.Add("api_key", []byte(`{"id":"k","key_sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","allowed_models":[],"expires_at":"0000-01-01T00:00:00+23:59"}`))
	f.Fuzz(func(t *testing.T, kind string, raw []byte) {
		if len(s.Validate(kind, raw)) > 0 {
			return
		}
		var named struct{ ID string }
		if err := json.Unmarshal(raw, &named); err != nil {
			t.Fatal(err)
		}
		r, faults := core.Decode(core.Ref{Kind: core.Kind(kind), ID: named.ID}, raw)
		if len(faults) > 0 {
			t.Fatalf("the schema accepts the %s %s, core does not: %v", kind, raw, faults)
		}
		if named.ID == "" {
			return
		}
		if faults := s.Validate(kind, encode(t, r)); len(faults) > 0 {
			t.Errorf("core makes %s of the %s %s, which the schema refuses: %v", encode(t, r), kind, raw, faults)
		}
	})
}
