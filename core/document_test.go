package core_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

func decode(kind core.Kind, id, raw string) (core.Resource, []core.Fault) {
	return core.Decode(core.Ref{Kind: kind, ID: id}, []byte(raw))
}

func TestDecodeReportsAFieldThatItDoesNotKnowAndServesTheRest(t *testing.T) {
	r, faults := decode(core.KindModel, "m", `{"id":"m","provider":"p","upstream_model":"x","from_the_future":{"a":1}}`)
	wantFaults(t, "an unknown field", faults, "model/m# unknown-field notice")
	if m, ok := r.(*core.Model); !ok || m.Provider != "p" {
		t.Errorf("got %+v, want the model", r)
	}
	if len(faults) == 1 && !strings.Contains(faults[0].Message, "from_the_future") {
		t.Errorf("got message %q, want it to name the field", faults[0].Message)
	}
}

func TestDecodeRejectsWhatIsNotTheResource(t *testing.T) {
	for _, tc := range []struct{ kind, id, raw, want string }{
		{"model", "m", `{"id":"other"}`, "model/m#/id id reject"},
		{"model", "m", `{}`, "model/m#/id id reject"},
		{"model", "m", `null`, "model/m#/id id reject"},
		{"model", "m", `{"id":"m"`, "model/m# json reject"},
		{"model", "m", `{"id":"m"} x`, "model/m# json reject"},
		{"model", "m", ``, "model/m# json reject"},
		{"model", "m", `[]`, "model/m# json reject"},
		{"model", "m", `{"id":7}`, "model/m# json reject"},
		{"model", "m", `{"id":"m","timeouts":{"idle":5}}`, "model/m# json reject"},
		{"model", "m", `{"id":"m","timeouts":{"idle":"-5s"}}`, "model/m# json reject"},
		{"routing", "m", `{"id":"m","targets":{}}`, "routing/m# json reject"},
		{"planet", "m", `{"id":"m"}`, "planet/m# kind reject"},
	} {
		r, faults := decode(core.Kind(tc.kind), tc.id, tc.raw)
		wantFaults(t, tc.raw, faults, tc.want)
		if r != nil {
			t.Errorf("%s: got %+v beside the fault, want nil", tc.raw, r)
		}
	}
}

func TestResourcesSurviveTheirJSON(t *testing.T) {
	for kind, raw := range map[core.Kind]string{
		core.KindProvider: `{"id":"x","kind":"openai","base_url":"http://h","auth":{"secret":"s","scheme":""},"headers":{"a":"b"},"tls":{"server_name":"n"},"timeouts":{"idle":"0s","connect":"1m30s"}}`,
		core.KindModel:    `{"id":"x","provider":"p","upstream_model":"m","cooldown":{"failures":1,"duration":"0s","max":"1h"}}`,
		core.KindRouting:  `{"id":"x","strategy":"failover","targets":[{"model":"a","weight":0,"priority":-1}],"retries":0,"max_fallbacks":0,"deadline":"0s"}`,
		core.KindProfile: `{"id":"x","optimize":{"cost":1},"missing":{"quota":"exclude"},"require":{"capabilities":["tools"],"context_window":1},"limits":{"max_cost_usd":0.1,"max_latency_ms":5},
			"prefer":{"p50":"1s","min_throughput":2},"exploration":0.1,"probe_after":"0s"}`,
		core.KindAPIKey: `{"id":"x","key_sha256":"00","allowed_models":[],"expires_at":"2026-01-01T00:00:00Z","disabled":true,"explain":true}`,
	} {
		first, faults := decode(kind, "x", raw)
		wantFaults(t, raw, faults)
		out, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		again, faults := decode(kind, "x", string(out))
		wantFaults(t, string(out), faults)
		if !reflect.DeepEqual(first, again) {
			t.Errorf("%s came back as %s", raw, out)
		}
	}
}

func TestDocumentSetDeleteAndClone(t *testing.T) {
	doc := core.NewDocument()
	all := []core.Resource{&core.Provider{ID: "x"}, &core.Model{ID: "x"}, &core.Profile{ID: "x"}, &core.Routing{ID: "x"}, &core.APIKey{ID: "x"}}
	for _, r := range all {
		doc.Set(r)
	}
	clone := doc.Clone()
	for _, r := range all {
		doc.Delete(r.Ref())
		doc.Delete(r.Ref()) // gone already: nothing happens
	}
	count := func(d *core.Document) int {
		return len(d.Providers) + len(d.Models) + len(d.Profiles) + len(d.Routings) + len(d.APIKeys)
	}
	if count(doc) != 0 || count(clone) != len(all) {
		t.Errorf("got %d left and %d in the clone, want 0 and 5", count(doc), count(clone))
	}
}

func TestReferrersNameTheFieldThatRefers(t *testing.T) {
	doc := document(t, providerP, modelA, modelB, routing("r", "b", "a"), routing("s", "r", "a"), `profile/f {}`, `profile/p {}`,
		`routing/m {"strategy":"semantic","targets":[{"model":"b","catchall":true}],`+embeds+`}`, `routing/o {"strategy":"scored","targets":[{"model":"b"}],"profile":"f"}`,
		`routing/q {"strategy":"semantic","targets":[{"model":"b","catchall":true}],"semantic":{}}`)
	for ref, want := range map[core.Ref][]string{
		{Kind: core.KindProvider, ID: "p"}: {"model/a#/provider", "model/b#/provider", "routing/m#/semantic/embeddings/provider"},
		{Kind: core.KindProfile, ID: "f"}:  {"routing/o#/profile"},
		{Kind: core.KindProfile, ID: "p"}:  nil,
		{Kind: core.KindModel, ID: "a"}:    {"routing/r#/targets/1/model", "routing/s#/targets/1/model"},
		{Kind: core.KindRouting, ID: "r"}:  {"routing/s#/targets/0/model"},
		{Kind: core.KindRouting, ID: "s"}:  nil,
		{Kind: core.KindAPIKey, ID: "a"}:   nil,
		{Kind: core.KindProvider, ID: "z"}: nil,
	} {
		var got []string
		for _, r := range doc.Referrers(ref) {
			got = append(got, r.Ref.String()+"#"+r.Pointer)
		}
		if !slices.Equal(got, want) {
			t.Errorf("referrers of %v: got %v, want %v", ref, got, want)
		}
	}
}

func TestNewFaultsAreThoseThatAChangeBrings(t *testing.T) {
	_, before := core.Compile(document(t, providerP, modelA, routing("r", "a", "ghost")), core.Site{})
	_, after := core.Compile(document(t, providerP, modelA, routing("r", "a", "ghost"), routing("s", "ghost", "a")), core.Site{})
	wantFaults(t, "added", core.NewFaults(before, after), "routing/s#/targets/0/model reference degrade")
	wantFaults(t, "removed", core.NewFaults(after, before))
}

func TestIDsFollowTheGrammar(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "A9._-": true, "9": true, strings.Repeat("x", 128): true,
		"": false, ".a": false, "-a": false, "a/b": false, "a b": false, "ä": false, "a\n": false, strings.Repeat("x", 129): false,
	} {
		if got := core.CheckID(id) == nil; got != want {
			t.Errorf("%q: accepted is %v, want %v", id, got, want)
		}
	}
}

func TestKindsAreKnownAndHaveCollectionNames(t *testing.T) {
	want := []string{"providers", "models", "profiles", "routings", "api-keys"}
	for i, k := range core.Kinds() {
		if !k.Known() || k.Plural() != want[i] {
			t.Errorf("%s: known %v as %q, want %q", k, k.Known(), k.Plural(), want[i])
		}
	}
	if core.Kind("planet").Known() {
		t.Error(`"planet" is known, want not`)
	}
}

func TestDurationsAreStringsWithAUnit(t *testing.T) {
	for raw, want := range map[string]time.Duration{`"300ms"`: 300 * time.Millisecond, `"1m30s"`: 90 * time.Second, `"0s"`: 0, `"0"`: 0} {
		var d core.Duration
		if err := json.Unmarshal([]byte(raw), &d); err != nil || time.Duration(d) != want {
			t.Errorf("%s: got %v, %v; want %v", raw, time.Duration(d), err, want)
		}
	}
	for _, raw := range []string{`5`, `"5"`, `""`, `"-1s"`, `"soon"`, `true`, `"300000h0m0s1"`, `"9999999999h"`} {
		var d core.Duration
		if err := json.Unmarshal([]byte(raw), &d); err == nil {
			t.Errorf("%s: got %v, want an error", raw, time.Duration(d))
		}
	}
}
