package envelope

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

// content is a body with one message of that content, after one of text.
func content(parts string) string {
	return `{"model":"m","messages":[{"role":"system","content":"image_url"},{"content":[` + parts + `],"role":"user"}]}`
}

func TestWhatABodyNeedsIsToldByItsMembers(t *testing.T) {
	for in, want := range map[string]string{
		`{"model":"m"}`: "[]",
		`{"model":"m","messages":[{"role":"user","content":"hi"}]}`:                                           "[]",
		`{"model":"m","tools":[{"type":"function"}]}`:                                                         "[tools]",
		`{"model":"m","functions":[{}]}`:                                                                      "[tools]",
		`{"model":"m","tools":[],"functions":[ ]}`:                                                            "[]",
		`{"model":"m","tools":null,"functions":{"a":1}}`:                                                      "[]",
		`{"model":"m","tool_choice":"none","x":{"tools":[1]}}`:                                                "[]",
		`{"model":"m","response_format":{"type":"json_schema","json_schema":{"schema":{"type":"object"}}}}`:   "[json_schema]",
		`{"model":"m","response_format":{"json_schema":{"type":"x"},"type":"json_sch\u0065ma"}}`:              "[json_schema]",
		`{"model":"m","response_format":{"type":"json_object","x":{"type":"json_schema"}}}`:                   "[]",
		`{"model":"m","response_format":"json_schema"}`:                                                       "[]",
		`{"model":"m","reasoning_effort":"low"}`:                                                              "[reasoning]",
		`{"model":"m","reasoning_effort":"none"}`:                                                             "[]",
		`{"model":"m","reasoning_effort":null}`:                                                               "[]",
		content(`{"type":"text","text":"image_url"}`):                                                         "[]",
		content(`{"type":"text"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}`):        "[vision]",
		content(`{"image_url":{"url":"x","type":"text"},"type":"image_url"}`):                                 "[vision]",
		content(`{"type":"input_audio"},{"type":"file","file":{"file_id":"f"}}`):                              "[audio files]",
		content(`{"type":"audio_url"}`):                                                                       "[audio]",
		content(`{"type":["image_url"]},"image_url",7,null,[{"type":"image_url"}]`):                           "[]",
		`{"model":"m","messages":{"content":[{"type":"image_url"}]}}`:                                         "[]",
		`{"model":"m","messages":[{"tool_calls":[{"type":"image_url"}],"content":{"type":"image_url"}}]}`:     "[]",
		`{"messages":[{"content":[{"type":"image_url"}]}],"tools":[0],"model":"m","reasoning_effort":"high"}`: "[tools vision reasoning]",
	} {
		e, err := Parse([]byte(in), Chat)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if got := fmt.Sprint(e.Needs.List()); got != want || e.Needs.Declared {
			t.Errorf("%s needs %s (declared: %t), want %s", in, got, e.Needs.Declared, want)
		}
	}
}

func TestTheLowerBoundOfTheAnswerCounts(t *testing.T) {
	for in, want := range map[string]int64{
		`{"model":"m"}`:                  0,
		`{"model":"m","max_tokens":500}`: 500,
		`{"model":"m","max_completion_tokens":7,"max_tokens":9}`:     7,
		`{"max_tokens":9,"max_completion_tokens":70,"model":"m"}`:    9,
		`{"model":"m","max_tokens":null}`:                            0,
		`{"model":"m","max_tokens":0}`:                               0,
		`{"model":"m","max_tokens":-1}`:                              0,
		`{"model":"m","max_tokens":"5"}`:                             0,
		`{"model":"m","max_tokens":1.5,"max_completion_tokens":1e3}`: 0,
		`{"model":"m","max_tokens":99999999999999999999}`:            0,
	} {
		e, err := Parse([]byte(in), Chat)
		if err != nil {
			t.Fatal(err)
		}
		if e.MaxTokens != want {
			t.Errorf("%s: got %d, want %d", in, e.MaxTokens, want)
		}
	}
}

func TestMediaIsNoText(t *testing.T) {
	text, err := Parse([]byte(content(`{"type":"text","text":"`+strings.Repeat("x", 5000)+`"}`)), Chat)
	if err != nil {
		t.Fatal(err)
	}
	image, err := Parse([]byte(content(`{"type":"image_url","image_url":{"url":"`+strings.Repeat("x", 5000)+`"}}`)), Chat)
	if err != nil {
		t.Fatal(err)
	}
	if text.TextBytes() < 5000 || image.TextBytes() > 200 {
		t.Errorf("a body with 5000 bytes of text counts %d, one with as much image %d", text.TextBytes(), image.TextBytes())
	}
}

// FuzzNeedsAreThoseOfASlowReader compares with what encoding/json finds.
func FuzzNeedsAreThoseOfASlowReader(f *testing.F) {
	for _, parts := range []string{`{"type":"file"}`, `{"t\u0079pe":"image\u005furl","type":null}`, `1`, `{"type":"text","type":"input_audio"}`} {
		f.Add([]byte(content(parts)))
	}
	f.Add([]byte(`{"model":"m","tools":[1],"response_format":{"type":"json_schema"},"reasoning_effort":"x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := Parse(raw, Chat)
		if err != nil {
			return
		}
		if e.TextBytes() < 0 {
			t.Errorf("%q has %d bytes of text", raw, e.TextBytes())
		}
		body, once := members(t, raw)
		if !once {
			return // which of two members counts is the upstream's to say
		}
		var want core.Capabilities
		for _, name := range []string{memberTools, memberFunctions} {
			if list, ok := body[name].([]any); ok && len(list) > 0 {
				want.Add(core.CapabilityTools)
			}
		}
		if format, ok := body[memberResponseFormat].(map[string]any); ok && format[memberType] == formatJSONSchema {
			want.Add(core.CapabilityJSONSchema)
		}
		if effort, ok := body[memberReasoningEffort].(string); ok && effort != effortNone {
			want.Add(core.CapabilityReasoning)
		}
		messages, _ := body[memberMessages].([]any)
		for _, m := range messages {
			message, _ := m.(map[string]any)
			parts, _ := message[memberContent].([]any)
			for _, p := range parts {
				part, _ := p.(map[string]any)
				kind, _ := part[memberType].(string)
				if c, ok := partNeeds([]byte(kind)); ok {
					want.Add(c)
				}
			}
		}
		if e.Needs != want {
			t.Errorf("%q needs %v, want %v", raw, e.Needs.List(), want.List())
		}
	})
}

// members decodes a body; once tells that no object in it has a name twice.
func members(t *testing.T, raw []byte) (body map[string]any, once bool) {
	t.Helper()
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, false // such as a number that no float holds
	}
	again, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return body, strings.Count(string(again), ":") == strings.Count(string(raw), ":")
}
