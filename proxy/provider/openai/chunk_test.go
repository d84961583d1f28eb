package openai

import (
	"testing"

	"github.com/sluice-gateway/sluice/proxy/provider"
)

// chunkWith returns a chunk as OpenAI writes it, with one choice.
func chunkWith(choice string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741569952,"model":"m","system_fingerprint":"fp","choices":[{"index":0,` + choice + `}],"usage":null,"obfuscation":"x"}`
}

func TestEachEventIsToldForWhatItIs(t *testing.T) {
	for _, c := range []struct {
		name, event, data string
		want              provider.Kind
		finished          bool
	}{
		{"role only", "", chunkWith(`"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null`), provider.Meta, false},
		{"role and null content", "", chunkWith(`"delta":{"role":"assistant","content":null,"tool_calls":[],"audio":{}},"finish_reason":null`), provider.Meta, false},
		{"empty delta", "", chunkWith(`"delta":{},"finish_reason":null`), provider.Meta, false},
		{"null delta", "", chunkWith(`"delta":null`), provider.Meta, false},
		{"unknown member of the delta", "", chunkWith(`"delta":{"provider_specific_fields":{"a":1}}`), provider.Meta, false},
		{"end", "", chunkWith(`"delta":{},"finish_reason":"stop"`), provider.Meta, true},
		{"end of a legacy completion", "", chunkWith(`"text":"","finish_reason":"length"`), provider.Meta, true},
		{"empty finish reason", "", chunkWith(`"delta":{"content":""},"finish_reason":""`), provider.Meta, false},
		{"filter results before the first choice", "", `{"id":"","model":"","choices":[],"prompt_filter_results":[{"error":{"x":1}}]}`, provider.Meta, false},
		{"cost chunk", "", `{"choices":[],"cost":"0"}`, provider.Meta, false},
		{"null choices", "", `{"choices":null}`, provider.Meta, false},
		{"choices that are none", "", `{"choices":[null,1,"x",[]]}`, provider.Meta, false},
		{"choices of another type", "", `{"choices":{"delta":{"content":"a"}}}`, provider.Meta, false},
		{"nothing at all", "", `{}`, provider.Meta, false},
		{"ping", "ping", `{"type":"ping"}`, provider.Meta, false},
		{"null error", "", `{"error":null,"choices":[]}`, provider.Meta, false},
		{"empty errors", "", `{"error":"","choices":[{"error":{ }}]}`, provider.Meta, false},

		{"content", "", chunkWith(`"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null`), provider.Content, false},
		{"a blank", "", chunkWith(`"delta":{"content":" "}`), provider.Content, false},
		{"content that talks of errors", "", chunkWith(`"delta":{"content":"\"error\":{\"code\":1},\"finish_reason\":\"stop\",[DONE]"}`), provider.Content, false},
		{"content in parts", "", chunkWith(`"delta":{"content":[{"type":"thinking"}]}`), provider.Content, false},
		{"content and end at once", "", chunkWith(`"delta":{"content":"a"},"finish_reason":"stop"`), provider.Content, true},
		{"reasoning", "", chunkWith(`"delta":{"content":null,"reasoning_content":"Hm"}`), provider.Content, false},
		{"reasoning of OpenRouter", "", chunkWith(`"delta":{"content":"","reasoning":"Hm"}`), provider.Content, false},
		{"refusal", "", chunkWith(`"delta":{"refusal":"I"}`), provider.Content, false},
		{"tool call", "", chunkWith(`"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}`), provider.Content, false},
		{"function call", "", chunkWith(`"delta":{"function_call":{"name":"f"}}`), provider.Content, false},
		{"audio", "", chunkWith(`"delta":{"audio":{"id":"a"}}`), provider.Content, false},
		{"legacy text", "", chunkWith(`"text":"a","finish_reason":null`), provider.Content, false},
		{"message in place of a delta", "", chunkWith(`"message":{"content":"a"}`), provider.Content, false},
		{"second choice", "", `{"choices":[{"index":0,"delta":{}},{"index":1,"delta":{"content":"a"}}]}`, provider.Content, false},
		{"names with escapes", "", `{"choi\u0063es":[{"d\u0065lta":{"c\u006fntent":"a"}}]}`, provider.Content, false},
		{"white space everywhere", "", " {\r\n\"choices\" : [ { \"delta\" : { \"content\" : \"a\" } } ] }\t", provider.Content, false},
		{"under a name", "message", chunkWith(`"delta":{"content":"a"}`), provider.Content, false},

		{"error object", "", `{"error":{"message":"x","code":429}}`, provider.Error, false},
		{"error text", "", `{"error":"x"}`, provider.Error, false},
		{"error of the Anthropic form", "error", `{"type":"error","error":{"type":"overloaded_error","message":"x"}}`, provider.Error, false},
		{"error by the event's name", "error", `{"message":"x"}`, provider.Error, false},
		{"error text by the event's name", "error", `upstream failed`, provider.Error, false},
		{"error in a chunk", "", `{"id":"x","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"Provider disconnected"}}`, provider.Error, false},
		{"finish reason error", "", chunkWith(`"delta":{},"finish_reason":"error"`), provider.Error, false},
		{"error in a choice", "", chunkWith(`"delta":{"content":"a"},"error":{"message":"x"}`), provider.Error, false},
		{"error of vLLM", "", `{"object":"error","message":"x","type":"BadRequestError","param":null,"code":400}`, provider.Error, false},
		{"error in a list", "", `[{"error":{"code":429,"message":"x"}}]`, provider.Error, false},
		{"error with an escaped name", "", `{"err\u006fr":{"message":"x"}}`, provider.Error, false},
		{"error that breaks off", "", `{"error":{"message":"x"},"a`, provider.Error, false},

		{"done", "", `[DONE]`, provider.Done, false},
		{"done with blanks", "", " [DONE]\r\n", provider.Done, false},
		{"done under a name", "done", `[DONE]`, provider.Done, false},

		{"broken", "", `{broken`, provider.Malformed, false},
		{"breaking off", "", `{"choices":[{"delta":{"content":"a"}`, provider.Malformed, false},
		{"something behind", "", `{} x`, provider.Malformed, false},
		{"two objects", "", `{}{}`, provider.Malformed, false},
		{"a list", "", `[{"choices":[]}]`, provider.Malformed, false},
		{"text", "", `hello`, provider.Malformed, false},
		{"null", "", `null`, provider.Malformed, false},
		{"blanks", "", ` `, provider.Malformed, false},
		{"control character", "", "{\"choices\":[{\"delta\":{\"content\":\"a\nb\"}}]}", provider.Malformed, false},
	} {
		got := Inspect([]byte(c.event), []byte(c.data))
		if got.Kind != c.want || got.Finished != c.finished || (got.Err != nil) != (c.want == provider.Error) {
			t.Errorf("%s: %s: got kind %d, finished %t, error %v; want kind %d, finished %t", c.name, c.data, got.Kind, got.Finished, got.Err, c.want, c.finished)
		}
	}
}

func TestUsageIsTakenWhereverItStands(t *testing.T) {
	for _, c := range []struct {
		data string
		kind provider.Kind
		has  bool
		want provider.Usage
	}{
		{`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"prompt_tokens_details":{"cached_tokens":80,"x":[1]},"completion_tokens_details":{"reasoning_tokens":3}}}`,
			provider.UsageOnly, true, provider.Usage{Prompt: 100, Completion: 5, Total: 105, Cached: 80, Reasoning: 3}},
		{`{"usage":{"completion_tokens":5,"prompt_tokens":1}}`, provider.UsageOnly, true, provider.Usage{Prompt: 1, Completion: 5, Total: 6}},
		{`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`, provider.Content, true, provider.Usage{Prompt: 1, Completion: 2, Total: 3}},
		{`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`, provider.Meta, true, provider.Usage{Prompt: 1, Total: 1}},
		{`{"choices":[{"delta":{"content":"a"}}],"usage":null}`, provider.Content, false, provider.Usage{}},
		{`{"choices":[],"usage":null}`, provider.Meta, false, provider.Usage{}},
		{`{"choices":[],"usage":[]}`, provider.Meta, false, provider.Usage{}},
		{`{"choices":[],"usage":{}}`, provider.UsageOnly, true, provider.Usage{}},
		{`{"usage":{"prompt_tokens":null,"completion_tokens":"7","total_tokens":{},"prompt_tokens_details":null,"completion_tokens_details":[]}}`, provider.UsageOnly, true, provider.Usage{}},
		{`{"usage":{"prompt_tokens":-1,"completion_tokens":1e400,"total_tokens":12.0}}`, provider.UsageOnly, true, provider.Usage{Total: 12}},
		{`{"usage":{"prompt_tokens":1e3,"completion_tokens":99999999999999999999}}`, provider.UsageOnly, true, provider.Usage{Prompt: 1000, Total: 1000}},
	} {
		got := Inspect(nil, []byte(c.data))
		if got.Kind != c.kind || got.HasUsage != c.has || got.Usage != c.want {
			t.Errorf("%s: got kind %d, %t, %+v; want %d, %t, %+v", c.data, got.Kind, got.HasUsage, got.Usage, c.kind, c.has, c.want)
		}
	}
}

func TestAWholeAnswerIsChecked(t *testing.T) {
	const good = `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`
	if a := CheckAnswer([]byte(good + "\n")); a.Err != nil || !a.HasUsage || a.Usage != (provider.Usage{Prompt: 1, Completion: 2, Total: 3}) {
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

func TestTheStatusOfAnErrorInsideAStreamIsDerived(t *testing.T) {
	for data, want := range map[string]int{
		`{"error":{"message":"x","code":429}}`:                                                                    429,
		`{"error":{"message":"x","code":"503"}}`:                                                                  503,
		`{"error":{"message":"x","status":400}}`:                                                                  400,
		`{"error":{"message":"x","code":"rate_limit_exceeded"}}`:                                                  429,
		`{"error":{"message":"x","type":"overloaded_error"}}`:                                                     503,
		`{"error":{"message":"x","type":"server_error"}}`:                                                         500,
		`{"error":{"message":"x","type":"invalid_request_error"}}`:                                                400,
		`{"error":{"message":"x","code":"context_length_exceeded","type":"whatever"}}`:                            400,
		`{"error":{"message":"x","code":"RESOURCE_EXHAUSTED"}}`:                                                   429,
		`{"error":{"message":"x","code":200}}`:                                                                    502,
		`{"error":{"message":"x","code":1301}}`:                                                                   502,
		`{"error":{"message":"x","code":429.5}}`:                                                                  502,
		`{"error":"x"}`:                                                                                           502,
		`{"id":"x","choices":[{"delta":{},"finish_reason":"error"}]}`:                                             502,
		`{"id":"x","choices":[{"finish_reason":"error"}],"error":{"code":502,"message":"Provider disconnected"}}`: 502,
		`{"object":"error","message":"x","type":"BadRequestError","code":400}`:                                    400,
	} {
		got := Inspect(nil, []byte(data))
		if got.Kind != provider.Error || got.Err.Status != want || got.Err.Message == "" {
			t.Errorf("%s: got kind %d and %v, want status %d", data, got.Kind, got.Err, want)
		}
	}
}
