package bundle

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sluice-gateway/sluice/core"
)

// Entry is one resource as a file states it.
type Entry struct {
	Ref core.Ref
	// Raw is the resource in JSON.
	Raw []byte
}

// Read returns the resources of one file in the order of core.Kinds. JSON is read as the YAML that it is.
func Read(r io.Reader) (out []Entry, err error) {
	documents := yaml.NewDecoder(r)
	for {
		var lists map[string][]map[string]any
		err := documents.Decode(&lists)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		entries, err := flatten(lists)
		if err != nil {
			return nil, err
		}
		out = append(out, entries...)
	}
}

func flatten(lists map[string][]map[string]any) (out []Entry, err error) {
	for _, kind := range core.Kinds() {
		name := listName(kind)
		for i, resource := range lists[name] {
			id, ok := resource["id"].(string)
			if !ok {
				return nil, fmt.Errorf("%s[%d] has no id", name, i)
			}
			raw, err := json.Marshal(resource)
			if err != nil {
				return nil, fmt.Errorf("%s[%d]: %w", name, i, err)
			}
			out = append(out, Entry{core.Ref{Kind: kind, ID: id}, raw})
		}
		delete(lists, name)
	}
	if unknown := slices.Sorted(maps.Keys(lists)); len(unknown) > 0 {
		return nil, fmt.Errorf("%q is not a list of resources: a file holds providers, models, profiles, routings and api_keys", unknown[0])
	}
	return out, nil
}

// listName is the kind's plural, spelled as fields are.
func listName(k core.Kind) string { return strings.ReplaceAll(k.Plural(), "-", "_") }
