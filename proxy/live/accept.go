package live

import (
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// accepted is what the holder remembers of one stored resource.
type accepted struct {
	modified int64         // revision of the stored value that resource was decoded from
	locked   bool          // a secret of that value could not be opened
	resource core.Resource // nil: the stored value does not decode
	faults   []core.Fault  // from decoding
	good     core.Resource // the last value that compiled; nil: never
}

// build decodes what is new in image and compiles it, falling back to the last good value of each
// resource that is rejected.
func (h *Holder) build(image store.Image) *State {
	h.decode(image)
	doc, faults := h.document()
	snapshot, compiled := core.Compile(doc, h.site)
	// What is put back can change what else is rejected, so this repeats. Each round puts back at least one
	// resource, and none twice.
	restored := map[core.Ref]bool{}
	for h.restore(doc, compiled, restored) {
		faults = append(faults, of(compiled, restored)...)
		snapshot, compiled = core.Compile(doc, h.site)
	}
	faults = append(faults, compiled...)
	slices.SortFunc(faults, core.Fault.Compare)
	faults = slices.Compact(faults)
	h.remember(faults)
	h.log(faults)
	return &State{Snapshot: snapshot, Revision: image.Settled(), Rejected: faults, Document: doc}
}

func (h *Holder) decode(image store.Image) {
	for ref, item := range image.Items {
		a, known := h.accepted[ref]
		if known && a.modified == item.Modified && a.locked == item.Locked() {
			continue
		}
		a.modified, a.locked = item.Modified, item.Locked()
		if a.locked {
			a.resource, a.faults = nil, item.Faults
		} else {
			a.resource, a.faults = core.Decode(ref, item.Value)
		}
		h.accepted[ref] = a
	}
	for ref := range h.accepted {
		if _, stored := image.Items[ref]; !stored {
			delete(h.accepted, ref)
		}
	}
}

// document returns every decoded resource, with the last good value for those that do not decode.
func (h *Holder) document() (*core.Document, []core.Fault) {
	doc := core.NewDocument()
	var faults []core.Fault
	for _, a := range h.accepted {
		faults = append(faults, a.faults...)
		switch {
		case a.resource != nil:
			doc.Set(a.resource)
		case a.good != nil:
			doc.Set(a.good)
		}
	}
	return doc, faults
}

// restore puts the last good value of rejected resources into doc and reports whether it put any: those of
// one kind only, the most referred to, since their referrers may be fine once they are back.
func (h *Holder) restore(doc *core.Document, faults []core.Fault, restored map[core.Ref]bool) bool {
	for _, kind := range core.Kinds() {
		any := false
		for _, f := range faults {
			a := h.accepted[f.Ref]
			if f.Ref.Kind != kind || f.Severity != core.SeverityReject || restored[f.Ref] || a.good == nil || a.good == a.resource {
				continue
			}
			restored[f.Ref] = true
			doc.Set(a.good)
			any = true
		}
		if any {
			return true
		}
	}
	return false
}

// of returns the faults of the resources that have been put back: compiling their good values will not
// report them again.
func of(faults []core.Fault, restored map[core.Ref]bool) []core.Fault {
	var out []core.Fault
	for _, f := range faults {
		if restored[f.Ref] {
			out = append(out, f)
		}
	}
	return out
}

// remember makes every resource that was not rejected its own last good value.
func (h *Holder) remember(faults []core.Fault) {
	bad := map[core.Ref]bool{}
	for _, f := range faults {
		if f.Severity == core.SeverityReject {
			bad[f.Ref] = true
		}
	}
	for ref, a := range h.accepted {
		if a.resource != nil && !bad[ref] && a.good != a.resource {
			a.good = a.resource
			h.accepted[ref] = a
		}
	}
}

func (h *Holder) log(faults []core.Fault) {
	var before []core.Fault
	if s := h.current.Load(); s != nil {
		before = s.Rejected
	}
	for _, f := range core.NewFaults(before, faults) {
		h.logger.Warn("resource not served as stored", "resource", f.Ref.String(), "pointer", f.Pointer, "rule", f.Rule, "severity", string(f.Severity), "reason", f.Message)
	}
}
