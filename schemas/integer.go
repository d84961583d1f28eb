package schemas

import (
	"encoding/json"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// integerSpelling refuses 10.0 and 1e1 for the type "integer". JSON Schema counts them as integers, but
// decoding into a Go int does not, and what the schema accepts must decode.
type integerSpelling struct{}

// Compile attaches the rule to schemas of type "integer".
func (integerSpelling) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	if m["type"] != "integer" {
		return nil, nil
	}
	return integerSpelling{}, nil
}

// Validate refuses a number that is written with a fraction or an exponent.
func (integerSpelling) Validate(ctx jsonschema.ValidationContext, v any) error {
	if n, ok := v.(json.Number); ok && strings.ContainsAny(n.String(), ".eE") {
		return ctx.Error("type", "not written as an integer")
	}
	return nil
}
