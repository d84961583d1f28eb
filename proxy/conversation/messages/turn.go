package messages

import (
	"encoding/base64"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// messages reads the turns. Instructions that stand between them join the others.
func (r *reading) messages() {
	r.out.Messages, r.out.System = nil, nil
	for i := range r.Elements {
		role, parts := "", []conversation.Part(nil)
		for name := range r.Members {
			switch string(name) {
			case "role":
				role = r.String()
			case "content":
				parts = r.content()
			default:
				r.Drop()
			}
		}
		switch role {
		case "user", "assistant":
			m := conversation.Message{Role: conversation.User, Parts: parts, At: i}
			if role == "assistant" {
				m.Role = conversation.Assistant
			}
			r.out.Messages = append(r.out.Messages, m)
		case "system":
			for _, p := range parts {
				if p.Kind != conversation.Text {
					r.Fail("can hold text only, as the messages of its role do")
				}
			}
			r.out.System = append(r.out.System, parts...)
		default:
			r.FailAt(r.Param()+".role", "must be user, assistant or system")
		}
	}
}

// texts reads a system prompt.
func (r *reading) texts() []conversation.Part {
	parts := r.content()
	for _, p := range parts {
		if p.Kind != conversation.Text {
			r.Fail("can hold text only")
		}
	}
	return parts
}

// content reads a string or an array of blocks. What stands in blocks of unknown types must not be lost silently.
func (r *reading) content() []conversation.Part {
	if r.Kind() == '"' {
		return []conversation.Part{{Kind: conversation.Text, Text: r.String(), At: -1}}
	}
	if r.Kind() != '[' {
		r.Fail("must be a string or an array of blocks")
		return nil
	}
	parts := []conversation.Part{}
	for i := range r.Elements {
		p := conversation.Part{At: i}
		r.block(&p)
		parts = append(parts, p)
	}
	return parts
}

// block reads a block. It is told by its type, which need not come first.
func (r *reading) block(p *conversation.Part) {
	kind := ""
	var source source
	for name := range r.Members {
		switch string(name) {
		case "type":
			kind = r.String()
		case "text", "thinking":
			p.Text = r.String()
		case "signature":
			p.Signature = r.String()
		case "data":
			p.Sealed = r.String()
		case "source":
			r.source(&source)
		case "title":
			p.Media.Name = r.String()
		case "id":
			p.Call.ID = r.String()
		case "name":
			p.Call.Name = r.String()
		case "input":
			p.Call.Arguments = string(r.Object())
		case "tool_use_id":
			p.Result.CallID = r.String()
		case "content":
			p.Result.Parts = r.resultContent()
		case "is_error":
			p.Result.Failed = r.Bool()
		case "cache_control":
			p.Cached = r.cacheMark()
		default:
			r.Drop()
		}
	}
	r.kind(p, kind, &source)
}

// resultContent reads the content of a result, in which there are no results.
func (r *reading) resultContent() []conversation.Part {
	if r.within {
		r.Fail("cannot stand in the result of a tool")
		return nil
	}
	r.within = true
	defer func() { r.within = false }()
	return r.content()
}

// kind makes of a block what its type says.
func (r *reading) kind(p *conversation.Part, kind string, s *source) {
	switch kind {
	case "text":
		p.Kind = conversation.Text
	case "image":
		p.Kind = conversation.Image
		r.media(p, s)
	case "document":
		p.Kind = conversation.File
		r.media(p, s)
	case "thinking", "redacted_thinking":
		p.Kind = conversation.Thinking
	case "tool_use":
		p.Kind = conversation.ToolCall
		if p.Call.ID == "" || p.Call.Name == "" {
			r.Fail("must have an id and a name")
		}
	case "tool_result":
		p.Kind = conversation.ToolResult
		r.result(p)
	default:
		r.FailAt(r.Param()+".type", "must be text, image, document, thinking, redacted_thinking, tool_use or tool_result where the request is translated")
	}
}

func (r *reading) result(p *conversation.Part) {
	if p.Result.CallID == "" {
		r.Fail("must have a tool_use_id")
	}
	for _, inner := range p.Result.Parts {
		switch inner.Kind {
		case conversation.Text, conversation.Image, conversation.File:
		default:
			r.Fail("can hold text, images and documents only")
		}
	}
}

// cacheMark reads a cache_control. How long the cache is to last is dropped.
func (r *reading) cacheMark() bool {
	for name := range r.Members {
		if string(name) == "type" {
			r.Skip()
			continue
		}
		r.Drop()
	}
	return true
}

// source is where a block's bytes are.
type source struct{ kind, mediaType, data, url string }

func (r *reading) source(s *source) {
	for name := range r.Members {
		switch string(name) {
		case "type":
			s.kind = r.String()
		case "media_type":
			s.mediaType = r.String()
		case "data":
			s.data = r.String()
		case "url":
			s.url = r.String()
		default:
			r.Skip() // of a type that is refused
		}
	}
}

func (r *reading) media(p *conversation.Part, s *source) {
	m := &p.Media
	switch s.kind {
	case "base64":
		m.Type, m.Base64 = s.mediaType, s.data
	case "text":
		m.Type, m.Base64 = plainText, base64.StdEncoding.EncodeToString([]byte(s.data))
	case "url":
		m.URL = s.url
	default:
		r.FailAt(r.Param()+".source.type", "must be base64, text or url where the request is translated: files of one vendor are not with another")
	}
}

const plainText = "text/plain"
