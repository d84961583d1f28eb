package chat

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// user writes turns of the user that follow each other, but for silent ones of the model's: the results of tools, which must stand right behind their
// calls; then what those results hold beside text, for which their messages have no place; then the rest.
func (b *body) user(run []conversation.Message) {
	for i := range run {
		for j := range run[i].Parts {
			if p := &run[i].Parts[j]; p.Kind == conversation.ToolResult {
				b.result(p)
			}
		}
	}
	for i := range run {
		for j := range run[i].Parts {
			if p := &run[i].Parts[j]; p.Kind == conversation.ToolResult && hasMedia(p) {
				b.resultMedia(&run[i], p)
			}
		}
	}
	for i := range run {
		if run[i].Role == conversation.User {
			b.said(&run[i])
		} else {
			b.assistant(&run[i]) // which lists what it drops
		}
	}
}

func hasMedia(p *conversation.Part) bool {
	for i := range p.Result.Parts {
		if p.Result.Parts[i].Kind != conversation.Text {
			return true
		}
	}
	return false
}

// result writes the text of a result. This dialect has no word for failure, so that the text says it.
func (b *body) result(p *conversation.Part) {
	var texts []string
	for i := range p.Result.Parts {
		if inner := &p.Result.Parts[i]; inner.Kind == conversation.Text {
			texts = append(texts, inner.Text)
		}
	}
	if len(texts) == 0 {
		texts = append(texts, "")
	}
	if p.Result.Failed {
		texts[0] = "Error: " + texts[0]
	}
	b.Object()
	b.Name("role").String("tool")
	b.Name("tool_call_id").String(p.Result.CallID)
	b.content(texts)
	b.EndObject()
}

// content writes a content of texts: of one, as a string.
func (b *body) content(texts []string) {
	b.Name("content")
	if len(texts) == 1 {
		b.String(texts[0])
		return
	}
	b.Array()
	for _, t := range texts {
		b.text(t)
	}
	b.EndArray()
}

// resultMedia writes what a result holds beside text as the user's, under a line that says of which call it is.
func (b *body) resultMedia(m *conversation.Message, p *conversation.Part) {
	b.Object()
	b.Name("role").String("user")
	b.Name("content").Array()
	b.text("Result of the tool call " + p.Result.CallID + ":")
	for i := range p.Result.Parts {
		if inner := &p.Result.Parts[i]; inner.Kind != conversation.Text {
			b.part(b.r.Names.Part(m, p), inner)
		}
	}
	b.EndArray()
	b.EndObject()
}

// said writes what a user's turn holds beside results, if there is anything.
func (b *body) said(m *conversation.Message) {
	count, only := 0, -1
	for j := range m.Parts {
		if m.Parts[j].Kind != conversation.ToolResult {
			count, only = count+1, j
		}
	}
	if count == 0 && len(m.Parts) > 0 {
		return
	}
	b.Object()
	b.Name("role").String("user")
	b.Name("content")
	switch {
	case count == 0:
		b.String("")
	case count == 1 && m.Parts[only].Kind == conversation.Text:
		b.String(m.Parts[only].Text)
	default:
		b.Array()
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Kind != conversation.ToolResult {
				b.part(b.r.Names.Part(m, p), p)
			}
		}
		b.EndArray()
	}
	b.EndObject()
}

func (b *body) text(s string) {
	b.Object()
	b.Name("type").String("text")
	b.Name("text").String(s)
	b.EndObject()
}

// part writes a part of a user's turn, which errors call by that name.
func (b *body) part(param string, p *conversation.Part) {
	switch p.Kind {
	case conversation.Text:
		b.text(p.Text)
	case conversation.Image:
		b.image(param, &p.Media)
	case conversation.Audio:
		b.audio(param, &p.Media)
	case conversation.File:
		b.file(param, &p.Media)
	default:
		b.Fail(param, "cannot stand in a turn of the user's")
	}
}

// silent reports whether a turn of the model's says nothing in this dialect.
func silent(m *conversation.Message) bool {
	for j := range m.Parts {
		p := &m.Parts[j]
		if p.Kind != conversation.Thinking && (p.Kind != conversation.Refusal || p.Text != "") {
			return false
		}
	}
	return true
}

// assistant writes a turn of the model's; a silent one is left out.
func (b *body) assistant(m *conversation.Message) {
	texts, refusal, calls := b.spoken(m)
	if silent(m) {
		return
	}
	b.Object()
	b.Name("role").String("assistant")
	if len(texts) > 0 {
		b.content(texts)
	} else {
		b.Name("content").Raw("null")
	}
	if refusal != "" {
		b.Name("refusal").String(refusal)
	}
	if calls > 0 {
		b.calls(m)
	}
	b.EndObject()
}

// spoken gathers what a model's turn says, and drops its thoughts: other models have no use for them.
func (b *body) spoken(m *conversation.Message) (texts []string, refusal string, calls int) {
	var refused strings.Builder
	for j := range m.Parts {
		p := &m.Parts[j]
		switch p.Kind {
		case conversation.Text:
			texts = append(texts, p.Text)
		case conversation.Refusal:
			refused.WriteString(p.Text)
		case conversation.ToolCall:
			calls++
		case conversation.Thinking:
			b.Drop(b.r.Names.Part(m, p))
		default:
			b.Fail(b.r.Names.Part(m, p), "cannot stand in a turn of the assistant's")
		}
	}
	return texts, refused.String(), calls
}

func (b *body) calls(m *conversation.Message) {
	b.Name("tool_calls").Array()
	for j := range m.Parts {
		p := &m.Parts[j]
		if p.Kind != conversation.ToolCall {
			continue
		}
		b.Object()
		b.Name("id").String(p.Call.ID)
		b.Name("type").String("function")
		b.Name("function").Object()
		b.Name("name").String(p.Call.Name)
		b.Name("arguments").String(arguments(&p.Call))
		b.EndObject()
		b.EndObject()
	}
	b.EndArray()
}

// arguments returns the JSON of a call's arguments, which is never empty.
func arguments(c *conversation.Call) string {
	if c.Arguments == "" {
		return "{}"
	}
	return c.Arguments
}
