package openai

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/provider"
)

func TestEachEventOfAResponseIsToldForWhatItIs(t *testing.T) {
	for _, c := range []struct {
		name, event, data string
		want              provider.Kind
		status            int // of an error
	}{
		{"created", "response.created", `{"type":"response.created","sequence_number":0,"response":{"id":"r","status":"in_progress","error":null,"usage":null}}`, provider.Meta, 0},
		{"item", "", `{"type":"response.output_item.added","item":{"type":"message","content":[]}}`, provider.Meta, 0},
		{"text", "response.output_text.delta", `{"type":"response.output_text.delta","item_id":"m","delta":"a","logprobs":[]}`, provider.Content, 0},
		{"empty text", "", `{"type":"response.output_text.delta","delta":""}`, provider.Meta, 0},
		{"arguments", "", `{"type":"response.function_call_arguments.delta","delta":"{"}`, provider.Content, 0},
		{"reasoning", "", `{"type":"response.reasoning_summary_text.delta","delta":"Hm"}`, provider.Content, 0},
		{"picture", "", `{"type":"response.image_generation_call.partial_image","partial_image_b64":"AA"}`, provider.Content, 0},
		{"the type in the event's name alone", "response.completed", `{"response":{}}`, provider.Done, 0},
		{"completed", "", `{"type":"response.completed","response":{"status":"completed","error":null}}`, provider.Done, 0},
		{"incomplete", "", `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`, provider.Done, 0},
		{"done mark", "", `[DONE]`, provider.Done, 0},
		{"failed", "", `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"x"}}}`, provider.Error, 500},
		{"failed by a limit", "", `{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"x"}}}`, provider.Error, 429},
		{"failed by the prompt", "", `{"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"x"}}}`, provider.Error, 400},
		{"failed without a word", "", `{"type":"response.failed","response":{}}`, provider.Error, 502},
		{"error", "error", `{"type":"error","code":"rate_limit_exceeded","message":"x","param":null,"sequence_number":3}`, provider.Error, 429},
		{"error in the chat's form", "error", `{"error":{"type":"overloaded_error","message":"x"}}`, provider.Error, 503},
		{"error without a name", "", `{"error":{"code":429,"message":"x"}}`, provider.Error, 429},
		{"error text", "error", `upstream failed`, provider.Error, 502},
		{"nothing", "", `{}`, provider.Meta, 0},
		{"broken", "", `{"type":"response.output_text.delta","delta":"a`, provider.Malformed, 0},
		{"a list", "", `[{"type":"response.completed"}]`, provider.Malformed, 0},
	} {
		got := InspectResponse([]byte(c.event), []byte(c.data))
		if got.Kind != c.want || (got.Err != nil) != (c.want == provider.Error) || got.Finished != (c.want == provider.Done && c.data != "[DONE]") {
			t.Errorf("%s: %s: got %+v, want kind %d", c.name, c.data, got, c.want)
		} else if got.Err != nil && (got.Err.Status != c.status || got.Err.Message == "") {
			t.Errorf("%s: %s: got %v, want status %d", c.name, c.data, got.Err, c.status)
		}
	}
}

func TestTheUsageOfAResponseIsInItsLastEvent(t *testing.T) {
	const usage = `{"input_tokens":100,"input_tokens_details":{"cached_tokens":80},"output_tokens":5,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":105}`
	want := provider.Usage{Prompt: 100, Completion: 5, Total: 105, Cached: 80, Reasoning: 3}
	for _, kind := range []string{"completed", "incomplete", "failed"} {
		got := InspectResponse(nil, []byte(`{"type":"response.`+kind+`","response":{"usage":`+usage+`}}`))
		if !got.HasUsage || got.Usage != want {
			t.Errorf("%s: got %+v", kind, got)
		}
	}
	if got := CheckAnswer([]byte(`{"object":"response","status":"completed","error":null,"output":[],"usage":` + usage + `}`)); got.Err != nil || got.Usage != want {
		t.Errorf("a whole response gave %+v", got)
	}
	if got := CheckAnswer([]byte(`{"object":"response","status":"failed","error":{"code":"rate_limit_exceeded","message":"m"},"output":[]}`)); got.Err == nil || got.Err.Status != 429 || got.Err.Message != "m" {
		t.Errorf("a failed response gave %+v", got)
	}
}

func TestAUsualEventOfAResponseAllocatesNothing(t *testing.T) {
	for _, data := range []string{
		`{"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"m","output_index":0,"content_index":0,"delta":"Hello","obfuscation":"x"}`,
		`{"type":"response.completed","response":{"id":"r","output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":1,"output_tokens":2}}}`,
	} {
		raw := []byte(data)
		if got := leastAllocs(func() { InspectResponse(nil, raw) }); got != 0 {
			t.Errorf("%s: got %v allocations, want 0", data, got)
		}
	}
}

func FuzzInspectResponse(f *testing.F) {
	for _, data := range []string{
		`{"type":"response.output_text.delta","delta":"a"}`, `{"type":"response.completed","response":{"usage":{"input_tokens":1}}}`,
		`{"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"m"}}}`, `{"type":"error","code":"x","message":"m"}`, `[DONE]`, `{broken`, `{"type":7,"error":{}}`,
	} {
		f.Add([]byte(""), []byte(data))
	}
	f.Fuzz(func(t *testing.T, name, data []byte) {
		before := bytes.Clone(data)
		got := InspectResponse(name, data)
		if !bytes.Equal(data, before) {
			t.Fatalf("%q became %q", before, data)
		}
		if (got.Kind == provider.Error) != (got.Err != nil) || got.Final && got.Kind != provider.Error {
			t.Fatalf("%q: got %+v", data, got)
		}
		if got.Kind == provider.Error {
			checkPublic(t, data, got.Err.Status, got.Err.Message, got.Err.Code)
			return
		}
		var object map[string]any
		if got.Kind == provider.Content && (json.Unmarshal(data, &object) != nil || !says(object["delta"]) && !says(object["partial_image_b64"]) && !repeats(data) && bytes.Count(data, []byte(`"delta"`)) < 2) {
			t.Fatalf("%q is told to bring content", data)
		}
	})
}
