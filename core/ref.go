package core

import (
	"cmp"
	"fmt"
	"regexp"
)

// Kind is the singular name of a kind of resource, as it stands in store keys.
type Kind string

// The kinds of resources.
const (
	KindProvider Kind = "provider"
	KindModel    Kind = "model"
	KindProfile  Kind = "profile"
	KindRouting  Kind = "routing"
	KindAPIKey   Kind = "api_key"
)

// Kinds returns every kind in the order in which a document is built: referenced before referring.
func Kinds() []Kind { return []Kind{KindProvider, KindModel, KindProfile, KindRouting, KindAPIKey} }

// Plural returns the kind's collection name in URLs, such as "api-keys".
func (k Kind) Plural() string {
	if k == KindAPIKey {
		return "api-keys"
	}
	return string(k) + "s"
}

// Known reports whether k is one of Kinds.
func (k Kind) Known() bool {
	switch k {
	case KindProvider, KindModel, KindProfile, KindRouting, KindAPIKey:
		return true
	}
	return false
}

// Ref names one resource.
type Ref struct {
	Kind Kind   `json:"kind"`
	ID   string `json:"id"`
}

// String returns "kind/id".
func (r Ref) String() string { return string(r.Kind) + "/" + r.ID }

// Compare orders references by kind, then id.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(cmp.Compare(r.Kind, o.Kind), cmp.Compare(r.ID, o.ID))
}

// IDPattern is the grammar of ids, as the schemas state it.
const IDPattern = `^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`

var idGrammar = regexp.MustCompile(IDPattern)

// CheckID returns an error that states the grammar when id breaks it.
func CheckID(id string) error {
	if !idGrammar.MatchString(id) {
		return fmt.Errorf("id must match %s", IDPattern)
	}
	return nil
}
