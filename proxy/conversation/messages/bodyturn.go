package messages

import (
	"encoding/base64"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// messages writes the turns. Those of one role that follow each other become one; in the user's, the results of tools
// come first, right behind the turn that called them.
func (b *body) messages() {
	b.Name("messages").Array()
	var open *conversation.Message // the turn that is being written
	turns := b.r.Messages
	for i := range turns {
		m := &turns[i]
		if !says(m) {
			b.silent(m)
			continue
		}
		if open == nil || open.Role != m.Role {
			if open != nil {
				b.close()
			}
			b.open(m.Role)
			if m.Role == conversation.User {
				b.results(turns[i:])
			}
		}
		open = m
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Kind != conversation.ToolResult || m.Role == conversation.Assistant {
				b.block(b.r.Names.Part(m, p), m.Role, p)
			}
		}
	}
	switch {
	case open == nil:
		b.Fail(b.r.Names.Messages, "must hold a turn of the user's for this target")
	case open.Role == conversation.Assistant:
		b.Fail(b.r.Names.Message(open), "cannot be the assistant's as the last turn: this target would take it for the beginning of its answer")
	}
	if open != nil {
		b.close()
	}
	b.EndArray()
}

func (b *body) open(role conversation.Role) {
	b.Object()
	if role == conversation.User {
		b.Name("role").String("user")
	} else {
		b.Name("role").String("assistant")
	}
	b.Name("content").Array()
}

func (b *body) close() {
	b.EndArray()
	b.EndObject()
}

// says reports whether a turn holds anything that this dialect takes.
func says(m *conversation.Message) bool {
	for j := range m.Parts {
		p := &m.Parts[j]
		switch p.Kind {
		case conversation.Text, conversation.Refusal:
			if !blank(p.Text) {
				return true
			}
		case conversation.Thinking:
			if proven(p) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// silent leaves out a turn of the model's that says nothing, and refuses one of the user's.
func (b *body) silent(m *conversation.Message) {
	if m.Role == conversation.User {
		b.Fail(b.r.Names.Message(m), "must hold more than white space for this target")
		return
	}
	b.Drop(b.r.Names.Message(m))
}

// results writes the results in the user's turns up to the next one of the model's.
func (b *body) results(turns []conversation.Message) {
	for i := range turns {
		m := &turns[i]
		if m.Role != conversation.User {
			if says(m) {
				return
			}
			continue
		}
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Kind == conversation.ToolResult {
				b.result(b.r.Names.Part(m, p), p)
			}
		}
	}
}

// block writes a part, which errors call by that name.
func (b *body) block(param string, role conversation.Role, p *conversation.Part) {
	if p.Kind != conversation.Text && ofModel(p.Kind) != (role == conversation.Assistant) {
		b.Fail(param, "cannot stand in a turn of that role")
		return
	}
	switch p.Kind {
	case conversation.Text, conversation.Refusal:
		if !blank(p.Text) {
			b.text(p)
		}
	case conversation.Image:
		b.image(param, p)
	case conversation.File:
		b.document(param, p)
	case conversation.ToolCall:
		b.call(p)
	case conversation.Thinking:
		b.thinking(param, p)
	case conversation.Audio:
		b.Fail(param, "cannot be a sound for this target: it takes text, images and documents")
	}
}

// ofModel reports whether only the model makes parts of that kind. Text is everybody's.
func ofModel(kind conversation.PartKind) bool {
	return kind == conversation.ToolCall || kind == conversation.Thinking || kind == conversation.Refusal
}

func (b *body) text(p *conversation.Part) {
	b.Object()
	b.Name("type").String("text")
	b.Name("text").String(p.Text)
	b.end(p)
}

// end closes a block behind its cache mark.
func (b *body) end(p *conversation.Part) {
	if p.Cached {
		b.cacheMark()
	}
	b.EndObject()
}

func (b *body) cacheMark() { b.Name("cache_control").Raw(`{"type":"ephemeral"}`) }

func (b *body) image(param string, p *conversation.Part) {
	m := &p.Media
	if m.Base64 != "" {
		switch m.Type {
		case "image/jpeg", "image/png", "image/gif", "image/webp":
		default:
			b.Fail(param, "must be image/jpeg, image/png, image/gif or image/webp for this target")
		}
	}
	b.Object()
	b.Name("type").String("image")
	b.source(param, m)
	b.end(p)
}

// source writes where the bytes are.
func (b *body) source(param string, m *conversation.Media) {
	b.Name("source").Object()
	switch {
	case m.Base64 != "":
		b.Name("type").String("base64")
		b.Name("media_type").String(m.Type)
		b.Name("data").String(m.Base64)
	case m.URL != "":
		b.Name("type").String("url")
		b.Name("url").String(m.URL)
	case m.ID != "":
		b.Fail(param, "names an uploaded file, which this target does not have: send its bytes")
	default:
		b.Fail(param, "must hold bytes, or a URL")
	}
	b.EndObject()
}

func (b *body) document(param string, p *conversation.Part) {
	m := &p.Media
	b.Object()
	b.Name("type").String("document")
	switch {
	case m.Base64 != "" && m.Type == plainText:
		text, err := base64.StdEncoding.DecodeString(m.Base64)
		if err != nil || !utf8.Valid(text) {
			b.Fail(param, "must be UTF-8 in base64")
		}
		b.Name("source").Object()
		b.Name("type").String("text")
		b.Name("media_type").String(plainText)
		b.Name("data").String(string(text))
		b.EndObject()
	case m.Base64 != "" && m.Type != "application/pdf":
		b.Fail(param, "must be application/pdf or text/plain for this target")
	default:
		b.source(param, m)
	}
	if m.Name != "" {
		b.Name("title").String(m.Name)
	}
	b.end(p)
}

func (b *body) call(p *conversation.Part) {
	b.Object()
	b.Name("type").String("tool_use")
	b.Name("id").String(plainID(p.Call.ID))
	b.Name("name").String(p.Call.Name)
	b.Name("input")
	writeInput(&b.Writer, p.Call.Arguments)
	b.end(p)
}

// thinking writes a thought that the vendor can prove to be its own, and drops others: it refuses them.
func (b *body) thinking(param string, p *conversation.Part) {
	if !proven(p) {
		b.Drop(param)
		return
	}
	writeThinking(&b.Writer, p)
}

func (b *body) result(param string, p *conversation.Part) {
	b.Object()
	b.Name("type").String("tool_result")
	b.Name("tool_use_id").String(plainID(p.Result.CallID))
	start := len(b.Buf)
	b.Name("content").Array()
	empty := len(b.Buf)
	for k := range p.Result.Parts {
		b.block(param, conversation.User, &p.Result.Parts[k])
	}
	if len(b.Buf) == empty {
		b.Buf = b.Buf[:start]
	} else {
		b.EndArray()
	}
	if p.Result.Failed {
		b.Name("is_error").Bool(true)
	}
	b.end(p)
}
