package schemas

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Validate checks the JSON text of one resource. It returns every fault at once, sorted; text that is not
// strict JSON has the faults of CheckSyntax only. It is safe to call with any text.
func (s *Set) Validate(kind string, raw []byte) []Fault {
	sch := s.schemas[kind]
	if sch == nil {
		return []Fault{{"", "kind", quote(kind) + " is not a kind of resource"}}
	}
	if faults := CheckSyntax(raw); len(faults) > 0 {
		return faults
	}
	var v any
	if err := decode(raw, &v); err != nil {
		return []Fault{{"", "syntax", "the body is not JSON"}}
	}
	return sch.validate(v)
}

func (s *schema) validate(v any) []Fault {
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	broken, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []Fault{{"", "schema", "the resource cannot be checked"}}
	}
	var out []Fault
	for _, leaf := range leaves(nil, broken) {
		out = append(out, s.finding(v, leaf).faults()...)
	}
	slices.SortFunc(out, compareFaults)
	return limit(slices.Compact(out))
}

func limit(faults []Fault) []Fault {
	if len(faults) <= maxFaults {
		return faults
	}
	return append(faults[:maxFaults:maxFaults], Fault{"", "too-many", "there are more faults than these"})
}

// leaves appends the errors that name a keyword of a field's own to dst. The causes of a failed "contains"
// or "anyOf" say why each single choice failed, which is not what the writer has to mend.
func leaves(dst []*jsonschema.ValidationError, e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 || strings.HasSuffix(e.KeywordLocation, "/minContains") || strings.HasSuffix(e.KeywordLocation, "/anyOf") || strings.HasSuffix(e.KeywordLocation, "/oneOf") {
		return append(dst, e)
	}
	for _, cause := range e.Causes {
		dst = leaves(dst, cause)
	}
	return dst
}
