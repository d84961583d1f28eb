package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluice-gateway/sluice/admin/mask"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// prove returns what is to be stored for raw, the whole resource as its writer wants it, or a Refused with
// every fault of the resource and every fault that it brings upon others.
func (c *Catalog) prove(img store.Image, ref core.Ref, raw []byte) ([]byte, error) {
	o, err := decode(raw)
	if err != nil {
		return nil, &Refused{ref, []core.Fault{reject(ref, "", "type", "the resource must be a JSON object")}}
	}
	faults := nameAfter(ref, o)
	faults = append(faults, c.restore(img, ref, o)...)
	value := encode(o)
	faults = add(faults, c.schemaFaults(ref, value))
	resource, undecoded := core.Decode(ref, value)
	switch {
	case resource != nil:
		faults = add(faults, c.introduced(img, resource))
	case len(faults) == 0:
		faults = undecoded
	}
	if len(faults) > 0 {
		slices.SortStableFunc(faults, func(a, b core.Fault) int { return order(ref, a, b) })
		return nil, &Refused{ref, faults}
	}
	return value, nil
}

// nameAfter gives o the id of ref, which it may leave out but not contradict.
func nameAfter(ref core.Ref, o map[string]any) []core.Fault {
	id, given := o["id"]
	if _, isString := id.(string); given && !isString {
		return nil // the schema says so
	}
	o["id"] = ref.ID
	if !given || id == ref.ID {
		return nil
	}
	return []core.Fault{reject(ref, "/id", "id", fmt.Sprintf("id must be left out or be that of the URL, %q", ref.ID))}
}

// restore puts the stored secrets where o has their masks.
func (c *Catalog) restore(img store.Image, ref core.Ref, o map[string]any) []core.Fault {
	var stored map[string]any
	if item, ok := img.Items[ref]; ok {
		stored, _ = decode(item.Value)
	}
	var faults []core.Fault
	kept, foreign := mask.Restore(o, stored, c.schemas.Secrets(string(ref.Kind)))
	for _, pointer := range foreign {
		faults = append(faults, reject(ref, pointer, "masked",
			"a masked value stands for the stored secret only where a GET showed it; send the secret itself"))
	}
	if ref.Kind == core.KindProvider && slices.Contains(kept, credential) && !sameOrigin(stored["base_url"], o["base_url"]) {
		faults = append(faults, reject(ref, credential, "secret", "send the secret again when base_url points to another host"))
	}
	return faults
}

func (c *Catalog) schemaFaults(ref core.Ref, value []byte) []core.Fault {
	var faults []core.Fault
	for _, f := range c.schemas.Validate(string(ref.Kind), value) {
		faults = append(faults, reject(ref, f.Pointer, f.Rule, f.Message))
	}
	return faults
}

// introduced returns the faults that the document has with resource in it and not as it is. A fault of
// another resource that was there before in other words is not the change's doing.
func (c *Catalog) introduced(img store.Image, resource core.Resource) []core.Fault {
	before, _ := core.ParseDocument(img.Values())
	after := before.Clone()
	after.Set(resource)
	_, old := core.Compile(before, c.site)
	_, all := core.Compile(after, c.site)
	return slices.DeleteFunc(core.NewFaults(old, all), func(f core.Fault) bool {
		return f.Ref != resource.Ref() && slices.ContainsFunc(old, func(o core.Fault) bool { return o.Ref == f.Ref && o.Pointer == f.Pointer && o.Rule == f.Rule })
	})
}

// add appends those of more that say something new: a fault around or inside a place that is faulty already
// only follows from it.
func add(faults, more []core.Fault) []core.Fault {
	known := len(faults)
	for _, f := range more {
		if !slices.ContainsFunc(faults[:known], func(k core.Fault) bool { return k.Ref == f.Ref && nested(k.Pointer, f.Pointer) }) {
			faults = append(faults, f)
		}
	}
	return faults
}

// nested reports whether one of the pointers leads through the other.
func nested(a, b string) bool {
	return strings.HasPrefix(a+"/", b+"/") || strings.HasPrefix(b+"/", a+"/")
}

// order puts the faults of the written resource first.
func order(written core.Ref, a, b core.Fault) int {
	switch {
	case a.Ref == b.Ref || a.Ref != written && b.Ref != written:
		return a.Compare(b)
	case a.Ref == written:
		return -1
	}
	return 1
}

func reject(ref core.Ref, pointer, rule, message string) core.Fault {
	return core.Fault{Ref: ref, Pointer: pointer, Rule: rule, Message: message, Severity: core.SeverityReject}
}
