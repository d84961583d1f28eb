package live

import "github.com/sluice-gateway/sluice/core"

// Suppose compiles the document of the state with those resources in it, over what they replace, and returns the
// snapshot and what the resources make worse, sorted. Nothing is published. The state must be one of this holder's.
func (h *Holder) Suppose(s *State, resources ...core.Resource) (*core.Snapshot, []core.Fault) {
	doc := s.Document.Clone()
	for _, r := range resources {
		doc.Set(r)
	}
	snapshot, faults := core.Compile(doc, h.site)
	return snapshot, core.NewFaults(s.Rejected, faults)
}
