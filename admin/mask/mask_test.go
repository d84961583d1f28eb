package mask

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStringShowsAtMostTheLastFourCharacters(t *testing.T) {
	for secret, want := range map[string]string{
		"":                       "",
		"short":                  "***",
		"elevenchars":            "***",
		"twelve-chars":           "***hars",
		"sk-0123456789abcdef":    "***cdef",
		"åäöåäöåäöåäöåäö":        "***öåäö",
		"${env:OPENAI_KEY}":      "${env:OPENAI_KEY}",
		"x${env:OPENAI_KEY}":     "***KEY}",
		"${env:not a name}":      "***ame}",
		"-----KEY-----line\nx\n": "***e\nx\n",
	} {
		if got := String(secret); got != want {
			t.Errorf("String(%q) = %q, want %q", secret, got, want)
		}
	}
}

var pointers = []string{"/auth/secret", "/tls/key_pem"}

func TestHideCoversEveryShapeThatASecretCanBeStoredIn(t *testing.T) {
	for name, c := range map[string]struct{ in, want map[string]any }{
		"absent": {map[string]any{"id": "a"}, map[string]any{"id": "a"}},
		"strings": {
			map[string]any{"auth": map[string]any{"secret": "0123456789abcdef", "header": "X"}, "tls": map[string]any{"key_pem": "k"}},
			map[string]any{"auth": map[string]any{"secret": "***cdef", "header": "X"}, "tls": map[string]any{"key_pem": "***"}},
		},
		"null":                 {map[string]any{"auth": map[string]any{"secret": nil}}, map[string]any{"auth": map[string]any{"secret": nil}}},
		"number":               {map[string]any{"auth": map[string]any{"secret": 12.0}}, map[string]any{"auth": map[string]any{"secret": "***"}}},
		"object for a string":  {map[string]any{"auth": map[string]any{"secret": map[string]any{"a": "b"}}}, map[string]any{"auth": map[string]any{"secret": "***"}}},
		"string for an object": {map[string]any{"auth": "0123456789abcdef"}, map[string]any{"auth": "***"}},
		"array for an object":  {map[string]any{"auth": []any{"0123456789abcdef"}}, map[string]any{"auth": "***"}},
	} {
		Hide(c.in, pointers)
		if diff := cmp.Diff(c.want, c.in); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestRestoreKeepsWhatWasShownAndNamesForeignMasks(t *testing.T) {
	const stored = "0123456789abcdef"
	for _, c := range []struct {
		name, sent, want string
		kept, foreign    bool
	}{
		{"the mask of the stored secret", "***cdef", stored, true, false},
		{"another mask", "***abcd", "***abcd", false, true},
		{"a bare cover", "***", "***", false, true},
		{"the stored secret itself", stored, stored, false, false},
		{"a new secret", "fedcba9876543210", "fedcba9876543210", false, false},
		{"a reference", "${env:KEY}", "${env:KEY}", false, false},
		{"a secret that begins with stars", "***a-long-secret", "***a-long-secret", false, false},
	} {
		next := map[string]any{"auth": map[string]any{"secret": c.sent}}
		kept, foreign := Restore(next, map[string]any{"auth": map[string]any{"secret": stored}}, pointers)
		if got := next["auth"].(map[string]any)["secret"]; got != c.want || (len(kept) == 1) != c.kept || (len(foreign) == 1) != c.foreign {
			t.Errorf("%s: sent %q, got %q, kept %v and foreign %v, want %q, %v and %v", c.name, c.sent, got, kept, foreign, c.want, c.kept, c.foreign)
		}
	}
}

func TestRestoreRefusesAMaskWhereNothingIsStored(t *testing.T) {
	next := map[string]any{"auth": map[string]any{"secret": "***cdef"}}
	if kept, foreign := Restore(next, nil, pointers); kept != nil || !cmp.Equal(foreign, []string{"/auth/secret"}) {
		t.Errorf("got kept %v and foreign %v, want the pointer of the secret as foreign", kept, foreign)
	}
}

func TestRestoreTellsSecretsOfDifferentPointersApart(t *testing.T) {
	stored := map[string]any{"auth": map[string]any{"secret": "0123456789abcdef"}, "tls": map[string]any{"key_pem": "fedcba9876543210"}}
	next := map[string]any{"auth": map[string]any{"secret": "***3210"}, "tls": map[string]any{"key_pem": "***3210"}}
	kept, foreign := Restore(next, stored, pointers)
	if !cmp.Equal(foreign, []string{"/auth/secret"}) || !cmp.Equal(kept, []string{"/tls/key_pem"}) || next["tls"].(map[string]any)["key_pem"] != "fedcba9876543210" {
		t.Errorf("got foreign %v and %v", foreign, next)
	}
}

func FuzzWhatHideShowsRestoreKeeps(f *testing.F) {
	for _, s := range []string{"", "***", "***abcd", "0123456789abcdef", "${env:KEY}", "äöü"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, secret string) {
		stored := map[string]any{"auth": map[string]any{"secret": secret}}
		next := map[string]any{"auth": map[string]any{"secret": secret}}
		Hide(next, pointers)
		_, foreign := Restore(next, stored, pointers)
		if got := next["auth"].(map[string]any)["secret"]; got != secret || foreign != nil {
			t.Errorf("stored %q came back as %q, foreign %v", secret, got, foreign)
		}
	})
}
