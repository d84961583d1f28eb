package chat

import (
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// turn is a message of the caller's before its role is known: members come in any order.
type turn struct {
	role, callID, name, refusal, thought string
	content                              []conversation.Part
	calls                                []conversation.Part
	named                                bool
}

func (r *reading) messages() {
	r.out.Messages, r.out.System = nil, nil
	for i := range r.Elements {
		r.message(i)
	}
}

func (r *reading) message(i int) {
	var t turn
	for name := range r.Members {
		switch string(name) {
		case "role":
			t.role = r.String()
		case "content":
			t.content = r.content()
		case "name":
			t.name, t.named = r.String(), true
		case "tool_call_id":
			t.callID = r.String()
		case "refusal":
			t.refusal = r.String()
		case "reasoning_content":
			t.thought = r.String()
		case "tool_calls":
			r.calls(&t)
		case "function_call":
			r.functionCall(i, &t)
		case "audio":
			r.Fail("cannot be translated: other dialects do not know the audio of earlier answers")
		default:
			r.Drop()
		}
	}
	r.place(i, &t)
}

// place puts a turn where it belongs by its role.
func (r *reading) place(i int, t *turn) {
	role := conversation.User
	parts := t.content
	switch t.role {
	case "system", "developer":
		r.instructions(t)
		return
	case "user":
	case "assistant":
		role, parts = conversation.Assistant, assistantParts(t)
	case "tool":
		if t.callID == "" {
			r.Fail("must have a tool_call_id")
		}
		parts = result(t.callID, t)
	case "function":
		if r.functionID == "" {
			r.Fail("answers no function_call before it")
		}
		parts = result(r.functionID, t)
	default:
		r.FailAt(r.Param()+".role", "must be system, developer, user, assistant, tool or function")
	}
	if t.named && t.role != "function" && !r.Failed() {
		r.lostMember("name")
	}
	r.out.Messages = append(r.out.Messages, conversation.Message{Role: role, Parts: parts, At: i})
}

func (r *reading) instructions(t *turn) {
	for _, p := range t.content {
		if p.Kind != conversation.Text {
			r.Fail("can hold text only, as the messages of its role do")
		}
	}
	if t.named {
		r.lostMember("name")
	}
	r.out.System = append(r.out.System, t.content...)
}

// assistantParts puts the parts in the order in which a model makes them.
func assistantParts(t *turn) []conversation.Part {
	var parts []conversation.Part
	if t.thought != "" {
		parts = append(parts, conversation.Part{Kind: conversation.Thinking, Text: t.thought, At: -1})
	}
	if len(t.calls) == 0 && parts == nil && t.refusal == "" {
		return t.content
	}
	for _, p := range t.content {
		if p.Kind != conversation.Text || p.Text != "" {
			parts = append(parts, p)
		}
	}
	if t.refusal != "" {
		parts = append(parts, conversation.Part{Kind: conversation.Refusal, Text: t.refusal, At: -1})
	}
	return append(parts, t.calls...)
}

func result(id string, t *turn) []conversation.Part {
	return []conversation.Part{{Kind: conversation.ToolResult, Result: conversation.Result{CallID: id, Name: t.name, Parts: t.content}, At: -1}}
}

func (r *reading) calls(t *turn) {
	t.calls = nil
	for i := range r.Elements {
		p := conversation.Part{Kind: conversation.ToolCall, At: i}
		for name := range r.Members {
			switch string(name) {
			case "id":
				p.Call.ID = r.String()
			case "type":
				if string(r.Text()) != "function" {
					r.Fail("must be \"function\" where the request is translated: other dialects know no custom tools")
				}
			case "function":
				r.function(&p.Call)
			default:
				if string(name) != "index" { // which clients keep from the stream that made the call
					r.Drop()
					continue
				}
				r.Skip()
			}
		}
		if p.Call.ID == "" || p.Call.Name == "" {
			r.Fail("must have an id and name a function")
		}
		t.calls = append(t.calls, p)
	}
}

// function reads the name and the arguments of a call.
func (r *reading) function(c *conversation.Call) {
	for name := range r.Members {
		switch string(name) {
		case "name":
			c.Name = r.String()
		case "arguments":
			c.Arguments = r.String()
		default:
			r.Drop()
		}
	}
}

func (r *reading) functionCall(i int, t *turn) {
	p := conversation.Part{Kind: conversation.ToolCall, At: -1}
	p.Call.ID = fmt.Sprintf("function_%d", i)
	r.function(&p.Call)
	if p.Call.Name == "" {
		r.Fail("must name a function")
	}
	r.functionID = p.Call.ID
	t.calls = []conversation.Part{p}
}
