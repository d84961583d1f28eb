package responses

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// maxToolName is OpenAI's limit.
const maxToolName = 64

// tools writes the functions, and what the model may do with them only beside some.
func (b *body) tools() {
	if len(b.r.Tools) == 0 {
		return
	}
	for i := range b.r.Tools {
		if !conversation.ToolName(b.r.Tools[i].Name, maxToolName) {
			b.Fail(b.r.Names.Tool(b.r, i), "must have a name of at most 64 letters, digits, _ and - for this target")
		}
	}
	writeTools(b.Name("tools"), b.r.Tools)
	if b.r.ToolChoice.Mode != conversation.ToolAuto {
		writeToolChoice(b.Name("tool_choice"), b.r.ToolChoice)
	}
	if b.r.OneTool {
		b.Name("parallel_tool_calls").Bool(false)
	}
}

// writeTools writes functions. This dialect takes them for strict where nothing is said.
func writeTools(w *wire.Writer, tools []conversation.Tool) {
	w.Array()
	for i := range tools {
		t := &tools[i]
		w.Object()
		w.Name("type").String("function")
		w.Name("name").String(t.Name)
		if t.Description != "" {
			w.Name("description").String(t.Description)
		}
		if len(t.Schema) > 0 {
			w.Name("parameters").Raw(string(t.Schema))
		} else {
			w.Name("parameters").Raw(`{"type":"object","properties":{}}`)
		}
		w.Name("strict").Bool(t.Strict)
		w.EndObject()
	}
	w.EndArray()
}

func writeToolChoice(w *wire.Writer, c conversation.ToolChoice) {
	switch c.Mode {
	case conversation.ToolAuto:
		w.String("auto")
	case conversation.ToolNone:
		w.String("none")
	case conversation.ToolAny:
		w.String("required")
	case conversation.ToolNamed:
		w.Object()
		w.Name("type").String("function")
		w.Name("name").String(c.Name)
		w.EndObject()
	}
}
