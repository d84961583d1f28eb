package schemas

import (
	"maps"
	"slices"
)

// secrets returns the pointers of the writeOnly fields at and below node.
func secrets(node map[string]any, at string) []string {
	if node["writeOnly"] == true {
		return []string{at}
	}
	var out []string
	properties, _ := node["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if sub, ok := properties[name].(map[string]any); ok {
			out = append(out, secrets(sub, at+pointer{name}.String())...)
		}
	}
	return out
}

// sensitive reports whether the value of the field that node describes must not be shown.
func sensitive(node map[string]any) bool {
	return node["writeOnly"] == true || node["x-sensitive"] == true
}
