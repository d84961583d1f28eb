package conformance

import (
	"encoding/json"
	"testing"
)

var messageStops = map[string]string{"end": "end_turn", "length": "max_tokens", "tools": "tool_use", "filter": "refusal"}

var messageUsage = object{"input_tokens": counted.In - counted.Cached, "cache_read_input_tokens": counted.Cached, "cache_creation_input_tokens": 0, "output_tokens": counted.Out}

// message is the reply as a message.
func (p reply) message() string {
	var content []object
	if p.thought != "" {
		content = append(content, object{"type": "thinking", "thinking": p.thought, "signature": "signed"})
	}
	if p.text != "" {
		content = append(content, object{"type": "text", "text": p.text})
	}
	for _, c := range p.calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)})
	}
	return marshal(object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "up", "content": content, "stop_reason": messageStops[p.stop], "stop_sequence": nil, "usage": messageUsage,
	})
}

// messageEvents is the reply as a stream.
func (p reply) messageEvents() []string {
	var out []string
	add := func(kind string, members object) {
		members["type"] = kind
		out = append(out, "event: "+kind+"\n"+data(marshal(members)))
	}
	index := 0
	block := func(begin object, kind, member string, pieces []string, last object) {
		add("content_block_start", object{"index": index, "content_block": begin})
		add("ping", object{})
		for _, piece := range pieces {
			add("content_block_delta", object{"index": index, "delta": object{"type": kind, member: piece}})
		}
		if last != nil {
			add("content_block_delta", object{"index": index, "delta": last})
		}
		add("content_block_stop", object{"index": index})
		index++
	}
	start := object{"input_tokens": counted.In - counted.Cached, "cache_read_input_tokens": counted.Cached, "cache_creation_input_tokens": 0, "output_tokens": 1}
	add("message_start", object{"message": object{"id": "msg_1", "type": "message", "role": "assistant", "model": "up", "content": []int{}, "stop_reason": nil, "stop_sequence": nil, "usage": start}})
	if p.thought != "" {
		block(object{"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking", halves(p.thought), object{"type": "signature_delta", "signature": "signed"})
	}
	if p.text != "" {
		block(object{"type": "text", "text": ""}, "text_delta", "text", halves(p.text), nil)
	}
	for _, c := range p.calls {
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, "input_json_delta", "partial_json", halves(c.Arguments), nil)
	}
	add("message_delta", object{"delta": object{"stop_reason": messageStops[p.stop], "stop_sequence": nil}, "usage": object{"output_tokens": counted.Out}})
	add("message_stop", object{})
	return out
}

// hearMessages tells what a messages request says.
func hearMessages(t *testing.T, body []byte) (heard []string) {
	var r struct {
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct {
			Name   string
			Schema json.RawMessage `json:"input_schema"`
		}
		Thinking json.RawMessage
		Output   struct {
			Format struct{ Schema json.RawMessage }
		} `json:"output_config"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		t.Errorf("%v in %s", err, body)
	}
	hear := func(line string) { heard = append(heard, line) }
	texts(t, r.System, func(part json.RawMessage) { hearBlock(t, "system", part, hear) })
	for _, m := range r.Messages {
		texts(t, m.Content, func(part json.RawMessage) { hearBlock(t, m.Role, part, hear) })
	}
	for _, tool := range r.Tools {
		hear("tool " + tool.Name + ": " + canonical(t, tool.Schema))
	}
	if s := r.Output.Format.Schema; s != nil {
		hear("schema: " + canonical(t, s))
	}
	if r.Thinking != nil {
		hear("think")
	}
	return heard
}

func hearBlock(t *testing.T, role string, block json.RawMessage, hear func(string)) {
	var b struct {
		Type, Text, Thinking, Signature, ID, Name string
		Input, Content                            json.RawMessage
		ResultOf                                  string `json:"tool_use_id"`
		Source                                    struct {
			Type  string
			Media string `json:"media_type"`
			Data  string
		}
	}
	if err := json.Unmarshal(block, &b); err != nil {
		t.Errorf("%v in %s", err, block)
	}
	switch b.Type {
	case "text":
		hear(role + ": " + b.Text)
	case "image":
		hear("user image: data:" + b.Source.Media + ";" + b.Source.Type + "," + b.Source.Data)
	case "thinking":
		hear("thought: " + b.Thinking + " " + b.Signature)
	case "tool_use":
		hear("call " + b.ID + ": " + b.Name + " " + canonical(t, b.Input))
	case "tool_result":
		texts(t, b.Content, func(part json.RawMessage) { hearBlock(t, "result "+b.ResultOf, part, hear) })
	default:
		t.Errorf("a block of type %q", b.Type)
	}
}
