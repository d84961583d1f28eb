package token

import (
	"encoding/json"
	"strings"
	"testing"
)

// stroll walks over the next value and writes it as outline does.
func stroll(w *Walker, out *strings.Builder) {
	switch w.Kind() {
	case '{':
		out.WriteByte('{')
		for name := range w.Members {
			out.Write(name)
			out.WriteByte('=')
			stroll(w, out)
			out.WriteByte(' ')
		}
		out.WriteByte('}')
	case '[':
		out.WriteByte('[')
		for range w.Elements {
			stroll(w, out)
			out.WriteByte(' ')
		}
		out.WriteByte(']')
	default:
		out.Write(w.Value())
	}
}

func TestAWalkerStopsWhereTheLoopDoes(t *testing.T) {
	w := Walk([]byte(`[{"a":[1,{"b":"]}"}],"c":"\\\"}","d":2}, 3]`))
	var got []string
	for range w.Elements {
		for name := range w.Members {
			got = append(got, string(name)+string(w.Value()))
			if string(name) == `"c"` {
				break
			}
		}
		break
	}
	if s := strings.Join(got, " "); s != `"a"[1,{"b":"]}"}] "c""\\\"}"` {
		t.Errorf("got %s", s)
	}
	if got := string(w.text[w.Offset():]); got != `,"d":2}, 3]` {
		t.Errorf("the walker stands before %q", got)
	}
}

// FuzzAWalkerFindsWhatAReaderFinds: the same in what is JSON; in anything else, an end.
func FuzzAWalkerFindsWhatAReaderFinds(f *testing.F) {
	for _, in := range []string{
		`{"a":[1,{"b":"\u00e9\ud800"}],"a":null}`, ` [ { } , [ ] ] `, `{"a":1,}`, `[01]`, "\"\x1f\"", `{}{}`, `-0.5E+3`, `{"a" 1}`, `nul`, `{"a\\":"\"","b\\\"":["\\"]}`, `{"a":1]`, `[}`, `:`, `"\`, `{"a"`, `[[`,
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w := Walk(text)
		var got, want strings.Builder
		stroll(&w, &got)
		if !json.Valid(text) || strings.Count(string(text), "{")+strings.Count(string(text), "[") >= 10_000 {
			return
		}
		r := Open(text)
		defer r.Close()
		outline(r, &want)
		if got.String() != want.String() {
			t.Fatalf("%q: walked over %s, want %s", text, got.String(), want.String())
		}
		if w := Walk(text); string(w.Value()) != strings.Trim(string(text), space) {
			t.Fatalf("%q is walked over as %q", text, text[:w.Offset()])
		}
	})
}
