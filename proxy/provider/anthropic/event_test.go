package anthropic

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/proxy/provider"
)

func TestEachEventIsToldForWhatItIs(t *testing.T) {
	for _, c := range []struct {
		name, event, data string
		want              provider.Kind
		finished          bool
		status            int // of an error
	}{
		{"start", "message_start", `{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":1}}}`, provider.Meta, false, 0},
		{"ping", "ping", `{"type": "ping"}`, provider.Meta, false, 0},
		{"block", "content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, provider.Meta, false, 0},
		{"text", "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`, provider.Content, false, 0},
		{"empty text", "content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}}`, provider.Meta, false, 0},
		{"arguments", "", `{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}`, provider.Content, false, 0},
		{"thinking", "", `{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hm"}}`, provider.Content, false, 0},
		{"signature", "", `{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"EqQ"}}`, provider.Content, false, 0},
		{"citation", "", `{"type":"content_block_delta","delta":{"type":"citations_delta","citation":{"cited_text":"x"}}}`, provider.Content, false, 0},
		{"the type in the event's name alone", "content_block_delta", `{"delta":{"text":"a"}}`, provider.Content, false, 0},
		{"the type alone, spelled with escapes", "", `{"t\u0079pe":"content_bl\u006fck_delta","delta":{"text":"a"}}`, provider.Content, false, 0},
		{"end of a block", "", `{"type":"content_block_stop","index":0}`, provider.Meta, false, 0},
		{"end of the message", "message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}`, provider.Meta, true, 0},
		{"usage in between", "message_delta", `{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":15}}`, provider.Meta, false, 0},
		{"stop", "message_stop", `{"type":"message_stop"}`, provider.Done, false, 0},
		{"something new", "message_dance", `{"type":"message_dance","delta":{"text":"a"}}`, provider.Meta, false, 0},
		{"overloaded", "error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, provider.Error, false, 529},
		{"a limit", "", `{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`, provider.Error, false, 429},
		{"an error without a name", "", `{"error":{"type":"api_error","message":"m"}}`, provider.Error, false, 500},
		{"error text", "error", `upstream failed`, provider.Error, false, 502},
		{"null error", "", `{"type":"ping","error":null}`, provider.Meta, false, 0},
		{"broken", "content_block_delta", `{"type":"content_block_delta","delta":{"text":"a"`, provider.Malformed, false, 0},
		{"a list", "", `[]`, provider.Malformed, false, 0},
		{"nothing", "", ``, provider.Malformed, false, 0},
	} {
		got := InspectMessage([]byte(c.event), []byte(c.data))
		if got.Kind != c.want || got.Finished != c.finished || (got.Err != nil) != (c.want == provider.Error) {
			t.Errorf("%s: %s: got %+v, want kind %d, finished %t", c.name, c.data, got, c.want, c.finished)
		} else if got.Err != nil && (got.Err.Status != c.status || got.Err.Message == "") {
			t.Errorf("%s: %s: got %v, want status %d", c.name, c.data, got.Err, c.status)
		}
	}
}

func TestThePromptCountsWhatCameFromTheCacheAndWentThere(t *testing.T) {
	for data, want := range map[string]provider.Usage{
		`{"type":"message_start","message":{"usage":{"input_tokens":100,"output_tokens":1}}}`:                                                              {Prompt: 100, Completion: 1, Total: 101},
		`{"type":"message_delta","delta":{},"usage":{"output_tokens":50}}`:                                                                                 {Completion: 50, Total: 50},
		`{"type":"message","usage":{"input_tokens":20,"cache_read_input_tokens":80,"cache_creation_input_tokens":7,"output_tokens":5,"service_tier":"x"}}`: {Prompt: 107, Completion: 5, Total: 112, Cached: 80},
		`{"type":"message","usage":{"input_tokens":"1","cache_read_input_tokens":null,"output_tokens":-5,"cache_creation":{"input_tokens":9}}}`:            {},
	} {
		if got := InspectMessage(nil, []byte(data)); !got.HasUsage || got.Usage != want {
			t.Errorf("%s: got %+v, want %+v", data, got.Usage, want)
		}
		if got := CheckMessage([]byte(data)); got.Err != nil || strings.Contains(data, `"type":"message"`) && got.Usage != want {
			t.Errorf("%s as a whole: got %+v, want %+v", data, got, want)
		}
	}
	if got := InspectMessage(nil, []byte(`{"type":"message_delta","usage":null}`)); got.HasUsage {
		t.Errorf("got %+v, want no usage", got)
	}
}

func TestAWholeMessageIsChecked(t *testing.T) {
	const good = `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`
	for body, status := range map[string]int{
		good: 0, " " + good + "\n": 0, `{"input_tokens":7}`: 0, `{"type":"message","error":null}`: 0,
		"": 502, "{}": 502, "[]": 502, "null": 502, "<html>": 502, good[1:]: 502, good[:len(good)-1]: 502, good + good: 502,
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`: 529,
		`{"type":"error","error":{"type":"rate_limit_error","message":"m"}}`: 429,
		`{"error":{"message":"m","type":"invalid_request_error"}}`:           400,
		`{"type":"error","message":"m"}`:                                     502,
	} {
		got := CheckMessage([]byte(body))
		if (got.Err != nil) != (status != 0) || got.Err != nil && got.Err.Status != status {
			t.Errorf("%q: got %v, want status %d", body, got.Err, status)
		}
	}
}

func TestAUsualEventAllocatesNothing(t *testing.T) {
	for _, data := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`, `{"type":"ping"}`, `{"type":"message_stop"}`,
		`{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":3,"cache_creation":{"ephemeral_5m_input_tokens":0},"output_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}`,
	} {
		raw := []byte(data)
		least := testing.AllocsPerRun(1, func() { InspectMessage(nil, raw) })
		for range 50 { // between two runs a pool may lose what it holds
			least = min(least, testing.AllocsPerRun(1, func() { InspectMessage(nil, raw) }))
		}
		if least != 0 {
			t.Errorf("%s: got %v allocations, want 0", data, least)
		}
	}
}

func FuzzInspectMessage(f *testing.F) {
	for _, data := range []string{
		`{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}`, `{"type":"message_start","message":{"usage":{"input_tokens":3}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"x"},"usage":{"output_tokens":1}}`, `{"type":"error","error":{"type":"overloaded_error","message":"m"}}`, `{"type":7}`, `{broken`,
	} {
		f.Add([]byte(""), []byte(data))
	}
	f.Fuzz(func(t *testing.T, name, data []byte) {
		before := bytes.Clone(data)
		got := InspectMessage(name, data)
		CheckMessage(data)
		if !bytes.Equal(data, before) {
			t.Fatalf("%q became %q", before, data)
		}
		if (got.Kind == provider.Error) != (got.Err != nil) {
			t.Fatalf("%q: got %+v", data, got)
		}
		if got.Kind == provider.Error {
			if e := got.Err; e.Status < 400 || e.Status > 599 || e.Message == "" || !utf8.ValidString(e.Message) || strings.ContainsAny(e.Message, "\r\n\x00") {
				t.Fatalf("%q: got %+v", data, e)
			}
			return
		}
		if got.Usage.Prompt < 0 || got.Usage.Total < got.Usage.Completion {
			t.Fatalf("%q: got %+v", data, got.Usage)
		}
		if got.Kind == provider.Content && !json.Valid(bytes.TrimSpace(data)) {
			t.Fatalf("%q is told to bring content", data)
		}
	})
}
