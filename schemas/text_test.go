package schemas

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// field is one field of a schema: its place in the resource, its place in the schema and its own schema.
type field struct {
	at, location string
	node         map[string]any
}

// fields returns every field at and below node, map values and array items included.
func fields(node map[string]any, at, location string) []field {
	out := []field{{at, location, node}}
	for _, group := range []string{"properties", "patternProperties"} {
		members, _ := node[group].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			out = append(out, fields(members[name].(map[string]any), at+"/"+name, location+pointer{group, name}.String())...)
		}
	}
	if items, ok := node["items"].(map[string]any); ok {
		out = append(out, fields(items, at+"/*", location+"/items")...)
	}
	return out
}

// eachField calls f for every field of every schema.
func eachField(t *testing.T, f func(t *testing.T, kind string, fd field)) {
	t.Helper()
	s := set(t)
	for _, kind := range Kinds() {
		for _, fd := range fields(s.schemas[kind].root, "", "") {
			f(t, kind, fd)
		}
	}
}

func TestEveryFieldIsDocumented(t *testing.T) {
	eachField(t, func(t *testing.T, kind string, fd field) {
		for _, keyword := range []string{"title", "description", "type", "examples"} {
			if fd.node[keyword] == nil {
				t.Errorf("%s%s has no %s", kind, fd.at, keyword)
			}
		}
		if text, _ := fd.node["description"].(string); !strings.HasSuffix(text, ".") {
			t.Errorf("%s%s: description %q is not a sentence", kind, fd.at, text)
		}
	})
}

func TestEveryObjectIsClosedAndEveryValueBounded(t *testing.T) {
	eachField(t, func(t *testing.T, kind string, fd field) {
		bounds := map[any][]string{
			"object": {"additionalProperties"}, "array": {"maxItems"}, "integer": {"minimum", "maximum"}, "number": {"minimum", "maximum"}, "string": {"maxLength", "enum", "pattern"}, "boolean": {"type"},
		}
		has := func(keyword string) bool { return fd.node[keyword] != nil }
		want := bounds[fd.node["type"]]
		if fd.node["type"] == "string" && !slices.ContainsFunc(want, has) || fd.node["type"] != "string" && !(len(want) > 0 && !slices.ContainsFunc(want, func(k string) bool { return !has(k) })) {
			t.Errorf("%s%s of type %v is not bounded by %v", kind, fd.at, fd.node["type"], want)
		}
		open := kind == "model" && fd.at == "/parameters/set" // what upstreams take is theirs to say
		if fd.node["type"] == "object" && fd.node["additionalProperties"] != false && !open {
			t.Errorf("%s%s is open to unknown fields", kind, fd.at)
		}
	})
}

func TestEveryRuleThatDoesNotExplainItselfHasWords(t *testing.T) {
	var walk func(kind, at string, v any)
	walk = func(kind, at string, v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(kind, at, item)
			}
		case map[string]any:
			words, _ := v["x-fault"].(map[string]any)
			for _, keyword := range []string{"pattern", "format", "contains"} {
				_, text := v[keyword].(string)
				_, object := v[keyword].(map[string]any)
				if (text || object) && (words["rule"] == nil || words["message"] == nil) && !strings.HasSuffix(at, "/not") {
					t.Errorf("%s%s has %s without x-fault", kind, at, keyword)
				}
			}
			for name, sub := range v {
				if name != "examples" && name != "x-fault" {
					walk(kind, at+"/"+name, sub)
				}
			}
		}
	}
	for kind, s := range set(t).schemas {
		walk(kind, "", s.root)
	}
}

// TestSchemasStandAlone: whoever embeds a schema elsewhere, as the OpenAPI document does, resolves nothing.
func TestSchemasStandAlone(t *testing.T) {
	for _, kind := range Kinds() {
		raw, _ := Raw(kind)
		for _, keyword := range []string{`"$ref"`, `"$defs"`, `"$anchor"`, `"$dynamicRef"`} {
			if strings.Contains(string(raw), keyword) {
				t.Errorf("%s uses %s", kind, keyword)
			}
		}
	}
	if _, ok := Raw("../set.go"); ok {
		t.Error("Raw opens what is not a kind")
	}
}

func TestEveryExampleAndDefaultValidates(t *testing.T) {
	s := set(t)
	eachField(t, func(t *testing.T, kind string, fd field) {
		one := subschema(t, kind, fd.location)
		values, _ := fd.node["examples"].([]any)
		if fd.node["default"] != nil {
			values = append(slices.Clone(values), fd.node["default"])
		}
		for _, v := range values {
			if err := one.Validate(numbers(t, v)); err != nil {
				t.Errorf("%s%s: %v: %v", kind, fd.at, v, err)
			}
		}
	})
	for _, kind := range Kinds() {
		for _, example := range s.schemas[kind].root["examples"].([]any) {
			raw, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			if faults := s.Validate(kind, raw); len(faults) > 0 {
				t.Errorf("%s example %s: %v", kind, raw, faults)
			}
		}
	}
}

// subschema compiles the part of a kind's schema at location.
func subschema(t *testing.T, kind, location string) *jsonschema.Schema {
	t.Helper()
	raw, _ := Raw(kind)
	var root struct {
		ID string `json:"$id"`
	}
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	c := newCompiler()
	if err := c.AddResource(root.ID, strings.NewReader(string(raw))); err != nil {
		t.Fatal(err)
	}
	var escaped strings.Builder
	for _, token := range parseLocation(location) {
		escaped.WriteString("/" + url.PathEscape(pointer{token}.String()[1:]))
	}
	one, err := c.Compile(root.ID + "#" + escaped.String())
	if err != nil {
		t.Fatalf("%s%s: %v", kind, location, err)
	}
	return one
}

// numbers turns a decoded JSON value into one whose numbers are json.Number.
func numbers(t *testing.T, v any) any {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := decode(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryDurationHasTheSameRule(t *testing.T) {
	rules := map[string][]string{}
	eachField(t, func(t *testing.T, kind string, fd field) {
		if own, _ := fd.node["x-fault"].(map[string]any); own["rule"] == "duration" {
			text, err := json.Marshal([]any{fd.node["pattern"], fd.node["maxLength"], own})
			if err != nil {
				t.Fatal(err)
			}
			rules[string(text)] = append(rules[string(text)], kind+fd.at)
		}
	})
	if len(rules) != 1 {
		t.Errorf("durations differ in their rule: %v", rules)
	}
}

func TestSecretsAreTheWriteOnlyFields(t *testing.T) {
	s := set(t)
	want := map[string][]string{"provider": {"/auth/secret", "/tls/key_pem"}, "model": nil, "routing": nil, "api_key": nil, "other": nil}
	for kind, secrets := range want {
		if diff := cmp.Diff(secrets, s.Secrets(kind)); diff != "" {
			t.Errorf("secrets of %s (-want +got):\n%s", kind, diff)
		}
	}
	eachField(t, func(t *testing.T, kind string, fd field) {
		if fd.node["writeOnly"] != nil && !slices.Contains(s.Secrets(kind), fd.at) {
			t.Errorf("%s%s is writeOnly and not among the secrets: %v", kind, fd.at, s.Secrets(kind))
		}
	})
}
