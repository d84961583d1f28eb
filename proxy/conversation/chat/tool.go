package chat

import "github.com/sluice-gateway/sluice/proxy/conversation"

func (r *reading) readTools() {
	r.out.Tools = nil
	for range r.Elements {
		var t conversation.Tool
		for name := range r.Members {
			switch string(name) {
			case "type":
				if string(r.Text()) != "function" {
					r.Fail("must be \"function\" where the request is translated: other dialects know no other tools of this one")
				}
			case "function":
				r.tool(&t)
			case "cache_control":
				t.Cached = r.cacheMark()
			default:
				r.Drop()
			}
		}
		r.addTool(t)
	}
	r.tools = len(r.out.Tools) > 0
}

func (r *reading) functions() {
	r.out.Tools = nil
	for range r.Elements {
		var t conversation.Tool
		r.tool(&t)
		r.addTool(t)
	}
	r.out.Functions = r.out.Functions || len(r.out.Tools) > 0
}

func (r *reading) addTool(t conversation.Tool) {
	if t.Name == "" {
		r.Fail("must have a name")
	}
	r.out.Tools = append(r.out.Tools, t)
}

// tool reads the definition of a function.
func (r *reading) tool(t *conversation.Tool) {
	for name := range r.Members {
		switch string(name) {
		case "name":
			t.Name = r.String()
		case "description":
			t.Description = r.String()
		case "parameters":
			t.Schema = append([]byte(nil), r.Object()...)
		case "strict":
			t.Strict = r.Bool()
		default:
			r.Drop()
		}
	}
}

func (r *reading) toolChoice() {
	choice := &r.out.ToolChoice
	if r.Kind() == '"' {
		switch string(r.Text()) {
		case "auto":
			choice.Mode = conversation.ToolAuto
		case "none":
			choice.Mode = conversation.ToolNone
		case "required":
			choice.Mode = conversation.ToolAny
		default:
			r.Fail("must be none, auto, required or a function")
		}
		return
	}
	for name := range r.Members {
		switch string(name) {
		case "type":
			if string(r.Text()) != "function" {
				r.Fail("must be \"function\" where the request is translated: other dialects can choose no other tools of this one")
			}
		case "function":
			r.named(choice)
		default:
			r.Drop()
		}
	}
	if choice.Name == "" {
		r.Fail("must name a function")
	}
}

// named reads an object that names the function to call.
func (r *reading) named(choice *conversation.ToolChoice) {
	for name := range r.Members {
		if string(name) == "name" {
			choice.Mode, choice.Name = conversation.ToolNamed, r.String()
			continue
		}
		r.Drop()
	}
}

// functionChoice reads the tool_choice of functions.
func (r *reading) functionChoice() {
	choice := &r.out.ToolChoice
	if r.Kind() == '"' {
		switch string(r.Text()) {
		case "auto":
			choice.Mode = conversation.ToolAuto
		case "none":
			choice.Mode = conversation.ToolNone
		default:
			r.Fail("must be none, auto or a function")
		}
		return
	}
	r.named(choice)
	if choice.Name == "" {
		r.Fail("must name a function")
	}
}
