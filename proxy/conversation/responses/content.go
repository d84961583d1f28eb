package responses

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// content reads what an item says: a string, or an array of parts.
func (r *reading) content(item int) []conversation.Part {
	if r.Kind() == '"' {
		return []conversation.Part{{Kind: conversation.Text, Text: r.String(), At: place(item, -1)}}
	}
	if r.Kind() != '[' {
		r.Fail("must be a string or an array of parts")
		return nil
	}
	parts := []conversation.Part{}
	for i := range r.Elements {
		p := conversation.Part{At: place(item, i)}
		r.part(&p)
		parts = append(parts, p)
	}
	return parts
}

// part reads a part. It is told by its type, which need not come first.
func (r *reading) part(p *conversation.Part) {
	kind := ""
	for name := range r.Members {
		switch string(name) {
		case "type":
			kind = r.String()
		case "text", "refusal":
			p.Text = r.String()
		case "image_url":
			r.url(&p.Media, r.String())
		case "file_url":
			p.Media.URL = r.String()
		case "file_data":
			r.fileData(&p.Media)
		case "file_id":
			p.Media.ID = r.String()
		case "filename":
			p.Media.Name = r.String()
		case "detail":
			p.Media.Detail = r.String()
		case "prompt_cache_breakpoint":
			p.Cached = r.cacheMark()
		case "annotations", "logprobs": // of an earlier answer, which say nothing to a model
			r.Skip()
		default:
			r.Drop()
		}
	}
	r.kind(p, kind)
}

// kind makes of a part what its type says.
func (r *reading) kind(p *conversation.Part, kind string) {
	switch kind {
	case "input_text", "output_text":
		p.Kind = conversation.Text
	case "refusal":
		p.Kind = conversation.Refusal
	case "input_image":
		p.Kind = conversation.Image
	case "input_file":
		p.Kind = conversation.File
		if p.Media.Detail != "" {
			r.LostAt(r.Param() + ".detail")
			p.Media.Detail = ""
		}
	case "summary_text", "reasoning_text":
		p.Kind = conversation.Thinking
	default:
		r.FailAt(r.Param()+".type", "must be input_text, input_image, input_file, output_text or refusal where the request is translated")
	}
	held := p.Media.URL != "" || p.Media.Base64 != "" || p.Media.ID != ""
	if media := p.Kind == conversation.Image || p.Kind == conversation.File; media != held || media && p.Text != "" {
		r.Fail("must hold what its type says")
	}
}

// cacheMark reads a prompt_cache_breakpoint. How long the cache is to last is dropped.
func (r *reading) cacheMark() bool {
	for name := range r.Members {
		if string(name) == "mode" {
			r.Skip()
			continue
		}
		r.Drop()
	}
	return true
}

// url reads where the media is, or the media itself.
func (r *reading) url(m *conversation.Media, url string) {
	if !m.Locate(url) {
		r.Fail("must be a URL, or a data URL in base64")
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
