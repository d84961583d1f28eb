package chat

import "github.com/sluice-gateway/sluice/proxy/conversation"

// maxToolName is OpenAI's limit.
const maxToolName = 64

func (b *body) tools() {
	if len(b.r.Tools) == 0 {
		return
	}
	b.Name("tools").Array()
	for i := range b.r.Tools {
		t := &b.r.Tools[i]
		if !conversation.ToolName(t.Name, maxToolName) {
			b.Fail(b.r.Names.Tool(b.r, i), "must have a name of at most 64 letters, digits, _ and - for this target")
		}
		b.tool(t)
	}
	b.EndArray()
	b.toolChoice()
	if b.r.OneTool {
		b.Name("parallel_tool_calls").Bool(false)
	}
}

func (b *body) tool(t *conversation.Tool) {
	b.Object()
	b.Name("type").String("function")
	b.Name("function").Object()
	b.Name("name").String(t.Name)
	if t.Description != "" {
		b.Name("description").String(t.Description)
	}
	if len(t.Schema) > 0 {
		b.Name("parameters").Raw(string(t.Schema))
	}
	if t.Strict {
		b.Name("strict").Bool(true)
	}
	b.EndObject()
	b.EndObject()
}

// toolChoice is written only beside tools: without any there is nothing to choose, and servers refuse it.
func (b *body) toolChoice() {
	switch b.r.ToolChoice.Mode {
	case conversation.ToolNone:
		b.Name("tool_choice").String("none")
	case conversation.ToolAny:
		b.Name("tool_choice").String("required")
	case conversation.ToolNamed:
		b.Name("tool_choice").Object()
		b.Name("type").String("function")
		b.Name("function").Object()
		b.Name("name").String(b.r.ToolChoice.Name)
		b.EndObject()
		b.EndObject()
	}
}
