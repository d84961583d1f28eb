package responses

import "github.com/sluice-gateway/sluice/proxy/conversation"

// item is an item of the input before its type is known: members come in any order.
type item struct {
	kind, role, callID, name, arguments, sealed string
	content, output, summary                    []conversation.Part
	refersTo                                    bool
}

// input reads a string, which is the user's, or items.
func (r *reading) input() {
	r.out.Messages, r.out.System = nil, nil
	if r.Kind() == '"' {
		part := conversation.Part{Kind: conversation.Text, Text: r.String(), At: place(-1, -1)}
		r.out.Messages = []conversation.Message{{Parts: []conversation.Part{part}, At: -1}}
		return
	}
	if r.Kind() != '[' {
		r.Fail("must be a string or an array of items")
		return
	}
	for i := range r.Elements {
		r.item(i)
	}
}

func (r *reading) item(i int) {
	var t item
	for name := range r.Members {
		switch string(name) {
		case "type":
			t.kind = r.String()
		case "role":
			t.role = r.String()
		case "content":
			t.content = r.content(i)
		case "output":
			t.output = r.content(i)
		case "summary":
			t.summary = r.content(i)
		case "encrypted_content":
			t.sealed = r.String()
		case "call_id":
			t.callID = r.String()
		case "name":
			t.name = r.String()
		case "arguments":
			t.arguments = r.String()
		case "id", "status": // of an earlier answer, which mean nothing to another server
			t.refersTo = true
			r.Skip()
		default:
			r.Drop()
		}
	}
	r.place(i, &t)
}

// place puts an item where it belongs by its type; only messages may be without.
func (r *reading) place(i int, t *item) {
	switch {
	case t.kind == "message", t.kind == "" && t.role != "":
		r.message(i, t)
	case t.kind == "function_call":
		if t.callID == "" || t.name == "" {
			r.Fail("must have a call_id and a name")
		}
		call := conversation.Call{ID: t.callID, Name: t.name, Arguments: t.arguments}
		r.model(i, conversation.Part{Kind: conversation.ToolCall, Call: call, At: place(i, -1)})
	case t.kind == "function_call_output":
		r.result(i, t)
	case t.kind == "reasoning":
		r.thought(i, t)
	case t.kind == "item_reference", t.kind == "" && t.refersTo:
		r.Fail("cannot be a reference where the request is translated: nothing is stored, so that the item itself must be given")
	default:
		r.FailAt(r.Param()+".type", "must be message, function_call, function_call_output or reasoning where the request is translated")
	}
}

func (r *reading) message(i int, t *item) {
	model := t.role == "assistant"
	for j := range t.content {
		kind := t.content[j].Kind
		if kind == conversation.Thinking || kind == conversation.Refusal && !model {
			r.Fail("holds content that cannot stand in a message of its role")
		}
	}
	switch t.role {
	case "user":
		r.out.Messages = append(r.out.Messages, conversation.Message{Parts: t.content, At: i})
	case "assistant":
		r.model(i, t.content...)
	case "system", "developer":
		for j := range t.content {
			if t.content[j].Kind != conversation.Text {
				r.Fail("can hold text only, as the messages of its role do")
			}
		}
		r.out.System = append(r.out.System, t.content...)
	default:
		r.FailAt(r.Param()+".role", "must be user, assistant, system or developer")
	}
}

// model adds parts to the turn of the model's that is the last, or begins one: its thoughts, its words and its calls
// are items of their own here and one turn elsewhere.
func (r *reading) model(i int, parts ...conversation.Part) {
	n := len(r.out.Messages)
	if n == 0 || r.out.Messages[n-1].Role != conversation.Assistant {
		r.out.Messages = append(r.out.Messages, conversation.Message{Role: conversation.Assistant, At: i})
		n++
	}
	m := &r.out.Messages[n-1]
	m.Parts = append(m.Parts, parts...)
}

func (r *reading) result(i int, t *item) {
	if t.callID == "" {
		r.Fail("must have a call_id")
	}
	for j := range t.output {
		switch t.output[j].Kind {
		case conversation.Text, conversation.Image, conversation.File:
		default:
			r.Fail("can hold text, images and files only")
		}
	}
	result := conversation.Result{CallID: t.callID, Name: t.name, Parts: t.output}
	part := conversation.Part{Kind: conversation.ToolResult, Result: result, At: place(i, -1)}
	r.out.Messages = append(r.out.Messages, conversation.Message{Parts: []conversation.Part{part}, At: i})
}

// thought reads what an earlier answer thought. What its vendor sealed is worth something if it came through here.
func (r *reading) thought(i int, t *item) {
	said := t.summary
	if len(said) == 0 {
		said = t.content
	}
	p := conversation.Part{Kind: conversation.Thinking, At: place(i, -1)}
	var text thoughts
	for j := range said {
		if said[j].Kind != conversation.Thinking {
			r.Fail("can hold summary_text and reasoning_text only")
		}
		text.add(said[j].Text)
	}
	p.Text = text.String()
	if !unseal(&p, t.sealed) && t.sealed != "" {
		r.LostAt(r.Param() + ".encrypted_content")
	}
	if p.Text != "" || p.Signature != "" || p.Sealed != "" {
		r.model(i, p)
	}
}
