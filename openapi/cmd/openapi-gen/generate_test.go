package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// swagger has one of each thing that OpenAPI 3.1 says in another way than Swagger 2.0 or swag.
const swagger = `{
  "swagger": "2.0",
  "info": {"title": "T", "version": "1", "contact": {}},
  "securityDefinitions": {"Bearer": {"type": "apiKey", "in": "header", "name": "Authorization"}},
  "paths": {
    "/things/{id}": {
      "put": {
        "operationId": "put", "produces": ["application/json"], "consumes": ["application/json"],
        "parameters": [
          {"name": "id", "in": "path", "required": true, "type": "string"},
          {"name": "n", "in": "query", "type": "integer", "minimum": 0, "exclusiveMinimum": true},
          {"name": "body", "in": "body", "required": true, "schema": {"$ref": "#/definitions/core.Thing"}}
        ],
        "responses": {
          "200": {"description": "OK", "schema": {"$ref": "#/definitions/fleet.Report"}},
          "422": {"description": "No", "schema": {"$ref": "#/definitions/Problem"}}
        }
      }
    }
  },
  "definitions": {
    "Problem": {"type": "object", "properties": {"title": {"type": "string", "example": "a < b"}}},
    "core.Thing": {"type": "object", "properties": {"part": {"$ref": "#/definitions/core.Part"}}},
    "core.Part": {"type": "object"},
    "core.Level": {"type": "string", "enum": ["a"], "x-enum-varnames": ["A"]},
    "fleet.Report": {"type": "object", "properties": {
      "thing": {"$ref": "#/definitions/core.Thing"}, "level": {"$ref": "#/definitions/core.Level"}, "none": {"type": "string", "x-nullable": true}}}
  }
}`

const thing = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$id": "https://example.test/thing.schema.json",
  "type": "object",
  "pattern": "^<&>$", "required": ["a", "b"]
}`

func made(t *testing.T) []byte {
	t.Helper()
	doc, err := lift([]byte(swagger))
	if err != nil {
		t.Fatal(err)
	}
	text, err := assemble(doc, []resource{{"Thing", []byte(thing)}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWhatIsMadeIsOpenAPI31(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(made(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	put := doc.Paths.Value("/things/{id}").Put
	if body := put.RequestBody.Value.Content["application/json"].Schema.Ref; body != "#/components/schemas/Thing" {
		t.Errorf("the body refers to %q", body)
	}
	if put.Responses.Status(422).Value.Content["application/problem+json"] == nil {
		t.Error("the problem has not its own media type")
	}
	if s := doc.Components.SecuritySchemes["Bearer"].Value; s.Type != "http" || s.Scheme != "bearer" {
		t.Errorf("the token is of type %q and scheme %q", s.Type, s.Scheme)
	}
}

func TestWhatIsMadeIsWritten(t *testing.T) {
	text := string(made(t))
	for _, want := range []string{
		`"openapi": "3.1.0"`,
		`"exclusiveMinimum": 0`,
		`"a < b"`,
		`"FleetReport": {`,
		`"CoreLevel": {`,
		"\"Thing\": " + strings.ReplaceAll(thing, "\n", "\n      "),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document does not hold %s:\n%s", want, text)
		}
	}
	for _, no := range []string{"x-originalParamName", "x-enum-varnames", "core.", "CorePart", "contact", "nullable", "definitions"} {
		if strings.Contains(text, no) {
			t.Errorf("the document holds %s:\n%s", no, text)
		}
	}
	var none struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]struct{ Type any } }
		}
	}
	if err := json.Unmarshal([]byte(text), &none); err != nil {
		t.Fatal(err)
	}
	if types, ok := none.Components.Schemas["FleetReport"].Properties["none"].Type.([]any); !ok || len(types) != 2 || types[1] != "null" {
		t.Errorf("a field that may be null has the type %v", none.Components.Schemas["FleetReport"].Properties["none"].Type)
	}
}

func TestTheSameInputMakesTheSameText(t *testing.T) {
	first := made(t)
	for range 10 {
		if again := made(t); !bytes.Equal(first, again) {
			t.Fatalf("two runs differ:\n%s\n%s", first, again)
		}
	}
}

func TestASchemaThatNoPathUsesIsAnError(t *testing.T) {
	doc, err := lift([]byte(swagger))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := assemble(doc, []resource{{"Other", []byte(`{}`)}}); err == nil {
		t.Error("a resource that the API does not speak of was left out in silence")
	}
}

func TestTwoTypesOfOneNameAreAnError(t *testing.T) {
	d := &document{}
	d.Components.Schemas = map[string]any{"FleetReport": map[string]any{}, "fleet.Report": map[string]any{}}
	if err := d.rename(nil); err == nil {
		t.Error("one of two schemas was lost in silence")
	}
}

func TestASchemaFileIsNamedAfterItsType(t *testing.T) {
	dir := t.TempDir()
	for file, want := range map[string]string{"provider.schema.json": "Provider", "api_key.schema.json": "APIKey", "rate_limit.schema.json": "RateLimit"} {
		if got := component(file); got != want {
			t.Errorf("component(%q) = %q, want %q", file, got, want)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readResources(dir)
	if err != nil || len(got) != 3 || string(got[0].schema) != "{}" {
		t.Errorf("readResources = %v, %v; want three schemas without the last line break", got, err)
	}
	if _, err := readResources(t.TempDir()); err == nil {
		t.Error("a folder without schemas is taken for one with")
	}
}
