package catalog

import "slices"

// Condition is what a caller knows of a resource and insists on. The zero value insists on nothing.
type Condition struct {
	// Exists asks for a resource that exists, Absent for one that does not.
	Exists, Absent bool
	// Revisions, when not nil, asks for a resource whose last change is one of them.
	Revisions []int64
	// Not asks for a resource whose last change is none of them.
	Not []int64
}

// Holds reports whether a resource of that last change, 0 for none, meets the condition.
func (c Condition) Holds(modified int64) bool {
	exists := modified != 0
	return (exists || !c.Exists) &&
		(!exists || !c.Absent) &&
		(c.Revisions == nil || exists && slices.Contains(c.Revisions, modified)) &&
		!slices.Contains(c.Not, modified)
}
