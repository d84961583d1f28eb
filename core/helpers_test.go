package core_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

// document decodes resources written as "kind/id {json without the id}".
func document(t testing.TB, resources ...string) *core.Document {
	t.Helper()
	stored := map[core.Ref][]byte{}
	for _, line := range resources {
		name, body, _ := strings.Cut(line, " ")
		kind, id, _ := strings.Cut(name, "/")
		raw := fmt.Sprintf(`{"id":%q,%s`, id, strings.TrimPrefix(body, "{"))
		stored[core.Ref{Kind: core.Kind(kind), ID: id}] = []byte(strings.Replace(raw, ",}", "}", 1))
	}
	doc, faults := core.ParseDocument(stored)
	if len(faults) > 0 {
		t.Fatalf("the test's own resources have faults: %v", faults)
	}
	return doc
}

const (
	providerP = `provider/p {"kind":"openai","base_url":"http://up.example/v1"}`
	modelA    = `model/a {"provider":"p","upstream_model":"m"}`
	modelB    = `model/b {"provider":"p","upstream_model":"n"}`
)

// routing writes a failover routing over the named targets.
func routing(id string, targets ...string) string {
	list := []map[string]string{}
	for _, t := range targets {
		list = append(list, map[string]string{"model": t})
	}
	raw, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`routing/%s {"strategy":"failover","targets":%s}`, id, raw)
}

// short spells a fault as "kind/id#pointer rule severity".
func short(f core.Fault) string {
	return fmt.Sprintf("%v#%s %s %s", f.Ref, f.Pointer, f.Rule, f.Severity)
}

func shorts(fs []core.Fault) []string {
	out := []string{}
	for _, f := range fs {
		out = append(out, short(f))
	}
	return out
}

// wantFaults compares what Compile reports, in order.
func wantFaults(t *testing.T, what string, got []core.Fault, want ...string) {
	t.Helper()
	if g := shorts(got); !slices.Equal(g, append([]string{}, want...)) {
		t.Errorf("%s: got faults\n  %s\nwant\n  %s", what, strings.Join(g, "\n  "), strings.Join(want, "\n  "))
	}
}

// members spells a group's members in order.
func members(g *core.Group) string {
	var out []string
	for _, m := range g.Members {
		if m.Group != nil {
			out = append(out, m.Group.ID+"*")
			continue
		}
		out = append(out, m.Target.Model)
	}
	return strings.Join(out, " ")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
