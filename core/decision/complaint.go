package decision

import "github.com/sluice-gateway/sluice/core"

// Complaint is why a node does not answer a question.
type Complaint struct {
	// Message says it for people.
	Message string `json:"message"`
	// Faults are what is wrong with the question. A fault whose Ref is zero is in the question itself, to which its
	// pointer leads; any other is of a stored resource.
	Faults []core.Fault `json:"faults,omitempty"`
}

// Error returns the message.
func (c *Complaint) Error() string { return c.Message }

// Wrong is a fault of the question itself.
func Wrong(pointer, rule, message string) core.Fault {
	return core.Fault{Pointer: pointer, Rule: rule, Message: message, Severity: core.SeverityReject}
}

// Check returns what is wrong with the question before anything is looked up.
func (q *Question) Check() (faults []core.Fault) {
	named := 0
	for _, given := range []bool{q.Model != "", q.Routing != nil, q.Profile != nil} {
		if given {
			named++
		}
	}
	if named != 1 {
		faults = append(faults, Wrong("", "one-of", "exactly one of model, routing and profile must be given"))
	}
	if (q.Profile == nil) != (len(q.Targets) == 0) {
		faults = append(faults, Wrong("/targets", "profile", "targets go with profile, and only with it"))
	}
	if name := q.Facts.InBody(); len(q.Request) > 0 && name != "" {
		faults = append(faults, Wrong("/facts/"+name, "exclusive", "the request tells this itself"))
	}
	if q.Facts.InputTokens < 0 {
		faults = append(faults, Wrong("/facts/input_tokens", "minimum", "input_tokens must not be negative"))
	}
	if q.Facts.MaxTokens < 0 {
		faults = append(faults, Wrong("/facts/max_tokens", "minimum", "max_tokens must not be negative"))
	}
	return faults
}
