package bundle

import (
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/schemas"
)

// Check returns everything that is wrong with the resources taken as one whole, sorted: what their schemas refuse,
// and for those that pass, what Compile finds. References to resources that are not among them are faults.
func Check(set *schemas.Set, entries []Entry) []core.Fault {
	var faults []core.Fault
	doc := core.NewDocument()
	refused, seen := map[core.Ref]bool{}, map[core.Ref]bool{}
	for _, e := range entries {
		found := checkOne(set, e)
		if seen[e.Ref] {
			found = append(found, core.Fault{Ref: e.Ref, Pointer: "/id", Rule: "unique", Message: "the resource is stated twice", Severity: core.SeverityReject})
		}
		seen[e.Ref] = true
		refused[e.Ref] = refused[e.Ref] || len(found) > 0
		faults = append(faults, found...)
		if r, _ := core.Decode(e.Ref, e.Raw); r != nil {
			doc.Set(r)
		}
	}
	_, compiled := core.Compile(doc, core.Site{})
	for _, f := range compiled {
		if !refused[f.Ref] {
			faults = append(faults, f)
		}
	}
	slices.SortFunc(faults, core.Fault.Compare)
	return faults
}

func checkOne(set *schemas.Set, e Entry) (out []core.Fault) {
	for _, f := range set.Validate(string(e.Ref.Kind), e.Raw) {
		out = append(out, core.Fault{Ref: e.Ref, Pointer: f.Pointer, Rule: f.Rule, Message: f.Message, Severity: core.SeverityReject})
	}
	return out
}
