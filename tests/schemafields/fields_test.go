package schemafields

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/core"
)

// shape is what a schema and a Go type can agree on about one field.
type shape struct {
	Type     string
	Required bool
}

func TestSchemaFieldsAndGoFieldsAreTheSameSet(t *testing.T) {
	for kind, typ := range map[core.Kind]reflect.Type{
		core.KindProvider: reflect.TypeFor[core.Provider](),
		core.KindModel:    reflect.TypeFor[core.Model](),
		core.KindProfile:  reflect.TypeFor[core.Profile](),
		core.KindRouting:  reflect.TypeFor[core.Routing](),
		core.KindAPIKey:   reflect.TypeFor[core.APIKey](),
	} {
		want := map[string]shape{}
		goFields(t, want, typ, "")
		want["/id"] = shape{"string", false} // the path of the request names it
		got := map[string]shape{}
		for path, f := range schemaFields(t, kind) {
			got[path] = shape{f.typ, f.required}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the Go type (-) and the schema (+) differ:\n%s", kind, diff)
		}
	}
}

// goFields adds the JSON fields below typ. A field that encoding/json never omits is required.
func goFields(t *testing.T, out map[string]shape, typ reflect.Type, path string) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Pointer:
		goFields(t, out, typ.Elem(), path)
	case reflect.Slice, reflect.Map:
		if typ.Elem() == reflect.TypeFor[json.RawMessage]() {
			return // any JSON at all
		}
		out[path+"/*"] = shape{jsonType(t, typ.Elem()), false}
		goFields(t, out, typ.Elem(), path+"/*")
	case reflect.Struct:
		if typ == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			out[path+"/"+name] = shape{jsonType(t, f.Type), options == ""}
			goFields(t, out, f.Type, path+"/"+name)
		}
	}
}

func jsonType(t *testing.T, typ reflect.Type) string {
	t.Helper()
	switch typ {
	case reflect.TypeFor[core.Duration](), reflect.TypeFor[time.Time]():
		return "string"
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return jsonType(t, typ.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	}
	t.Fatalf("no JSON type for %s", typ)
	return ""
}

func TestChoicesAreThoseOfCore(t *testing.T) {
	names := func(list any) string { return fmt.Sprint(list) }
	for path, want := range map[string]string{"/strategy": names(core.Strategies()), "/targets/*/tags/*": core.TagPattern} {
		node := schemaFields(t, core.KindRouting)[path].node
		if got := cmp.Or(node["pattern"], any(names(node["enum"]))); got != want {
			t.Errorf("routing%s: the schema has %v, core %s", path, got, want)
		}
	}
	can := schemaFields(t, core.KindModel)
	if got, want := names(can["/capabilities/*"].node["enum"]), names(core.AllCapabilities()); got != want {
		t.Errorf("capabilities: the schema has %s, core %s", got, want)
	}
	required := schemaFields(t, core.KindProfile)
	if got, want := names(required["/require/capabilities/*"].node["enum"]), names(core.AllCapabilities()); got != want {
		t.Errorf("required capabilities: the schema has %s, core %s", got, want)
	}
	for name, fields := range map[string]map[string]field{"/capabilities": can, "/require/capabilities": required} {
		if got, want := fields[name].node["maxItems"], float64(len(core.AllCapabilities())); got != want {
			t.Errorf("%s may list %v capabilities, want all %v", name, got, want)
		}
	}
}

// TestBoundsAreThoseOfCore: what a node bounds by itself, the schema bounds alike.
func TestBoundsAreThoseOfCore(t *testing.T) {
	routing, profile := schemaFields(t, core.KindRouting), schemaFields(t, core.KindProfile)
	for _, c := range []struct {
		node    map[string]any
		keyword string
		want    float64
	}{
		{routing["/targets/*/examples"].node, "maxItems", core.MaxExamples},
		{routing["/semantic/embeddings/dimensions"].node, "maximum", core.MaxDimensions},
		{profile["/exploration"].node, "maximum", core.MaxExploration},
		{profile["/optimize/latency"].node, "maximum", core.MaxWeight},
	} {
		if got := c.node[c.keyword]; got != c.want {
			t.Errorf("%v: the schema has the %s %v, core %v", c.node["title"], c.keyword, got, c.want)
		}
	}
}

func TestIDsHaveTheGrammarOfCore(t *testing.T) {
	references := map[core.Kind][]string{
		core.KindProvider: {"/id"}, core.KindModel: {"/id", "/provider"}, core.KindProfile: {"/id"},
		core.KindRouting: {"/id", "/targets/*/model", "/profile", "/semantic/embeddings/provider"}, core.KindAPIKey: {"/id"},
	}
	for kind, paths := range references {
		fields := schemaFields(t, kind)
		for _, path := range paths {
			if got := fields[path].node["pattern"]; got != core.IDPattern {
				t.Errorf("%s%s has the pattern %v, want %s", kind, path, got, core.IDPattern)
			}
		}
	}
}
