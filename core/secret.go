package core

import (
	"fmt"
	"regexp"
	"strings"
)

// Secret is a credential in memory. It prints, logs and marshals as "[secret]". It is held behind a pointer:
// where fmt reports a wrong verb it passes Format over and prints the fields of a struct, but of a pointer
// in it only the address.
type Secret struct{ value *string }

func newSecret(value string) Secret { return Secret{&value} }

// Reveal returns the credential itself, for the one place that sends it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// String hides the credential.
func (s Secret) String() string { return "[secret]" }

// GoString hides the credential from %#v.
func (s Secret) GoString() string { return "[secret]" }

// Format hides the credential from every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, "[secret]") }

// MarshalText hides the credential from JSON and slog.
func (s Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// Env looks up an environment variable, as os.LookupEnv does.
type Env func(name string) (string, bool)

// SecretFields returns the JSON pointers of the kind's fields that hold secrets: those that its schema marks writeOnly.
// A node has no schemas, so the list stands here too. The caller may keep the slice.
func SecretFields(k Kind) []string {
	if k == KindProvider {
		return []string{"/auth/secret", "/tls/key_pem"}
	}
	return nil
}

// IsReference reports whether raw is "${env:NAME}", which names a secret without holding it.
func IsReference(raw string) bool { return envReference.MatchString(raw) }

var envReference = regexp.MustCompile(`^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$`)

// ownEnvironment begins the names of the gateway's own variables, which hold secrets that no upstream may see. Some
// systems read names without regard to case.
const ownEnvironment = "SLUICE_"

// resolveSecret returns the value of raw, which is the secret itself or "${env:NAME}". A nil env leaves
// references as they are: the control plane does not have the nodes' environment.
func resolveSecret(raw string, env Env) (Secret, error) {
	m := envReference.FindStringSubmatch(raw)
	if m != nil && strings.HasPrefix(strings.ToUpper(m[1]), ownEnvironment) {
		return Secret{}, fmt.Errorf("environment variable %s is the gateway's own: names that begin with %s cannot be referred to", m[1], ownEnvironment)
	}
	if m == nil || env == nil {
		return newSecret(raw), nil
	}
	v, ok := env(m[1])
	if !ok || v == "" {
		return Secret{}, fmt.Errorf("environment variable %s is not set on this node", m[1])
	}
	return newSecret(v), nil
}
