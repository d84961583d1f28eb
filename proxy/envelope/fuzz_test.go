package envelope

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode/utf8"
)

func FuzzParse(f *testing.F) {
	for _, in := range []string{
		`{"model":"m"}`, `{"stream":true,"model":"\u006d","x":[1e400,-0,"\ud800"]}`, `{"stream_options":{"include_usage":false},"stream":true,"mod\u0065l":"m"}`,
		`{"model":"a","model":"b"}`, ` {"a":{"model":1},"model":"m","stream":true,"stream_options":null} `, `{"model":"m"}x`, "{\"model\":\"\xff\"}",
		`{"model":"m","stream":true,"stream_options":{ "x":1}}`, `{"model":"m","stream":true,"stream_options":3}`,
	} {
		f.Add([]byte(in), "vendor/model", true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, model string, usage bool) {
		e, err := Parse(raw, Chat)
		if err != nil {
			return
		}
		if !json.Valid(raw) || !utf8.Valid(raw) {
			t.Fatalf("accepted %q", raw)
		}
		if model == "" || !utf8.ValidString(model) {
			return
		}
		got := []byte(rewrite(t, e, model, Options{IncludeUsage: usage}))
		again, err := Parse(got, Chat)
		if err != nil {
			t.Fatalf("%q became %q: %v", raw, got, err)
		}
		if again.Model != model || again.Stream != e.Stream {
			t.Fatalf("%q became %q: got model %q and stream %t, want %q and %t", raw, got, again.Model, again.Stream, model, e.Stream)
		}
		checkMembers(t, raw, got)
		if !usage || !e.Stream {
			if back := rewrite(t, again, e.Model, Options{}); !bytes.Equal(withoutModel(e), withoutModel(again)) {
				t.Fatalf("%q became %q and then %q: more than the model changed", raw, got, back)
			}
		}
	})
}

func withoutModel(e *Envelope) []byte {
	return append(bytes.Clone(e.raw[:e.model.start]), e.raw[e.model.end:]...)
}

// checkMembers compares all members but those that are rewritten; numbers as they are spelled.
func checkMembers(t *testing.T, before, after []byte) {
	t.Helper()
	var x, y map[string]json.RawMessage
	if err := json.Unmarshal(before, &x); err != nil {
		t.Fatalf("%q: %v", before, err)
	}
	if err := json.Unmarshal(after, &y); err != nil {
		t.Fatalf("%q: %v", after, err)
	}
	for _, m := range []map[string]json.RawMessage{x, y} {
		delete(m, memberModel)
		delete(m, memberOptions)
	}
	if !reflect.DeepEqual(x, y) {
		t.Fatalf("%q became %q: got members %s, want %s", before, after, y, x)
	}
}
