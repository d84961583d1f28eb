package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

const schemaPrefix = "#/components/schemas/"

// document is the written form; its fields stand in the order of reading.
type document struct {
	OpenAPI    string         `json:"openapi"`
	Info       map[string]any `json:"info"`
	Tags       []any          `json:"tags,omitempty"`
	Paths      map[string]any `json:"paths"`
	Components struct {
		Schemas         map[string]any `json:"schemas"`
		SecuritySchemes map[string]any `json:"securitySchemes,omitempty"`
	} `json:"components"`
}

// assemble writes doc with the resources' schemas in the places of their Go types.
func assemble(doc *openapi3.T, resources []resource) ([]byte, error) {
	d, err := decode(doc)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, r := range resources {
		names[r.goType()] = r.component
	}
	if err := d.rename(names); err != nil {
		return nil, err
	}
	for _, r := range resources {
		d.Components.Schemas[r.component] = r.placeholder()
	}
	d.prune()
	discard(d.Paths)
	discard(d.Components.Schemas)
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		return nil, err
	}
	out := text.Bytes()
	for _, r := range resources {
		if out, err = r.insert(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func decode(doc *openapi3.T) (*document, error) {
	raw, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	dec.DisallowUnknownFields() // a part that is not in document would be lost
	d := &document{}
	return d, dec.Decode(d)
}

// rename gives every schema its name: that in names, or what schemaName makes of it.
func (d *document) rename(names map[string]string) error {
	name := func(old string) string { return cmp.Or(names[old], schemaName(old)) }
	schemas := make(map[string]any, len(d.Components.Schemas))
	for old, schema := range d.Components.Schemas {
		if _, taken := schemas[name(old)]; taken {
			return fmt.Errorf("two schemas are called %s", name(old))
		}
		schemas[name(old)] = schema
	}
	d.Components.Schemas = schemas
	for _, part := range []any{d.Paths, schemas} {
		references(part, func(in map[string]any, old string) { in["$ref"] = schemaPrefix + name(old) })
	}
	return nil
}

// schemaName turns fleet.Report, as swag calls a type that no annotation names, into FleetReport.
func schemaName(name string) string {
	pkg, typ, qualified := strings.Cut(name, ".")
	if !qualified {
		return name
	}
	return strings.ToUpper(pkg[:1]) + pkg[1:] + typ
}

// prune drops the schemas that no path needs: parts of the resources' Go types, for one.
func (d *document) prune() {
	needed := map[string]bool{}
	var need func(part any)
	need = func(part any) {
		references(part, func(_ map[string]any, name string) {
			if !needed[name] {
				needed[name] = true
				need(d.Components.Schemas[name])
			}
		})
	}
	need(d.Paths)
	for name := range d.Components.Schemas {
		if !needed[name] {
			delete(d.Components.Schemas, name)
		}
	}
}

// references calls f for each reference to a schema in part and for the object that holds it.
func references(part any, f func(in map[string]any, name string)) {
	switch part := part.(type) {
	case []any:
		for _, item := range part {
			references(item, f)
		}
	case map[string]any:
		if ref, ok := part["$ref"].(string); ok && strings.HasPrefix(ref, schemaPrefix) {
			f(part, strings.TrimPrefix(ref, schemaPrefix))
		}
		for _, item := range part {
			references(item, f)
		}
	}
}

// discard drops the notes that swag and the conversion leave for other tools.
func discard(part any) {
	switch part := part.(type) {
	case []any:
		for _, item := range part {
			discard(item)
		}
	case map[string]any:
		delete(part, "x-originalParamName")
		delete(part, "x-enum-varnames")
		for _, item := range part {
			discard(item)
		}
	}
}
