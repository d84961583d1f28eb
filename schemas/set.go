package schemas

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

//go:embed resources/*.schema.json
var files embed.FS

// Kinds returns the kinds of resources that have a schema, in the order in which they build on one another.
func Kinds() []string { return []string{"provider", "model", "profile", "routing", "api_key"} }

// Raw returns the text of the kind's schema, verbatim; false means that there is no such kind.
func Raw(kind string) ([]byte, bool) {
	b, err := files.ReadFile("resources/" + kind + ".schema.json")
	return b, err == nil
}

// Set is the compiled schemas of every kind.
type Set struct{ schemas map[string]*schema }

type schema struct {
	compiled *jsonschema.Schema
	root     map[string]any // the schema's own JSON
	secrets  []string
}

// Load compiles the embedded schemas.
func Load() (*Set, error) {
	set := &Set{schemas: make(map[string]*schema)}
	for _, kind := range Kinds() {
		s, err := load(kind)
		if err != nil {
			return nil, fmt.Errorf("load schema %s: %w", kind, err)
		}
		set.schemas[kind] = s
	}
	return set, nil
}

func load(kind string) (*schema, error) {
	raw, ok := Raw(kind)
	if !ok {
		return nil, errors.New("no such file")
	}
	s := &schema{}
	if err := decode(raw, &s.root); err != nil {
		return nil, err
	}
	id, _ := s.root["$id"].(string)
	c := newCompiler()
	if err := c.AddResource(id, bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	var err error
	s.compiled, err = c.Compile(id)
	s.secrets = secrets(s.root, "")
	return s, err
}

// decode reads JSON without rounding its numbers.
func decode(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return dec.Decode(into)
}

// newCompiler returns a compiler that asserts formats and never opens a file or connection.
func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.AssertFormat = true
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%s is not embedded", url)
	}
	c.RegisterExtension("integer-spelling", nil, integerSpelling{})
	return c
}

// Secrets returns the JSON pointers of the kind's writeOnly fields, such as "/auth/secret", sorted.
// The caller must not change the slice.
func (s *Set) Secrets(kind string) []string {
	if sch := s.schemas[kind]; sch != nil {
		return sch.secrets
	}
	return nil
}
