package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/proxy/provider"
)

// maxNesting is where both readers stop.
const maxNesting = 10_000

// plainKind tells chunks apart in the plainest way there is, by encoding/json. Errors have tests of their own.
func plainKind(data []byte) (kind provider.Kind, finished, sure bool) {
	var m map[string]any
	if !json.Valid(data) || json.Unmarshal(data, &m) != nil || m == nil {
		return provider.Malformed, false, true
	}
	choices, _ := m["choices"].([]any)
	if usage, ok := m["usage"].(map[string]any); ok && usage != nil && len(choices) == 0 {
		kind = provider.UsageOnly
	}
	for _, c := range choices {
		choice, _ := c.(map[string]any)
		reason, _ := choice["finish_reason"].(string)
		finished = finished || reason != ""
		if says(choice["text"]) {
			kind = provider.Content
		}
		for _, d := range []string{"delta", "message"} {
			delta, _ := choice[d].(map[string]any)
			for _, name := range []string{"content", "reasoning_content", "reasoning", "reasoning_details", "refusal", "tool_calls", "function_call", "audio", "images"} {
				if says(delta[name]) {
					kind = provider.Content
				}
			}
		}
	}
	return kind, finished, !repeats(data)
}

func says(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}

// repeats reports whether a name may stand twice in one object, where the two readers differ.
func repeats(data []byte) bool {
	for _, name := range []string{"choices", "usage", "delta", "message", "content", "text", "finish_reason", "reasoning", "refusal", "tool_calls", "function_call", "audio", "images"} {
		if bytes.Count(data, []byte(`"`+name+`"`)) > 1 {
			return true
		}
	}
	return bytes.Contains(data, []byte(`\`))
}

func FuzzInspect(f *testing.F) {
	for _, data := range []string{
		chunkWith(`"delta":{"content":"Hello"},"finish_reason":null`), chunkWith(`"delta":{"role":"assistant","tool_calls":[]},"finish_reason":"stop"`), chunkWith(`"text":"a\u00e9\n"`),
		`{"choices":[],"usage":{"prompt_tokens":1.5e3,"x":[-0,1E+2,true,false,null]}}`, `{"error":{"code":429}}`, `[DONE]`, `{broken`, ` [ { } ] `, `{"a":{"b":[[],{}]}}`, `{"a":1,}`, `{"a":01}`, "{\"a\":\"\x1f\"}", `{"":"\ud800"}`,
		strings.Repeat(`{"a":`, 2*maxNesting),
	} {
		f.Add([]byte(""), []byte(data))
	}
	f.Fuzz(func(t *testing.T, name, data []byte) {
		before := bytes.Clone(data)
		got := Inspect(name, data)
		CheckAnswer(data)
		if !bytes.Equal(data, before) {
			t.Fatalf("%q became %q", before, data)
		}
		if (got.Kind == provider.Error) != (got.Err != nil) {
			t.Fatalf("%q: kind %d with error %v", data, got.Kind, got.Err)
		}
		if got.Kind == provider.Error {
			checkPublic(t, data, got.Err.Status, got.Err.Message, got.Err.Code)
			return
		}
		trimmed := bytes.TrimSpace(data)
		if got.Kind == provider.Done || !bytes.Equal(trimmed, bytes.Trim(data, " \t\r\n")) || bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) > maxNesting {
			return
		}
		kind, finished, sure := plainKind(data)
		if (kind == provider.Malformed) != (got.Kind == provider.Malformed) || sure && (kind != got.Kind || finished != got.Finished) {
			t.Fatalf("%q: got kind %d, finished %t; want %d, %t", data, got.Kind, got.Finished, kind, finished)
		}
	})
}

func checkPublic(t *testing.T, in []byte, status int, message, code string) {
	t.Helper()
	if status < 400 || status > 599 || message == "" || len(message) > 2000 || !utf8.ValidString(message) || strings.ContainsAny(message, "\r\n\x1b\x00") {
		t.Fatalf("%q: got status %d and message %q", in, status, message)
	}
	if code != "" && strings.ContainsAny(code, " <>\"\r\n") {
		t.Fatalf("%q: got code %q", in, code)
	}
}
