package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// resource is a kind whose JSON Schema takes the place of what swag makes of its Go type.
type resource struct {
	component string // name among components.schemas, that of the Go type
	schema    []byte
}

// readResources reads the schemas in dir: routing.schema.json is that of the Go type core.Routing.
func readResources(dir string) ([]resource, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return nil, err
	}
	var out []resource
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		out = append(out, resource{component(filepath.Base(file)), bytes.TrimSpace(text)})
	}
	if len(out) == 0 {
		return nil, errors.New("no schemas in " + dir)
	}
	return out, nil
}

const suffix = ".schema.json"

// component turns api_key.schema.json into APIKey.
func component(file string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(strings.TrimSuffix(file, suffix), "_") {
		if word == "api" {
			b.WriteString("API")
			continue
		}
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// goType is what swag calls the resource's type.
func (r resource) goType() string { return "core." + r.component }

// placeholder is what stands in the document until the schema's text is put in.
func (r resource) placeholder() string { return "schema of " + r.component }

// insert puts the schema's text into the indented document in place of its placeholder.
func (r resource) insert(text []byte) ([]byte, error) {
	hole := []byte(`"` + r.placeholder() + `"`)
	if n := bytes.Count(text, hole); n != 1 {
		return nil, fmt.Errorf("%d places for the schema of %s, want 1", n, r.component)
	}
	line := text[bytes.LastIndexByte(text[:bytes.Index(text, hole)], '\n')+1:]
	margin := line[:len(line)-len(bytes.TrimLeft(line, " "))]
	indented := bytes.ReplaceAll(r.schema, []byte("\n"), append([]byte("\n"), margin...))
	return bytes.Replace(text, hole, indented, 1), nil
}
