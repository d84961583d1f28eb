package envelope

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/core"
)

func set(name, value string) core.Change { return core.Change{Name: name, Value: []byte(value)} }
func remove(name string) core.Change     { return core.Change{Name: name} }

func TestMembersAreSetAndRemovedAndNothingElseChanges(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		changes        []core.Change
	}{
		{"set over", `{"model":"m", "temperature" : 0.10, "x":1e400}`, `{"model":"n", "temperature":0.2, "x":1e400}`, []core.Change{set("temperature", "0.2")}},
		{"set anew", `{"model":"m", "x":1}`, `{"model":"n","temperature":0.2, "x":1}`, []core.Change{set("temperature", "0.2")}},
		{"set two anew", `{"model":"m"}`, `{"model":"n","a":1,"b":{"c":[]}}`, []core.Change{set("a", "1"), set("b", `{"c":[]}`)}},
		{"set an escaped name", `{"model":"m","t\u006fp":1}`, `{"model":"n","t\u006fp":2}`, []core.Change{set("top", "2")}},
		{"set a name twice there", `{"a":1,"model":"m","a":2}`, `{"a":3,"model":"n","a":3}`, []core.Change{set("a", "3")}},
		{"remove the first", `{ "a":1, "model":"m"}`, `{ "model":"n"}`, []core.Change{remove("a")}},
		{"remove the last", `{"model":"m" , "a":1 }`, `{"model":"n" }`, []core.Change{remove("a")}},
		{"remove the middle", `{"x":1,"a":{"b":"}"},"model":"m"}`, `{"x":1,"model":"n"}`, []core.Change{remove("a")}},
		{"remove all others", `{"a":1,"b":2,"model":"m","c":3,"d":4}`, `{"model":"n"}`, []core.Change{remove("a"), remove("b"), remove("c"), remove("d")}},
		{"remove the last two", `{"model":"m","a":1,"b":2}`, `{"model":"n"}`, []core.Change{remove("a"), remove("b")}},
		{"remove what is not there", `{"model":"m"}`, `{"model":"n"}`, []core.Change{remove("a")}},
		{"remove only at the top", `{"model":"m","x":{"a":1}}`, `{"model":"n","x":{"a":1}}`, []core.Change{remove("a")}},
		{"set, remove and ask for usage", `{"a":1,"stream":true,"model":"m","b":2}`, `{"stream":true,"model":"n","stream_options":{"include_usage":true},"c":3}`,
			[]core.Change{remove("a"), remove("b"), set("c", "3")}},
		{"more members than there is room", `{"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"a":0,"model":"m"}`, `{"model":"n"}`, []core.Change{remove("a")}},
	} {
		e, err := Parse([]byte(c.in), Chat)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := rewrite(t, e, "n", Options{IncludeUsage: true, Changes: c.changes}); got != c.want {
			t.Errorf("%s: in\n%s: got\n%s, want\n%s", c.name, c.in, got, c.want)
		}
	}
}

func FuzzChanges(f *testing.F) {
	f.Add([]byte(`{"a":1,"model":"m","b":[2],"a":3}`), "a", "b", false)
	f.Add([]byte(`{"stream":true,"model":"m" , "x":1 }`), "x", "\u00e9", true)
	f.Fuzz(func(t *testing.T, raw []byte, put, out string, usage bool) {
		e, err := Parse(raw, Chat)
		if err != nil || put == out || !utf8.ValidString(put) || !utf8.ValidString(out) || known(put) || known(out) {
			return
		}
		got := []byte(rewrite(t, e, "n", Options{IncludeUsage: usage, Changes: []core.Change{set(put, `"new"`), remove(out)}}))
		var before, after map[string]json.RawMessage
		if json.Unmarshal(raw, &before) != nil {
			return
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", raw, got, err)
		}
		if string(after[put]) != `"new"` || after[out] != nil || string(after["model"]) != `"n"` {
			t.Fatalf("%q became %q: set %q, removed %q", raw, got, put, out)
		}
		for name := range before {
			if name != put && name != out && name != memberOptions && name != memberModel && string(before[name]) != string(after[name]) {
				t.Fatalf("%q became %q: %q changed", raw, got, name)
			}
		}
	})
}

// known reports whether the gateway reads members of that name.
func known(name string) bool {
	return slices.Contains([]string{memberModel, memberStream, memberOptions, memberIncludeUsage}, name)
}
