package core

import "strings"

// PointerNames splits a JSON pointer (RFC 6901) to a field into the names on the way; "" has none.
func PointerNames(pointer string) []string {
	if pointer == "" {
		return nil
	}
	path := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, name := range path {
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return path
}

// Holder returns the object that holds the field of the pointer, and the field's name; the object is nil, and may be
// read, when the resource has none there. The pointer must not be "".
func Holder(resource map[string]any, pointer string) (map[string]any, string) {
	path := PointerNames(pointer)
	for _, name := range path[:len(path)-1] {
		resource, _ = resource[name].(map[string]any)
	}
	return resource, path[len(path)-1]
}
