package openapi

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(Document())
	if err != nil {
		t.Fatalf("load the document: %v", err)
	}
	return doc
}

func TestTheDocumentIsValidOpenAPI31(t *testing.T) {
	doc := load(t)
	// The resource schemas name their dialect themselves; for the document Swagger UI warns of any but the default.
	if doc.OpenAPI != "3.1.0" || doc.JSONSchemaDialect != "" {
		t.Errorf("openapi %q, jsonSchemaDialect %q, want 3.1.0 and the default dialect", doc.OpenAPI, doc.JSONSchemaDialect)
	}
	if err := doc.Validate(t.Context(), openapi3.EnableMultiError(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaDefaultsValidation()); err != nil {
		t.Errorf("the document is not valid: %v", err)
	}
}

// components are the names under which the schemas of the resources stand in the document.
func components() map[string]string {
	return map[string]string{"Provider": "provider", "Model": "model", "Routing": "routing", "APIKey": "api_key"}
}

func TestTheResourceSchemasStandInTheDocumentVerbatim(t *testing.T) {
	var doc struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(Document(), &doc); err != nil {
		t.Fatal(err)
	}
	for component, kind := range components() {
		want, err := os.ReadFile(filepath.Join("..", "schemas", "resources", kind+".schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		got := bytes.ReplaceAll(doc.Components.Schemas[component], []byte("\n      "), []byte("\n"))
		if !bytes.Equal(got, bytes.TrimSpace(want)) {
			t.Errorf("components.schemas.%s is not the text of %s.schema.json: make generate", component, kind)
		}
	}
}

func TestBodiesAndAnswersReferToTheResourceSchemas(t *testing.T) {
	doc := load(t)
	for component, kind := range components() {
		path := "/admin/v1/" + strings.ReplaceAll(kind, "_", "-") + "s/{id}"
		item := doc.Paths.Value(path)
		if item == nil || item.Put == nil || item.Get == nil {
			t.Errorf("%s: no get and put", path)
			continue
		}
		want := "#/components/schemas/" + component
		for what, content := range map[string]openapi3.Content{
			"the body of put":   item.Put.RequestBody.Value.Content,
			"the answer of get": item.Get.Responses.Status(200).Value.Content,
			"the answer of put": item.Put.Responses.Status(201).Value.Content,
		} {
			if media := content["application/json"]; media == nil || media.Schema.Ref != want {
				t.Errorf("%s: %s does not refer to %s", path, what, want)
			}
		}
	}
}

func TestEveryOperationIsDocumentedAndEveryRefusalIsAProblem(t *testing.T) {
	seen := map[string]string{}
	for path, item := range load(t).Paths.Map() {
		for method, op := range item.Operations() {
			at := method + " " + path
			if op.Summary == "" || len(op.Tags) != 1 || op.OperationID == "" {
				t.Errorf("%s: summary %q, tags %v, operationId %q; want each, one tag", at, op.Summary, op.Tags, op.OperationID)
			}
			if other, twice := seen[op.OperationID]; twice {
				t.Errorf("%s and %s are both called %s", at, other, op.OperationID)
			}
			seen[op.OperationID] = at
			for status, response := range op.Responses.Map() {
				media := response.Value.Content["application/problem+json"]
				if refusal := status >= "400"; refusal != (media != nil && media.Schema.Ref == "#/components/schemas/Problem") {
					t.Errorf("%s: the answer %s is not a problem where it should be, or the reverse", at, status)
				}
			}
			if strings.HasPrefix(path, "/admin/") != (op.Security != nil && len(*op.Security) > 0) {
				t.Errorf("%s: security %v; every path of /admin/ needs a token, no other does", at, op.Security)
			}
		}
	}
}

func TestTheCallerMayChangeItsCopyOfTheDocument(t *testing.T) {
	Document()[0] = 'x'
	if got := Document()[0]; got != '{' {
		t.Errorf("the document begins with %q after another caller's change", got)
	}
}

func TestThePackageBringsOnlyItsPageAlong(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	allowed := []string{"github.com/sluice-gateway/sluice/openapi", "github.com/swaggest/swgui", "github.com/vearutop/statigz"}
	for pkg := range strings.FieldsSeq(string(out)) {
		if !slices.ContainsFunc(allowed, func(p string) bool { return strings.HasPrefix(pkg, p) }) {
			t.Errorf("the package depends on %s", pkg)
		}
	}
}
