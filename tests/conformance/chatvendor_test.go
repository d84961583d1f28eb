package conformance

import (
	"encoding/json"
	"testing"
)

// object is a JSON object.
type object = map[string]any

var chatStops = map[string]string{"end": "stop", "length": "length", "tools": "tool_calls", "filter": "content_filter"}

var chatUsage = object{
	"prompt_tokens": counted.In, "completion_tokens": counted.Out, "total_tokens": counted.In + counted.Out,
	"prompt_tokens_details": object{"cached_tokens": counted.Cached},
}

// chat is the reply as a chat completion.
func (p reply) chat() string {
	message := object{"role": "assistant", "content": nil, "refusal": nil}
	if p.text != "" {
		message["content"] = p.text
	}
	if p.thought != "" {
		message["reasoning_content"] = p.thought
	}
	var calls []object
	for _, c := range p.calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Arguments}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return marshal(object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "up", "usage": chatUsage,
		"choices": []object{{"index": 0, "message": message, "finish_reason": chatStops[p.stop], "logprobs": nil}},
	})
}

// chatEvents is the reply as a stream of chunks, the calls by turns.
func (p reply) chatEvents(usage bool) []string {
	var out []string
	chunk := func(choices []object, usage any) {
		out = append(out, data(marshal(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "up", "choices": choices, "usage": usage})))
	}
	add := func(delta object, reason any) {
		chunk([]object{{"index": 0, "delta": delta, "finish_reason": reason}}, nil)
	}
	add(object{"role": "assistant", "content": ""}, nil)
	for _, piece := range halves(p.thought) {
		add(object{"reasoning_content": piece}, nil)
	}
	for _, piece := range halves(p.text) {
		add(object{"content": piece}, nil)
	}
	for i, c := range p.calls {
		add(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}}}}, nil)
	}
	for half := range 2 {
		for i, c := range p.calls {
			add(object{"tool_calls": []object{{"index": i, "function": object{"arguments": halves(c.Arguments)[half]}}}}, nil)
		}
	}
	add(object{}, chatStops[p.stop])
	if usage {
		chunk([]object{}, chatUsage)
	}
	return append(out, data("[DONE]"))
}

// hearChat tells what a chat request says.
func hearChat(t *testing.T, body []byte) (heard []string) {
	var r struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
			Calls   []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			CallID string `json:"tool_call_id"`
		}
		Tools []struct {
			Function struct {
				Name       string
				Parameters json.RawMessage
			}
		}
		Effort string `json:"reasoning_effort"`
		Format struct {
			JSONSchema struct{ Schema json.RawMessage } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Errorf("%v in %s", err, body)
	}
	hear := func(line string) { heard = append(heard, line) }
	for _, m := range r.Messages {
		who := map[string]string{"system": "system: ", "developer": "system: ", "user": "user: ", "assistant": "assistant: ", "tool": "result " + m.CallID + ": "}[m.Role]
		texts(t, m.Content, func(part json.RawMessage) {
			var p struct {
				Type, Text string
				Image      struct{ URL string } `json:"image_url"`
			}
			if err := json.Unmarshal(part, &p); err != nil {
				t.Error(err)
			}
			if p.Type == "image_url" {
				hear("user image: " + p.Image.URL)
				return
			}
			hear(who + p.Text)
		})
		for _, c := range m.Calls {
			hear("call " + c.ID + ": " + c.Function.Name + " " + canonical(t, []byte(c.Function.Arguments)))
		}
	}
	for _, tool := range r.Tools {
		hear("tool " + tool.Function.Name + ": " + canonical(t, tool.Function.Parameters))
	}
	if s := r.Format.JSONSchema.Schema; s != nil {
		hear("schema: " + canonical(t, s))
	}
	if r.Effort != "" {
		hear("think")
	}
	return heard
}
