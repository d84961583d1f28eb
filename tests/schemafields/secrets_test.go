package schemafields

import (
	"slices"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

func TestTheSecretFieldsAreThoseThatTheSchemasMarkWriteOnly(t *testing.T) {
	s := load(t)
	found := 0
	for _, kind := range core.Kinds() {
		want := s.Secrets(string(kind))
		if got := core.SecretFields(kind); !slices.Equal(got, want) {
			t.Errorf("%s: core lists %q, the schema marks %q", kind, got, want)
		}
		found += len(want)
	}
	if found == 0 {
		t.Error("no schema marks a secret")
	}
}
