package schemas

import "cmp"

// Fault is one rule that one field breaks.
type Fault struct {
	// Pointer is the JSON pointer (RFC 6901) to the field in the resource, present or missing; "" is the resource itself.
	Pointer string `json:"pointer"`
	// Rule is a stable slug such as "required", "unknown-field" or "max-length".
	Rule string `json:"rule"`
	// Message names the field and the rule for a person. It never shows a secret.
	Message string `json:"message"`
}

// maxFaults bounds what one answer lists: nobody reads further, and a caller could make it endless.
const maxFaults = 256

func compareFaults(a, b Fault) int {
	return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
}
