package core

import "cmp"

// Severity says what a fault does to the resource that it names.
type Severity string

// The severities.
const (
	// SeverityReject: the resource cannot be served at all.
	SeverityReject Severity = "reject"
	// SeverityDegrade: the resource is served without the faulty part, such as a routing without a dangling target.
	SeverityDegrade Severity = "degrade"
	// SeverityNotice: nothing is lost, such as a field that this version does not know.
	SeverityNotice Severity = "notice"
)

// Fault is one thing that is wrong with one resource.
type Fault struct {
	Ref Ref `json:"resource"`
	// Pointer is the JSON pointer (RFC 6901) to the faulty field inside the resource; "" is the resource itself.
	Pointer string `json:"pointer"`
	// Rule is a stable slug that names what was broken, such as "reference" or "url".
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
	Severity Severity `json:"severity"`
}

// Error returns "kind/id#pointer: message".
func (f Fault) Error() string { return f.Ref.String() + "#" + f.Pointer + ": " + f.Message }

// Compare orders faults by resource, pointer and rule.
func (f Fault) Compare(o Fault) int {
	return cmp.Or(f.Ref.Compare(o.Ref), cmp.Compare(f.Pointer, o.Pointer), cmp.Compare(f.Rule, o.Rule), cmp.Compare(f.Message, o.Message))
}
