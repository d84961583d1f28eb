package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// property is a field as a schema has it.
type property struct {
	Type       string              `json:"type"`
	Default    any                 `json:"default"`
	Enum       []string            `json:"enum"`
	Minimum    *float64            `json:"minimum"`
	Maximum    *float64            `json:"maximum"`
	MinItems   *float64            `json:"minItems"`
	MaxItems   *float64            `json:"maxItems"`
	Items      *property           `json:"items"`
	Properties map[string]property `json:"properties"`
}

func schema(t *testing.T, kind string) property {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root(t), "schemas/resources", kind+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p property
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// find returns the field of a path such as "targets[].weight".
func (p property) find(path string) (property, bool) {
	for name := range strings.SplitSeq(path, ".") {
		name, many := strings.CutSuffix(name, "[]")
		next, known := p.Properties[name]
		if !known || many && next.Items == nil {
			return p, false
		}
		if p = next; many {
			p = *next.Items
		}
	}
	return p, true
}

// says reports whether a cell of a table holds the word, not as a part of another.
func says(cell, word string) bool {
	return regexp.MustCompile(`(^|[^0-9A-Za-z_.-])` + regexp.QuoteMeta(word) + `($|[^0-9A-Za-z_.]|\.($|\s))`).MatchString(cell)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// unsaid returns what a row does not say of the field: its default, its bounds, its choices.
func (p property) unsaid(defaults, bounds string) (out []string) {
	switch v := p.Default.(type) {
	case string:
		if !says(defaults, v) {
			out = append(out, "default "+v)
		}
	case float64:
		if !says(defaults, number(v)) {
			out = append(out, "default "+number(v))
		}
	case bool:
		if !says(defaults, strconv.FormatBool(v)) {
			out = append(out, "default "+strconv.FormatBool(v))
		}
	}
	numbers := []*float64{p.Minimum, p.Maximum, p.MinItems, p.MaxItems}
	choices := slices.Clone(p.Enum)
	if p.Items != nil {
		numbers, choices = append(numbers, p.Items.Minimum, p.Items.Maximum), append(choices, p.Items.Enum...)
	}
	for _, x := range numbers {
		if x != nil && !says(bounds, number(*x)) {
			out = append(out, "bound "+number(*x))
		}
	}
	for _, word := range choices {
		if !says(bounds, word) {
			out = append(out, "choice "+word)
		}
	}
	return out
}

// row is one of a table of fields.
type row struct {
	line             int
	names            []string // of the fields, as their schema has them
	kind             string   // of the schema
	defaults, bounds string
}

var named = regexp.MustCompile("`(models/\\{id\\}: )?([^`]+)`")

// rows returns those of the tables that begin with field, default and range. Below the path of profiles they are of a profile's fields,
// and else of a routing's, unless they say that they are of a model's.
func (p page) rows() (out []row) {
	kind, table := "routing", false
	for i, line := range p.lines {
		if strings.Contains(line, "/admin/v1/profiles/") {
			kind = "profile"
		}
		begins := strings.HasPrefix(line, "| field | default | range |")
		table = begins || table && strings.HasPrefix(line, "|")
		if !table || begins || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		r := row{line: i + 1, kind: kind, defaults: cells[1], bounds: cells[2]}
		for _, m := range named.FindAllStringSubmatch(cells[0], -1) {
			if m[1] != "" {
				r.kind = "model"
			}
			r.names = append(r.names, m[2])
		}
		out = append(out, r)
	}
	return out
}

// TestTheTablesOfFieldsSayWhatTheSchemasDo: each row names fields of its schema, with the default, the bounds and the choices of each.
// Together they have every field of a routing and of a profile.
func TestTheTablesOfFieldsSayWhatTheSchemasDo(t *testing.T) {
	told := map[string]bool{}
	for _, path := range append(pages(t), "docs/routing.md") {
		for _, r := range read(t, path).rows() {
			for _, name := range r.names {
				told[r.kind+" "+name] = true
				field, known := schema(t, r.kind).find(name)
				if !known {
					t.Errorf("%s:%d: no %s has %s", path, r.line, r.kind, name)
				} else if unsaid := field.unsaid(r.defaults, r.bounds); len(unsaid) > 0 {
					t.Errorf("%s:%d: of %s the row does not say %q", path, r.line, name, unsaid)
				}
			}
		}
	}
	aside := []string{"id", "description", "labels", "strategy"} // of every resource, or the pages themselves
	for _, kind := range []string{"routing", "profile"} {
		for _, name := range schema(t, kind).leaves("") {
			if first, _, _ := strings.Cut(name, "."); !slices.Contains(aside, first) && !told[kind+" "+name] {
				t.Errorf("no page has a row for %s of a %s", name, kind)
			}
		}
	}
}

// leaves returns the paths of the fields that hold no others. A session's key is told in one row.
func (p property) leaves(above string) (out []string) {
	for name, field := range p.Properties {
		path := above + name
		switch {
		case name == "sticky_on":
			out = append(out, path)
		case len(field.Properties) > 0:
			out = append(out, field.leaves(path+".")...)
		case field.Items != nil && len(field.Items.Properties) > 0:
			out = append(out, field.Items.leaves(path+"[].")...)
		default:
			out = append(out, path)
		}
	}
	return out
}
