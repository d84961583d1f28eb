package schemas

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyStrictJSONPasses(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{`{}`, nil},
		{" \t\r\n{\"a\":[1,-0,2.5e-3,true,false,null,\"\\u00e9\\ud83d\\ude00\"]}\n", nil},
		{`{"a":1,"A":1}`, nil},
		{`[{"a":1},{"a":1}]`, nil},
		{`{"a":{"a":{"a":1}}}`, nil},
		{`{"a":1,"a":1}`, []string{"/a duplicate-name"}},
		{`{"a":1,"\u0061":2}`, []string{"/a duplicate-name"}},
		{`{"é":1,"\u00E9":2}`, []string{"/é duplicate-name"}},
		{`{"/":1,"\/":2,"~":3,"\u007e":4}`, []string{"/~1 duplicate-name", "/~0 duplicate-name"}},
		{`{"x":[{"y":{"a":1,"b":"a","a":3}}]}`, []string{"/x/0/y/a duplicate-name"}},
		{`{"":1,"":2}`, []string{"/ duplicate-name"}},
		{`{"a":1,"a":2,"b":{"c":1,"c":2},"n":1e99999}`, []string{"/a duplicate-name", "/b/c duplicate-name", "/n number"}},
		{``, []string{" syntax"}},
		{` `, []string{" syntax"}},
		{`{`, []string{" syntax"}},
		{`{"a":1,}`, []string{"/a syntax"}},
		{`{'a':1}`, []string{" syntax"}},
		{`{"a":01}`, []string{"/a syntax"}},
		{`{"a":NaN}`, []string{"/a syntax"}},
		{"{\"a\":\"\xff\"}", []string{"/a syntax"}},
		{"{\"\xff\":1}", []string{" syntax"}},
		{`{"a":"\ud800"}`, []string{"/a syntax"}},
		{`{"a":"\udc00\ud800"}`, []string{"/a syntax"}},
		{"{\"a\":\"b\nc\"}", []string{"/a syntax"}},
		{"\ufeff{}", []string{" syntax"}},
		{`{} {}`, []string{" trailing-data"}},
		{`{}x`, []string{" trailing-data"}},
		{`{}}`, []string{" trailing-data"}},
		{`1 2`, []string{" trailing-data"}},
		{`{}` + "\x00", []string{" trailing-data"}},
		{`{"a":1e999999999}`, []string{"/a number"}},
		{`{"a":[0.` + strings.Repeat("1", 200_000) + `]}`, []string{"/a/0 number"}},
		{`{"a":1e+0000,"b":1E-400}`, []string{"/a number"}},
		{strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), nil},
		{strings.Repeat("[", maxDepth+1), []string{strings.Repeat("/0", maxDepth) + " depth"}},
		{`[0` + strings.Repeat(",0", maxWidth-1) + `]`, nil},
		{`[0` + strings.Repeat(",0", maxWidth) + `]`, []string{"/1000 width"}},
		{`[[]` + strings.Repeat(",[]", maxWidth) + `]`, []string{"/1000 width"}},
		{`[[0]` + strings.Repeat(",["+strings.Repeat("0,", 99)+"0]", 200) + `]`, []string{"/197/3 size"}},
	} {
		if diff := cmp.Diff(c.want, pairs(CheckSyntax([]byte(c.in)))); diff != "" {
			t.Errorf("CheckSyntax(%.80q) (-want +got):\n%s", c.in, diff)
		}
	}
}

func TestASyntaxFaultNamesItsLineAndColumn(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "line 1, column 1: there is no value",
		"{\n  \"é\": 1,\n  \"b\" 2}": "line 3, column 7:",
		"{\"a\":":                    "line 1, column 6: the text ends too early",
	} {
		faults := CheckSyntax([]byte(in))
		if len(faults) != 1 || !strings.Contains(faults[0].Message, want) {
			t.Errorf("CheckSyntax(%q) = %+v, want one fault with %q", in, faults, want)
		}
	}
}

func FuzzWhatPassesTheSyntaxCheckDecodes(f *testing.F) {
	for _, in := range []string{`{}`, `{"a":1,"\u0061":2}`, `[1e9]x`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `[[[[`, ``} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		faults := CheckSyntax(raw)
		var v any
		switch err := json.Unmarshal(raw, &v); {
		case err != nil && len(faults) == 0:
			t.Errorf("CheckSyntax(%q) passes what encoding/json refuses: %v", raw, err)
		case !utf8.Valid(raw) && len(faults) == 0:
			t.Errorf("CheckSyntax(%q) passes invalid UTF-8", raw)
		}
		for _, fault := range faults {
			if !utf8.ValidString(fault.Message) || fault.Rule == "" {
				t.Errorf("CheckSyntax(%q) has the odd fault %+v", raw, fault)
			}
		}
	})
}
