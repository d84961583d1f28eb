package openai

import (
	"testing"
)

// chunkWith returns a chunk as OpenAI writes it, with one choice.
func chunkWith(choice string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741569952,"model":"m","system_fingerprint":"fp","choices":[{"index":0,` + choice + `}],"usage":null,"obfuscation":"x"}`
}

func TestEachEventIsToldForWhatItIs(t *testing.T) {
	for _, c := range []struct {
		name, event, data string
		want              Kind
		finished          bool
	}{
		{"role only", "", chunkWith(`"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null`), Meta, false},
		{"role and null content", "", chunkWith(`"delta":{"role":"assistant","content":null,"tool_calls":[],"audio":{}},"finish_reason":null`), Meta, false},
		{"empty delta", "", chunkWith(`"delta":{},"finish_reason":null`), Meta, false},
		{"null delta", "", chunkWith(`"delta":null`), Meta, false},
		{"unknown member of the delta", "", chunkWith(`"delta":{"provider_specific_fields":{"a":1}}`), Meta, false},
		{"end", "", chunkWith(`"delta":{},"finish_reason":"stop"`), Meta, true},
		{"end of a legacy completion", "", chunkWith(`"text":"","finish_reason":"length"`), Meta, true},
		{"empty finish reason", "", chunkWith(`"delta":{"content":""},"finish_reason":""`), Meta, false},
		{"filter results before the first choice", "", `{"id":"","model":"","choices":[],"prompt_filter_results":[{"error":{"x":1}}]}`, Meta, false},
		{"cost chunk", "", `{"choices":[],"cost":"0"}`, Meta, false},
		{"null choices", "", `{"choices":null}`, Meta, false},
		{"choices that are none", "", `{"choices":[null,1,"x",[]]}`, Meta, false},
		{"choices of another type", "", `{"choices":{"delta":{"content":"a"}}}`, Meta, false},
		{"nothing at all", "", `{}`, Meta, false},
		{"ping", "ping", `{"type":"ping"}`, Meta, false},
		{"null error", "", `{"error":null,"choices":[]}`, Meta, false},
		{"empty errors", "", `{"error":"","choices":[{"error":{ }}]}`, Meta, false},

		{"content", "", chunkWith(`"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null`), Content, false},
		{"a blank", "", chunkWith(`"delta":{"content":" "}`), Content, false},
		{"content that talks of errors", "", chunkWith(`"delta":{"content":"\"error\":{\"code\":1},\"finish_reason\":\"stop\",[DONE]"}`), Content, false},
		{"content in parts", "", chunkWith(`"delta":{"content":[{"type":"thinking"}]}`), Content, false},
		{"content and end at once", "", chunkWith(`"delta":{"content":"a"},"finish_reason":"stop"`), Content, true},
		{"reasoning", "", chunkWith(`"delta":{"content":null,"reasoning_content":"Hm"}`), Content, false},
		{"reasoning of OpenRouter", "", chunkWith(`"delta":{"content":"","reasoning":"Hm"}`), Content, false},
		{"refusal", "", chunkWith(`"delta":{"refusal":"I"}`), Content, false},
		{"tool call", "", chunkWith(`"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}`), Content, false},
		{"function call", "", chunkWith(`"delta":{"function_call":{"name":"f"}}`), Content, false},
		{"audio", "", chunkWith(`"delta":{"audio":{"id":"a"}}`), Content, false},
		{"legacy text", "", chunkWith(`"text":"a","finish_reason":null`), Content, false},
		{"message in place of a delta", "", chunkWith(`"message":{"content":"a"}`), Content, false},
		{"second choice", "", `{"choices":[{"index":0,"delta":{}},{"index":1,"delta":{"content":"a"}}]}`, Content, false},
		{"names with escapes", "", `{"choi\u0063es":[{"d\u0065lta":{"c\u006fntent":"a"}}]}`, Content, false},
		{"white space everywhere", "", " {\r\n\"choices\" : [ { \"delta\" : { \"content\" : \"a\" } } ] }\t", Content, false},
		{"under a name", "message", chunkWith(`"delta":{"content":"a"}`), Content, false},

		{"error object", "", `{"error":{"message":"x","code":429}}`, Error, false},
		{"error text", "", `{"error":"x"}`, Error, false},
		{"error of the Anthropic form", "error", `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, Error, false},
		{"error by the event's name", "error", `{"message":"x"}`, Error, false},
		{"error text by the event's name", "error", `upstream failed`, Error, false},
		{"error in a chunk", "", `{"id":"x","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"Provider disconnected"}}`, Error, false},
		{"finish reason error", "", chunkWith(`"delta":{},"finish_reason":"error"`), Error, false},
		{"error in a choice", "", chunkWith(`"delta":{"content":"a"},"error":{"message":"x"}`), Error, false},
		{"error of vLLM", "", `{"object":"error","message":"x","type":"BadRequestError","param":null,"code":400}`, Error, false},
		{"error in a list", "", `[{"error":{"code":429,"message":"x"}}]`, Error, false},
		{"error with an escaped name", "", `{"err\u006fr":{"message":"x"}}`, Error, false},
		{"error that breaks off", "", `{"error":{"message":"x"},"a`, Error, false},

		{"done", "", `[DONE]`, Done, false},
		{"done with blanks", "", " [DONE]\r\n", Done, false},
		{"done under a name", "done", `[DONE]`, Done, false},

		{"broken", "", `{broken`, Malformed, false},
		{"breaking off", "", `{"choices":[{"delta":{"content":"a"}`, Malformed, false},
		{"something behind", "", `{} x`, Malformed, false},
		{"two objects", "", `{}{}`, Malformed, false},
		{"a list", "", `[{"choices":[]}]`, Malformed, false},
		{"text", "", `hello`, Malformed, false},
		{"null", "", `null`, Malformed, false},
		{"blanks", "", ` `, Malformed, false},
		{"control character", "", "{\"choices\":[{\"delta\":{\"content\":\"a\nb\"}}]}", Malformed, false},
	} {
		got := Inspect([]byte(c.event), []byte(c.data))
		if got.Kind != c.want || got.Finished != c.finished || (got.Err != nil) != (c.want == Error) {
			t.Errorf("%s: %s: got kind %d, finished %t, error %v; want kind %d, finished %t", c.name, c.data, got.Kind, got.Finished, got.Err, c.want, c.finished)
		}
	}
}

func TestUsageIsTakenWhereverItStands(t *testing.T) {
	for _, c := range []struct {
		data string
		kind Kind
		has  bool
		want Usage
	}{
		{`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"prompt_tokens_details":{"cached_tokens":80,"x":[1]},"completion_tokens_details":{"reasoning_tokens":3}}}`,
			UsageOnly, true, Usage{Prompt: 100, Completion: 5, Total: 105, Cached: 80, Reasoning: 3}},
		{`{"usage":{"completion_tokens":5,"prompt_tokens":1}}`, UsageOnly, true, Usage{Prompt: 1, Completion: 5, Total: 6}},
		{`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, Content, true, Usage{Prompt: 1, Completion: 2, Total: 3}},
		{`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`, Meta, true, Usage{Prompt: 1, Total: 1}},
		{`{"choices":[{"delta":{"content":"a"}}],"usage":null}`, Content, false, Usage{}},
		{`{"choices":[],"usage":null}`, Meta, false, Usage{}},
		{`{"choices":[],"usage":[]}`, Meta, false, Usage{}},
		{`{"choices":[],"usage":{}}`, UsageOnly, true, Usage{}},
		{`{"usage":{"prompt_tokens":null,"completion_tokens":"7","total_tokens":{},"prompt_tokens_details":null,"completion_tokens_details":[]}}`, UsageOnly, true, Usage{}},
		{`{"usage":{"prompt_tokens":-1,"completion_tokens":1e400,"total_tokens":12.0}}`, UsageOnly, true, Usage{Total: 12}},
		{`{"usage":{"prompt_tokens":1e3,"completion_tokens":99999999999999999999}}`, UsageOnly, true, Usage{Prompt: 1000, Total: 1000}},
	} {
		got := Inspect(nil, []byte(c.data))
		if got.Kind != c.kind || got.HasUsage != c.has || got.Usage != c.want {
			t.Errorf("%s: got kind %d, %t, %+v; want %d, %t, %+v", c.data, got.Kind, got.HasUsage, got.Usage, c.kind, c.has, c.want)
		}
	}
}

func TestAWholeAnswerIsChecked(t *testing.T) {
	const good = `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`
	if a := CheckAnswer([]byte(good + "\n")); a.Err != nil || !a.HasUsage || a.Usage != (Usage{Prompt: 1, Completion: 2, Total: 3}) {
		t.Errorf("a good answer gave %+v", a)
	}
	for body, status := range map[string]int{
		"":                                     502,
		" \r\n":                                502,
		"null":                                 502,
		"{}":                                   502,
		"{ }":                                  502,
		"[]":                                   502,
		"<html>502</html>":                     502,
		good[:len(good)-1]:                     502,
		good + "x":                             502,
		`"ok"`:                                 502,
		`{"error":{"message":"x"}}`:            502,
		`{"error":{"message":"x","code":429}}`: 429,
		`{"error":{"type":"overloaded_error","message":"x"},"choices":[]}`:                      503,
		`[{"error":{"code":404,"message":"x"}}]`:                                                404,
		`{"object":"error","message":"x","code":400}`:                                           400,
		`{"choices":[{"message":{"content":""},"finish_reason":"error","error":{"code":502}}]}`: 502,
	} {
		a := CheckAnswer([]byte(body))
		if a.Err == nil || a.Err.Status != status {
			t.Errorf("%q: got %v, want an error of status %d", body, a.Err, status)
		}
	}
	for _, body := range []string{`{"object":"list","data":[]}`, `{"choices":[]}`, `{"error":null,"choices":[{}]}`} {
		if a := CheckAnswer([]byte(body)); a.Err != nil {
			t.Errorf("%s: got %v, want an answer", body, a.Err)
		}
	}
}
