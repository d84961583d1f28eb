package core

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// match puts what the target of that index says for semantic routing into m. It returns false, with a degrading fault,
// for a target that no prompt can be compared with.
func (c *compiler) match(r *Routing, i int, m *Member) bool {
	if r.Strategy != StrategySemantic {
		c.unmatched(r, i)
		return true
	}
	if field, rule, problem := r.unmatchable(i); problem != "" {
		c.fault(r.Ref(), SeverityDegrade, targetPointer(i, field), rule, problem)
		return false
	}
	t := r.Targets[i]
	m.catchall, m.Threshold = t.Catchall, r.bar(t)
	if len(t.Examples) > 0 {
		m.Examples = t.Examples
	}
	return true
}

// unmatchable returns the field, the rule and the words of what is wrong with a target of a semantic routing; no words
// if nothing is.
func (r *Routing) unmatchable(i int) (field, rule, problem string) {
	t := r.Targets[i]
	blank := slices.IndexFunc(t.Examples, func(e string) bool { return strings.Trim(e, "\t\n\f\r ") == "" })
	switch {
	case t.Catchall && slices.ContainsFunc(r.Targets[:i], func(o RoutingTarget) bool { return o.Catchall }):
		return "catchall", "one-catchall", "a target before this one is the catchall already"
	case len(t.Examples) == 0 && !t.Catchall:
		return "examples", "required", "prompts are compared with the examples: only the catchall can do without"
	case len(t.Examples) > MaxExamples:
		return "examples", "max-items", fmt.Sprintf("there are %d examples; at most %d are allowed", len(t.Examples), MaxExamples)
	case blank >= 0:
		return "examples/" + strconv.Itoa(blank), "blank", "an example must hold something other than white space"
	case t.Threshold != nil && !isCosine(*t.Threshold):
		return "threshold", "range", "threshold must be from -1 to 1"
	}
	return "", "", ""
}

// unmatched reports what a target of another strategy says for semantic routing. The target is served without it.
func (c *compiler) unmatched(r *Routing, i int) {
	t := r.Targets[i]
	for _, setting := range []struct {
		name  string
		given bool
	}{{"examples", t.Examples != nil}, {"threshold", t.Threshold != nil}, {"catchall", t.Catchall}} {
		if setting.given {
			c.fault(r.Ref(), SeverityDegrade, targetPointer(i, setting.name), "strategy", setting.name+` belongs to strategy "semantic"`)
		}
	}
}

// bar returns the threshold of a target: its own, or else the routing's; -Inf if neither has one.
func (r *Routing) bar(t RoutingTarget) float64 {
	switch {
	case t.Threshold != nil:
		return *t.Threshold
	case r.Semantic != nil && r.Semantic.Threshold != nil:
		return *r.Semantic.Threshold
	}
	return math.Inf(-1)
}
