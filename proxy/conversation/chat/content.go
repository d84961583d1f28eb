package chat

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// content reads the content of a message: a string, or an array of parts.
func (r *reading) content() []conversation.Part {
	if r.Kind() == '"' {
		return []conversation.Part{{Kind: conversation.Text, Text: r.String(), At: -1}}
	}
	if r.Kind() != '[' {
		r.Fail("must be a string or an array of parts")
		return nil
	}
	parts := []conversation.Part{}
	for i := range r.Elements {
		p := conversation.Part{At: i}
		r.part(&p)
		parts = append(parts, p)
	}
	return parts
}

// part reads a part. It is told by its type, which need not come first; what it holds is a member of the type's name.
func (r *reading) part(p *conversation.Part) {
	kind, held := "", ""
	for name := range r.Members {
		switch s := string(name); s {
		case "type":
			kind = r.String()
		case "text":
			held, p.Text = s, r.String()
		case "refusal":
			held, p.Text = s, r.String()
		case "image_url":
			held = s
			r.image(&p.Media)
		case "input_audio":
			held = s
			r.audio(&p.Media)
		case "file":
			held = s
			r.file(&p.Media)
		case "cache_control":
			p.Cached = r.cacheMark()
		default:
			r.Drop()
		}
	}
	switch kind {
	case "text":
		p.Kind = conversation.Text
	case "refusal":
		p.Kind = conversation.Refusal
	case "image_url":
		p.Kind = conversation.Image
	case "input_audio":
		p.Kind = conversation.Audio
	case "file":
		p.Kind = conversation.File
	default:
		r.FailAt(r.Param()+".type", "must be text, refusal, image_url, input_audio or file")
	}
	if held != kind {
		r.Fail("must hold " + kind + " and nothing of another type")
	}
}

// cacheMark reads a cache_control, which callers of other vendors' models send in this dialect too.
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

func (r *reading) image(m *conversation.Media) {
	if r.Kind() == '"' { // as some clients write it
		r.url(m, r.String())
		return
	}
	for name := range r.Members {
		switch string(name) {
		case "url":
			r.url(m, r.String())
		case "detail":
			m.Detail = r.String()
		default:
			r.Drop()
		}
	}
}

// url reads where the media is, or the media itself.
func (r *reading) url(m *conversation.Media, url string) {
	if !m.Locate(url) {
		r.Fail("must be a URL, or a data URL in base64")
	}
}

func (r *reading) audio(m *conversation.Media) {
	for name := range r.Members {
		switch string(name) {
		case "data":
			m.Base64 = r.String()
		case "format":
			m.Type = "audio/" + r.String()
		default:
			r.Drop()
		}
	}
}

func (r *reading) file(m *conversation.Media) {
	for name := range r.Members {
		switch string(name) {
		case "file_data":
			r.fileData(m)
		case "file_id":
			m.ID = r.String()
		case "filename":
			m.Name = r.String()
		default:
			r.Drop()
		}
	}
}

// fileData reads the bytes of a file: a data URL, or the base64 alone, which is a PDF's.
func (r *reading) fileData(m *conversation.Media) {
	data := r.String()
	if strings.HasPrefix(data, "data:") {
		r.url(m, data)
		return
	}
	m.Type, m.Base64 = pdf, data
}

const pdf = "application/pdf"

// lostMember lists a member of the message that has been read among what was dropped.
func (r *reading) lostMember(name string) { r.LostAt(r.Param() + "." + name) }
