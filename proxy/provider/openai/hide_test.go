package openai

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestUsageIsHiddenAndNothingElse(t *testing.T) {
	for in, want := range map[string]string{
		`{"choices":[{"delta":{"content":"usage"}}],"usage":null}`: `{"choices":[{"delta":{"content":"usage"}}]}`,
		`{"usage":{"prompt_tokens":1}, "id":"x" }`:                 `{"id":"x"}`,
		`{"id":"x","usage":null,"choices":[]}`:                     `{"id":"x","choices":[]}`,
		`{"usage":1}`:                                              `{}`,
		`{"id":"x"}`:                                               `{"id":"x"}`,
		`{"id":"x","choices":[{"usage":1}]}`:                       `{"id":"x","choices":[{"usage":1}]}`,
		`{"id":1.0,"x":1e400,"s":"\u00e9\ud800","usage":null}`:     `{"id":1.0,"x":1e400,"s":"\u00e9\ud800"}`,
		`{"usage":`:           `{"usage":`,
		`"usage"`:             `"usage"`,
		`["usage"]`:           `["usage"]`,
		`{"id":1,"usage":2`:   `{"id":1,"usage":2`,
		`{"usage":1,}`:        `{"usage":1,}`,
		`{"usage":1} {}`:      `{"usage":1} {}`,
		` {"usage":1,"id":1}`: `{"id":1}`,
		`[DONE]`:              `[DONE]`,
	} {
		if got := string(AppendWithoutUsage([]byte("data: "), []byte(in))); got != "data: "+want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func FuzzAppendWithoutUsage(f *testing.F) {
	f.Add([]byte(`{"a":1,"usage":{"x":[]},"b":"usage"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := AppendWithoutUsage(nil, data)
		var before, after map[string]any
		if json.Unmarshal(data, &before) != nil || before == nil {
			return
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", data, got, err)
		}
		delete(before, "usage")
		delete(after, "usage") // one spelled with escapes stays
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q", data, got)
		}
	})
}
