// Package mask hides the secret fields of resources in answers and puts the stored secrets back where a
// caller returns what it was shown.
//
// It works on decoded JSON and changes it in place; a value must not be used by two goroutines at once.
package mask

import (
	"regexp"

	"github.com/sluice-gateway/sluice/core"
)

const (
	cover = "***"
	// shown is how many characters at the end tell two secrets apart.
	shown = 4
	// minLength is the least length of which the end is shown: of a shorter secret, four characters
	// would be too large a part.
	minLength = 12
)

var masked = regexp.MustCompile(`(?s)^\*{3}.{0,4}$`)

// String returns what is shown of secret: "***" and the last four characters, or "***" alone when it has
// fewer than twelve. "${env:NAME}" names a secret without holding it and is shown as it is; "" stays empty.
func String(secret string) string {
	if secret == "" || core.IsReference(secret) {
		return secret
	}
	runes := []rune(secret)
	if len(runes) < minLength {
		return cover
	}
	return cover + string(runes[len(runes)-shown:])
}

// Hide masks the fields at the pointers. What is not a string there, or not an object on the way there, is
// covered whole.
func Hide(resource map[string]any, pointers []string) {
	for _, p := range pointers {
		hide(resource, core.PointerNames(p))
	}
}

func hide(parent map[string]any, path []string) {
	switch v := parent[path[0]].(type) {
	case nil:
	case map[string]any:
		if len(path) == 1 {
			parent[path[0]] = cover
			return
		}
		hide(v, path[1:])
	case string:
		parent[path[0]] = cover
		if len(path) == 1 {
			parent[path[0]] = String(v)
		}
	default:
		parent[path[0]] = cover
	}
}

// Restore replaces each masked field of next by the stored secret of which it is the mask. It returns the
// pointers where it did, and those at which a mask stands that is not that of the stored secret.
func Restore(next, stored map[string]any, pointers []string) (kept, foreign []string) {
	for _, p := range pointers {
		parent, name := core.Holder(next, p)
		v, ok := parent[name].(string)
		if !ok {
			continue
		}
		old, had := stringAt(stored, p)
		switch {
		case had && v == old:
		case had && v == String(old):
			parent[name] = old
			kept = append(kept, p)
		case masked.MatchString(v):
			foreign = append(foreign, p)
		}
	}
	return kept, foreign
}

func stringAt(resource map[string]any, pointer string) (string, bool) {
	parent, name := core.Holder(resource, pointer)
	s, ok := parent[name].(string)
	return s, ok
}
