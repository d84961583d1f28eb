package responses

import "github.com/sluice-gateway/sluice/proxy/conversation"

// tools reads the functions. A function without strict is not strict elsewhere: what this vendor makes of its schema
// then, others would refuse.
func (r *reading) tools() {
	r.out.Tools = nil
	for range r.Elements {
		t, kind := conversation.Tool{}, ""
		for name := range r.Members {
			switch string(name) {
			case "type":
				if kind = r.String(); kind != "function" {
					r.Fail("must be \"function\" where the request is translated: other servers do not run the tools of this one")
				}
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
		if kind == "" || t.Name == "" {
			r.Fail("must have a type and a name")
		}
		r.out.Tools = append(r.out.Tools, t)
	}
}

func (r *reading) toolChoice() {
	choice := conversation.ToolChoice{}
	if r.Kind() == '"' {
		switch string(r.Text()) {
		case "auto":
		case "none":
			choice.Mode = conversation.ToolNone
		case "required":
			choice.Mode = conversation.ToolAny
		default:
			r.Fail("must be none, auto, required or a function")
		}
		r.out.ToolChoice = choice
		return
	}
	for name := range r.Members {
		switch string(name) {
		case "type":
			if string(r.Text()) != "function" {
				r.Fail("must be \"function\" where the request is translated: other dialects can choose no other tools of this one")
			}
		case "name":
			choice.Mode, choice.Name = conversation.ToolNamed, r.String()
		default:
			r.Drop()
		}
	}
	if choice.Name == "" {
		r.Fail("must name a function")
	}
	r.out.ToolChoice = choice
}
