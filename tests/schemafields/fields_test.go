package schemafields

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
		if diff := cmp.Diff(want, got); diff != "" {
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
			out[path+"/"+name] = shape{jsonType(t, f.Type), options != "omitempty"}
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

func TestIDsHaveTheGrammarOfCore(t *testing.T) {
	references := map[core.Kind][]string{
		core.KindProvider: {"/id"}, core.KindModel: {"/id", "/provider"}, core.KindRouting: {"/id", "/targets/*/model"}, core.KindAPIKey: {"/id"},
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
