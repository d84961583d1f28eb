package messages

import "github.com/sluice-gateway/sluice/proxy/conversation"

func (b *body) tools() {
	if len(b.r.Tools) == 0 {
		return
	}
	b.Name("tools").Array()
	for i := range b.r.Tools {
		t := &b.r.Tools[i]
		if !conversation.ToolName(t.Name, maxToolName) {
			b.Fail(b.r.Names.Tool(b.r, i), "must have a name of at most 128 letters, digits, _ and - for this target")
		}
		b.tool(t)
	}
	b.EndArray()
	b.toolChoice()
}

func (b *body) tool(t *conversation.Tool) {
	b.Object()
	b.Name("name").String(t.Name)
	if t.Description != "" {
		b.Name("description").String(t.Description)
	}
	b.Name("input_schema")
	if len(t.Schema) > 0 {
		b.Raw(string(t.Schema))
	} else {
		b.Raw(`{"type":"object","properties":{}}`)
	}
	if t.Strict {
		b.Name("strict").Bool(true)
	}
	if t.Cached {
		b.cacheMark()
	}
	b.EndObject()
}

// toolChoice is written only beside tools, and only if it says more than the default.
func (b *body) toolChoice() {
	mode := b.r.ToolChoice.Mode
	if mode == conversation.ToolAuto && !b.r.OneTool {
		return
	}
	b.Name("tool_choice").Object()
	switch mode {
	case conversation.ToolAuto:
		b.Name("type").String("auto")
	case conversation.ToolNone:
		b.Name("type").String("none")
	case conversation.ToolAny:
		b.Name("type").String("any")
	case conversation.ToolNamed:
		b.Name("type").String("tool")
		b.Name("name").String(b.r.ToolChoice.Name)
	}
	if b.r.OneTool && mode != conversation.ToolNone {
		b.Name("disable_parallel_tool_use").Bool(true)
	}
	b.EndObject()
}
