package schemas

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// finding is one failed keyword, found again in the schema and in the resource.
type finding struct {
	resource any
	at       pointer        // of the faulty value
	value    any            // the faulty value
	node     map[string]any // the schema object that holds the keyword
	keyword  string
	argument string // of dependentRequired: the field that is there
	index    string // of dependentRequired: which of its list is missing
}

func (s *schema) finding(resource any, e *jsonschema.ValidationError) finding {
	f := finding{resource: resource, at: parseLocation(e.InstanceLocation)}
	f.value = f.at.find(resource)
	_, fragment, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	path := parseLocation(fragment)
	last := len(path) - 1
	if last >= 2 && path[last-2] == "dependentRequired" {
		f.argument, f.index = path[last-1], path[last]
		last -= 2
	}
	if last >= 0 {
		f.keyword = path[last]
		f.node, _ = path[:last].find(s.root).(map[string]any)
	}
	return f
}

// rule returns the slug of the broken rule.
func (f finding) rule() string {
	if own, _ := f.own(); own != "" && !f.plainKeyword() {
		return own
	}
	switch f.keyword {
	case "additionalProperties":
		return "unknown-field"
	case "dependentRequired":
		return "required"
	case "uniqueItems":
		return "unique"
	}
	return kebab(f.keyword)
}

// plainKeyword reports whether the keyword explains itself, so that x-fault does not speak for it.
func (f finding) plainKeyword() bool {
	switch f.keyword {
	case "pattern", "format", "not", "const", "minContains", "maxContains", "anyOf", "oneOf":
		return false
	case "additionalProperties":
		return f.node["patternProperties"] == nil
	}
	return true
}

// own returns the rule and message of the schema's x-fault.
func (f finding) own() (rule, message string) {
	own, _ := f.node["x-fault"].(map[string]any)
	rule, _ = own["rule"].(string)
	message, _ = own["message"].(string)
	return rule, message
}

func (f finding) words() string {
	if _, message := f.own(); message != "" {
		return message
	}
	return "does not keep to the rule " + quote(kebab(f.keyword))
}
