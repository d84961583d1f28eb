package schemas

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

func choices(enum any) string {
	var shown []string
	for _, s := range strs(enum) {
		shown = append(shown, strconv.Quote(s))
	}
	if len(shown) == 1 {
		return shown[0]
	}
	return "one of " + strings.Join(shown, ", ")
}

func article(jsonType string) string {
	switch jsonType {
	case "null":
		return jsonType
	case "integer":
		return "a whole number"
	case "boolean":
		return "true or false"
	case "object", "array":
		return "an " + jsonType
	}
	return "a " + jsonType
}

func typeOf(v any) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "null"
}

// kebab turns maxLength into max-length.
func kebab(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func clip(s string) string {
	if len(s) > shownRunes {
		return s[:shownRunes] + "…"
	}
	return s
}

// strs returns the strings of a JSON array.
func strs(v any) []string {
	list, _ := v.([]any)
	var out []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}
