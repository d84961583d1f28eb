package token

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func FuzzReader(f *testing.F) {
	for _, in := range []string{
		`{"a":[1,{"b":"\u00e9\ud800"}],"a":null}`, ` [ { } , [ ] ] `, `{"a":1,}`, `[01]`, "\"\x1f\"", `{}{}`, `-0.5E+3`, "\"\xff\"", `{"a" 1}`, `nul`,
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		before := bytes.Clone(text)
		r := Open(text)
		defer r.Close()
		outline(r, new(strings.Builder))
		deep := bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) >= 10_000
		if got, want := r.End(), json.Valid(text); got != want && !deep {
			t.Fatalf("%q: got %t (%v), want %t", text, got, r.Err(), want)
		}
		if !bytes.Equal(text, before) {
			t.Fatalf("%q became %q", before, text)
		}
	})
}
