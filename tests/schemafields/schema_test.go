package schemafields

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/schemas"
)

// field is one field of a resource as its schema states it. In its path, "*" stands for any item of an
// array and any name of a map.
type field struct {
	path     string
	typ      string
	required bool
	node     map[string]any
}

// schemaFields returns the fields of a kind by their paths, the resource itself left out.
func schemaFields(t *testing.T, kind core.Kind) map[string]field {
	t.Helper()
	out := map[string]field{}
	collect(out, schema(t, kind), "")
	return out
}

func schema(t testing.TB, kind core.Kind) map[string]any {
	t.Helper()
	raw, ok := schemas.Raw(string(kind))
	if !ok {
		t.Fatalf("there is no schema of %s", kind)
	}
	var root map[string]any
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

func collect(out map[string]field, node map[string]any, path string) {
	required, _ := node["required"].([]any)
	for name, sub := range object(node["properties"]) {
		add(out, object(sub), path+"/"+name, slices.Contains(required, any(name)))
	}
	for _, sub := range object(node["patternProperties"]) {
		add(out, object(sub), path+"/*", false)
	}
	if items := object(node["items"]); items != nil {
		add(out, items, path+"/*", false)
	}
}

func add(out map[string]field, node map[string]any, path string, required bool) {
	typ, _ := node["type"].(string)
	out[path] = field{path, typ, required, node}
	collect(out, node, path)
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// sorted returns the fields in the order of their paths.
func sorted(fields map[string]field) []field {
	var out []field
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, fields[path])
	}
	return out
}

// set puts value at path into the resource and makes the objects on the way, with one item in each array.
func set(resource map[string]any, path string, value any) {
	name, rest, deeper := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !deeper {
		resource[name] = value
		return
	}
	if items, ok := resource[name].([]any); ok {
		set(object(items[0]), strings.TrimPrefix(rest, "*"), value)
		return
	}
	if resource[name] == nil {
		resource[name] = map[string]any{}
	}
	set(object(resource[name]), "/"+rest, value)
}

func load(t testing.TB) *schemas.Set {
	t.Helper()
	s, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
