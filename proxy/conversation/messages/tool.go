package messages

import "github.com/sluice-gateway/sluice/proxy/conversation"

func (r *reading) tools() {
	r.out.Tools = nil
	for range r.Elements {
		var t conversation.Tool
		for name := range r.Members {
			switch string(name) {
			case "type":
				if string(r.Text()) != "custom" {
					r.Fail("must be custom where the request is translated: the target does not have the tools of this vendor")
				}
			case "name":
				t.Name = r.String()
			case "description":
				t.Description = r.String()
			case "input_schema":
				t.Schema = append([]byte(nil), r.Object()...)
			case "strict":
				t.Strict = r.Bool()
			case "cache_control":
				t.Cached = r.cacheMark()
			default:
				r.Drop()
			}
		}
		if t.Name == "" {
			r.Fail("must have a name")
		}
		r.out.Tools = append(r.out.Tools, t)
	}
}

func (r *reading) toolChoice() {
	choice := conversation.ToolChoice{}
	for name := range r.Members {
		switch string(name) {
		case "type":
			choice.Mode = r.toolMode()
		case "name":
			choice.Name = r.String()
		case "disable_parallel_tool_use":
			r.out.OneTool = r.Bool()
		default:
			r.Drop()
		}
	}
	if choice.Mode == conversation.ToolNamed && choice.Name == "" {
		r.Fail("must name a tool")
	}
	r.out.ToolChoice = choice
}

func (r *reading) toolMode() conversation.ToolMode {
	switch string(r.Text()) {
	case "auto":
		return conversation.ToolAuto
	case "any":
		return conversation.ToolAny
	case "tool":
		return conversation.ToolNamed
	case "none":
		return conversation.ToolNone
	}
	r.Fail("must be auto, any, tool or none")
	return 0
}
