package schemas

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// sentence returns the predicate for a keyword that judges one value.
func (f finding) sentence() string {
	limit := fmt.Sprint(f.node[f.keyword])
	switch f.keyword {
	case "type":
		return f.wrongType()
	case "enum":
		return "must be " + choices(f.node["enum"]) + f.got()
	case "minimum":
		return "must be at least " + limit + f.got()
	case "maximum":
		return "must be at most " + limit + f.got()
	case "minLength":
		return "must not be empty"
	case "maxLength":
		s, _ := f.value.(string)
		return fmt.Sprintf("must be at most %s characters long (got %d)", limit, utf8.RuneCountInString(s))
	case "minItems":
		return "must have at least " + limit + f.size()
	case "maxItems", "maxProperties":
		return "must have at most " + limit + f.size()
	case "not":
		return f.words()
	}
	return f.words() + f.got()
}

func (f finding) size() string {
	n, unit := 0, " items"
	switch v := f.value.(type) {
	case []any:
		n = len(v)
	case map[string]any:
		n, unit = len(v), " fields"
	}
	if f.node[f.keyword] == json.Number("1") {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("%s (got %d)", unit, n)
}

func (f finding) wrongType() string {
	want, _ := f.node["type"].(string)
	if _, number := f.value.(json.Number); number && want == "integer" {
		return "must be a whole number written without fraction or exponent" + f.got()
	}
	text := "must be " + article(want) + " (got " + article(typeOf(f.value)) + ")"
	if _, message := f.own(); message != "" && want == "string" {
		text += "; it " + message
	}
	return text
}

// got shows the value, unless it is or may be a secret.
func (f finding) got() string {
	if sensitive(f.node) {
		return ""
	}
	switch v := f.value.(type) {
	case string:
		return " (got " + quote(v) + ")"
	case json.Number:
		return " (got " + clip(v.String()) + ")"
	}
	return ""
}
