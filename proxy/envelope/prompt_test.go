package envelope

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestThePromptIsWhatTheUserSaidLast(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape Shape
		body  string
		want  string
	}{
		{"one message", Chat, `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, "hi"},
		{"the role behind the content", Chat, `{"messages":[{"content":"hi","role":"user"}],"model":"m"}`, "hi"},
		{"several messages", Chat, `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]}`, "c"},
		{"the system's are not the user's", Chat, `{"model":"m","messages":[{"role":"system","content":"a"},{"role":"developer","content":"b"}]}`, ""},
		{"a tool's result behind it", Chat, `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"t","content":"b"}]}`, "a"},
		{"parts", Chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x","text":"no"}},{"text":"b","type":"text"}]}]}`, "a\nb"},
		{"a picture alone", Chat, `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, ""},
		{"empty text", Chat, `{"model":"m","messages":[{"role":"user","content":""}]}`, ""},
		{"null", Chat, `{"model":"m","messages":[{"role":"user","content":null}]}`, ""},
		{"no content", Chat, `{"model":"m","messages":[{"role":"user"}]}`, ""},
		{"no messages", Chat, `{"model":"m"}`, ""},
		{"messages that are none", Chat, `{"model":"m","messages":[1,"user",null,["role","user"],{"role":7,"content":"x"}]}`, ""},
		{"escapes", Chat, `{"m\u006fdel":"m","m\u0065ssages":[{"r\u006fle":"us\u0065r","c\u006fntent":"a\n\"b\" \u00e9\ud83d\ude00 \ud800"}]}`, "a\n\"b\" é😀 \ufffd"},
		{"white space", Chat, "{ \"model\" : \"m\" , \"messages\" : [ { \"role\" :\t\"user\" ,\r\n\"content\" : [ { \"type\" : \"text\" , \"text\" : \"a\" } ] } ] }", "a"},
		{"a conversation in an input", Responses, `{"model":"m","input":[{"role":"developer","content":"d"},{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"x"},{"type":"input_text","text":"b"}]},{"type":"function_call_output","call_id":"c","output":"no"}]}`, "a\nb"},
		{"an input that is a text", Responses, `{"model":"m","input":"a\tb"}`, "a\tb"},
		{"an input that is none", Responses, `{"model":"m","input":7}`, ""},
		{"a prompt", Completions, `{"model":"m","prompt":"a"}`, "a"},
		{"prompts", Completions, `{"model":"m","prompt":["a","b"]}`, "a\nb"},
		{"prompts of tokens", Completions, `{"model":"m","prompt":[[1,2],[3]]}`, ""},
		{"blocks", Messages, `{"model":"m","system":"s","messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"document","source":{"type":"text","data":"no"}}]}]}`, "a"},
		{"results of tools alone", Messages, `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"no"}]}]}]}`, "a"},
		{"results of tools and a text", Messages, `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"no"},{"type":"text","text":"b"}]}]}`, "b"},
		{"a body of another shape", Plain, `{"model":"m","input":"a","prompt":"b","messages":[{"role":"user","content":"c"}]}`, ""},
	} {
		e, err := Parse([]byte(c.body), c.shape)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := string(e.Prompt([]byte("before "), 1<<20)); got != "before "+c.want {
			t.Errorf("%s: %s: got %q, want %q", c.name, c.body, got, "before "+c.want)
		}
	}
}

func TestThePromptCostsNothingInRoomThatIsThere(t *testing.T) {
	e, err := Parse([]byte(`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a\nb"},{"type":"image_url","image_url":{"url":"`+strings.Repeat("x", 1<<20)+`"}}]}]}`), Chat)
	if err != nil {
		t.Fatal(err)
	}
	room := make([]byte, 0, 100)
	if got := testing.AllocsPerRun(10, func() { e.Prompt(room, 1<<20) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func TestWhatABodyNeedsIsToldInEachShape(t *testing.T) {
	for _, c := range []struct {
		shape    Shape
		body     string
		needs    string
		neededBy string // of the first
		bound    int64
	}{
		{Responses, `{"model":"m","input":[{"role":"user","content":[{"type":"input_image"},{"type":"input_file"}]}],"max_output_tokens":9}`, "[vision files]", "input", 9},
		{Responses, `{"model":"m","text":{"verbosity":"low","format":{"type":"json_schema"}},"reasoning":{"effort":"low"}}`, "[json_schema reasoning]", "text", 0},
		{Responses, `{"model":"m","text":{"format":{"type":"text"}},"reasoning":{"effort":"none"},"tools":[],"max_tokens":5}`, "[]", "", 0},
		{Responses, `{"model":"m","text":"x","reasoning":null,"tools":[{"type":"web_search"}]}`, "[tools]", "tools", 0},
		{Responses, `{"model":"m","reasoning":{"effort":"high"}}`, "[reasoning]", "reasoning", 0},
		{Messages, `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"image","source":{}},{"type":"document"}]}]}`, "[vision files]", "messages", 5},
		{Messages, `{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"image"}]}]}]}`, "[vision]", "messages", 0},
		{Messages, `{"model":"m","thinking":{"type":"enabled","budget_tokens":1024},"tools":[{"name":"f"}]}`, "[tools reasoning]", "tools", 0},
		{Messages, `{"model":"m","thinking":{"type":"disabled"},"tools":[]}`, "[]", "", 0},
		{Messages, `{"model":"m","output_config":{"format":{"type":"json_schema"}}}`, "[json_schema]", "output_config", 0},
		{Messages, `{"model":"m","output_format":{"type":"json_schema"},"thinking":{"type":"adaptive"}}`, "[json_schema reasoning]", "output_config", 0},
		{Completions, `{"model":"m","prompt":"x","max_tokens":3,"tools":[{}]}`, "[]", "", 3},
		{Plain, `{"model":"m","messages":[{"content":[{"type":"image"}]}],"tools":[{}],"max_tokens":3}`, "[]", "", 0},
	} {
		e, err := Parse([]byte(c.body), c.shape)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		needs := e.Needs.List()
		if got := fmt.Sprint(needs); got != c.needs || e.MaxTokens != c.bound {
			t.Errorf("%s needs %s and at most %d tokens, want %s and %d", c.body, got, e.MaxTokens, c.needs, c.bound)
			continue
		}
		if len(needs) > 0 && e.NeededBy(needs[0]) != c.neededBy {
			t.Errorf("%s: %s is said to be needed by %q, want %q", c.body, needs[0], e.NeededBy(needs[0]), c.neededBy)
		}
	}
}

// plainPrompt finds the prompt of a chat in the plainest way there is.
func plainPrompt(raw []byte) string {
	var body struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if json.Unmarshal(raw, &body) != nil {
		return ""
	}
	for i := len(body.Messages) - 1; i >= 0; i-- {
		if body.Messages[i].Role != "user" {
			continue
		}
		if text, ok := body.Messages[i].Content.(string); ok {
			return text
		}
		var texts []string
		parts, _ := body.Messages[i].Content.([]any)
		for _, p := range parts {
			part, _ := p.(map[string]any)
			if text, ok := part["text"].(string); ok && part["type"] == "text" {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

func FuzzPrompt(f *testing.F) {
	f.Add("hi", "a", uint8(0))
	f.Add("a\n\"b\\ \u2028 😀", "", uint8(3))
	f.Fuzz(func(t *testing.T, first, second string, form uint8) {
		if !utf8.ValidString(first) || !utf8.ValidString(second) || first == "" || second == "" {
			t.Skip()
		}
		content := any(first)
		if form&1 != 0 {
			content = []any{map[string]any{"type": "text", "text": first}, map[string]any{"type": "image_url", "text": "no"}, map[string]any{"type": "text", "text": second}}
		}
		messages := []any{map[string]any{"role": "user", "content": second}, map[string]any{"role": "user", "content": content}}
		if form&2 != 0 {
			messages = append(messages, map[string]any{"role": "assistant", "content": second})
		}
		raw, err := json.Marshal(map[string]any{"model": "m", "messages": messages})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Parse(raw, Chat)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(e.Prompt(nil, 1<<20)), plainPrompt(raw); got != want {
			t.Fatalf("%s: got %q, want %q", raw, got, want)
		}
	})
}

func FuzzShapes(f *testing.F) {
	for _, body := range []string{
		`{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"a"}]}],"text":{"format":{"type":"json_schema"}}}`,
		`{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","content":[{"type":"image"}]}]}],"thinking":{"type":"enabled"}}`,
		`{"model":"m","prompt":["a",[1]]}`, `{"model":"m","messages":[{"content":"\`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for s := Plain; s <= Messages; s++ {
			e, err := Parse(raw, s)
			if err != nil {
				continue
			}
			if text := e.Prompt(nil, 1<<20); !utf8.Valid(text) || len(text) > len(raw)+2 {
				t.Fatalf("shape %d of %q: the prompt is %q", s, raw, text)
			}
			if n := e.TextBytes(); n < 0 || n > len(raw) {
				t.Fatalf("shape %d of %q: %d bytes of text", s, raw, n)
			}
		}
	})
}

// TestOfALongPromptAtLeastTheBeginningIsRead, whatever its bytes are spelled like, and not much more.
func TestOfALongPromptAtLeastTheBeginningIsRead(t *testing.T) {
	const most = 100
	for _, unit := range []string{`x`, `€`, `\n`, `\"`, `\\`, `\u0061`, `\u20ac`, `\ud83d\ude00`, `a\u00e9\t€`} {
		var text string
		if err := json.Unmarshal([]byte(`"`+strings.Repeat(unit, 1000)+`"`), &text); err != nil {
			t.Fatal(err)
		}
		for _, shift := range []string{"", "y", "yy", "yyy", "yyyyy"} {
			quoted := `"` + shift + strings.Repeat(unit, 1000) + `"`
			for _, content := range []string{quoted, `[{"type":"text","text":` + quoted + `},{"type":"text","text":` + quoted + `}]`} {
				e, err := Parse([]byte(`{"model":"m","messages":[{"role":"user","content":`+content+`}]}`), Chat)
				if err != nil {
					t.Fatal(err)
				}
				got := string(e.Prompt(nil, most))
				if whole := shift + text; !strings.HasPrefix(got, whole[:most]) || len(got) > 6*most+20 {
					t.Errorf("%s after %q: got %d bytes, %q", unit, shift, len(got), got)
				}
			}
		}
	}
}
