package responses

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// input writes the turns as items. In turns of the user's that follow each other, but for silent ones of the model's,
// the results of tools come first, right behind their calls.
func (b *body) input() {
	b.Name("input").Array()
	empty := len(b.Buf)
	turns := b.r.Messages
	last := -1 // the last turn that says something
	for i := 0; i < len(turns); {
		if turns[i].Role == conversation.Assistant {
			if !silent(&turns[i]) {
				last = i
			}
			b.model(&turns[i])
			i++
			continue
		}
		end := i + 1
		for end < len(turns) && (turns[end].Role == conversation.User || silent(&turns[end])) {
			end++
		}
		b.user(turns[i:end])
		last, i = i, end
	}
	if len(b.Buf) == empty {
		b.Fail(b.r.Names.Messages, "must hold a turn of the user's for this target, beside instructions")
	}
	b.EndArray()
	if last >= 0 && turns[last].Role == conversation.Assistant {
		b.Fail(b.r.Names.Message(&turns[last]), "cannot be the assistant's as the last turn: this target does not go on with an answer that has begun")
	}
}

// silent reports whether a turn of the model's says nothing to this dialect.
func silent(m *conversation.Message) bool {
	for j := range m.Parts {
		switch p := &m.Parts[j]; p.Kind {
		case conversation.Thinking:
		case conversation.Text, conversation.Refusal:
			if p.Text != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// model writes a turn of the model's: what it says in a row is one item, and each call is one. Its thoughts are
// dropped: this vendor takes back none but its own.
func (b *body) model(m *conversation.Message) {
	for j := 0; j < len(m.Parts); {
		p := &m.Parts[j]
		switch p.Kind {
		case conversation.Text, conversation.Refusal:
			end := j + 1
			for end < len(m.Parts) && (m.Parts[end].Kind == conversation.Text || m.Parts[end].Kind == conversation.Refusal) {
				end++
			}
			b.spoken(m.Parts[j:end])
			j = end
			continue
		case conversation.ToolCall:
			b.call(&p.Call)
		case conversation.Thinking:
			b.Drop(b.r.Names.Part(m, p))
		default:
			b.Fail(b.r.Names.Part(m, p), "cannot stand in a turn of the assistant's")
		}
		j++
	}
}

// spoken writes a message of the model's, without empty texts.
func (b *body) spoken(parts []conversation.Part) {
	start, empty := len(b.Buf), 0
	b.message("assistant")
	if len(parts) == 1 && parts[0].Kind == conversation.Text && parts[0].Text != "" {
		b.String(parts[0].Text)
		b.EndObject()
		return
	}
	b.Array()
	empty = len(b.Buf)
	for i := range parts {
		switch p := &parts[i]; {
		case p.Text == "":
		case p.Kind == conversation.Refusal:
			b.Object()
			b.Name("type").String("refusal")
			b.Name("refusal").String(p.Text)
			b.EndObject()
		default:
			b.words("output_text", p.Text)
		}
	}
	if len(b.Buf) == empty {
		b.Buf = b.Buf[:start]
		return
	}
	b.EndArray()
	b.EndObject()
}

// message begins a message, up to the value of its content.
func (b *body) message(role string) {
	b.Object()
	b.Name("type").String("message")
	b.Name("role").String(role)
	b.Name("content")
}

func (b *body) words(kind, s string) {
	b.Object()
	b.Name("type").String(kind)
	b.Name("text").String(s)
	b.EndObject()
}

func (b *body) call(c *conversation.Call) {
	b.Object()
	b.Name("type").String("function_call")
	b.Name("call_id").String(c.ID)
	b.Name("name").String(c.Name)
	b.Name("arguments").String(arguments(c.Arguments))
	b.EndObject()
}

// arguments returns the JSON of a call's arguments, which is never empty.
func arguments(s string) string {
	if s == "" {
		return "{}"
	}
	return s
}

// user writes turns of the user that follow each other: the results of tools, then the rest.
func (b *body) user(run []conversation.Message) {
	for i := range run {
		m := &run[i]
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Kind == conversation.ToolResult {
				b.result(b.r.Names.Part(m, p), p)
			}
		}
	}
	for i := range run {
		if run[i].Role == conversation.User {
			b.said(&run[i])
		} else {
			b.model(&run[i]) // which lists what it drops
		}
	}
}

// result writes the answer of a tool. This dialect has no word for failure, so that the text says it.
func (b *body) result(param string, p *conversation.Part) {
	parts := p.Result.Parts
	b.Object()
	b.Name("type").String("function_call_output")
	b.Name("call_id").String(p.Result.CallID)
	b.Name("output")
	failure := ""
	if p.Result.Failed {
		failure = "Error: "
	}
	switch {
	case len(parts) == 0:
		b.String(failure)
	case len(parts) == 1 && parts[0].Kind == conversation.Text:
		b.String(failure + parts[0].Text)
	default:
		b.Array()
		if failure != "" && parts[0].Kind != conversation.Text {
			b.words("input_text", failure)
			failure = ""
		}
		for i := range parts {
			if parts[i].Kind == conversation.Text {
				b.words("input_text", failure+parts[i].Text)
				failure = ""
				continue
			}
			b.part(param, &parts[i])
		}
		b.EndArray()
	}
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
	b.message("user")
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

// part writes a part of a user's turn, which errors call by that name.
func (b *body) part(param string, p *conversation.Part) {
	switch p.Kind {
	case conversation.Text:
		b.words("input_text", p.Text)
	case conversation.Image:
		b.image(param, &p.Media)
	case conversation.File:
		b.file(param, &p.Media)
	case conversation.Audio:
		b.Fail(param, "cannot be a sound for this target: it takes text, images and files")
	default:
		b.Fail(param, "cannot stand in a turn of the user's")
	}
}

func (b *body) image(param string, m *conversation.Media) {
	b.Object()
	b.Name("type").String("input_image")
	switch {
	case m.ID != "":
		b.Name("file_id").String(m.ID)
	case m.URL != "":
		b.Name("image_url").String(m.URL)
	case m.Base64 == "":
		b.Fail(param, "must hold bytes, or a URL")
	default:
		b.Name("image_url").String(dataURL(m))
	}
	if m.Detail != "" {
		b.Name("detail").String(m.Detail)
	}
	b.EndObject()
}

func dataURL(m *conversation.Media) string { return "data:" + m.Type + ";base64," + m.Base64 }

// file writes a document: plain text as text, anything else as a file.
func (b *body) file(param string, m *conversation.Media) {
	if m.Base64 != "" && m.Type == "text/plain" {
		b.words("input_text", b.plain(param, m))
		return
	}
	b.Object()
	b.Name("type").String("input_file")
	switch {
	case m.ID != "":
		b.Name("file_id").String(m.ID)
	case m.URL != "":
		b.Name("file_url").String(m.URL)
	case m.Base64 == "":
		b.Fail(param, "must hold bytes, or a URL")
	default:
		name := m.Name
		if name == "" {
			name = "document.pdf" // which must have one here
		}
		b.Name("filename").String(name)
		b.Name("file_data").String(dataURL(m))
	}
	b.EndObject()
}

// plain returns the text of a document, its name above it.
func (b *body) plain(param string, m *conversation.Media) string {
	text, err := base64.StdEncoding.DecodeString(m.Base64)
	if err != nil || !utf8.Valid(text) {
		b.Fail(param, "must be UTF-8 in base64")
	}
	return strings.TrimPrefix(m.Name+paragraph, paragraph) + string(text)
}
