package chat

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

func (b *body) image(param string, m *conversation.Media) {
	url := m.URL
	switch {
	case m.ID != "":
		b.Fail(param, "names an uploaded image, which this target does not have: send its bytes or its URL")
	case url == "" && m.Base64 == "":
		b.Fail(param, "must hold bytes, or a URL")
	case url == "":
		url = dataURL(m)
	}
	b.Object()
	b.Name("type").String("image_url")
	b.Name("image_url").Object()
	b.Name("url").String(url)
	if m.Detail != "" {
		b.Name("detail").String(m.Detail)
	}
	b.EndObject()
	b.EndObject()
}

func dataURL(m *conversation.Media) string { return "data:" + m.Type + ";base64," + m.Base64 }

func (b *body) audio(param string, m *conversation.Media) {
	format, ok := strings.CutPrefix(m.Type, "audio/")
	if !ok || m.Base64 == "" {
		b.Fail(param, "must hold the bytes of the sound for this target")
	}
	b.Object()
	b.Name("type").String("input_audio")
	b.Name("input_audio").Object()
	b.Name("data").String(m.Base64)
	b.Name("format").String(format)
	b.EndObject()
	b.EndObject()
}

// file writes a document: plain text as text, anything else as a file.
func (b *body) file(param string, m *conversation.Media) {
	if m.Base64 == "" && m.ID == "" {
		b.Fail(param, "must hold the bytes of the document for this target: it fetches none")
		return
	}
	if m.Type == "text/plain" {
		text, err := base64.StdEncoding.DecodeString(m.Base64)
		if err != nil || !utf8.Valid(text) {
			b.Fail(param, "must be UTF-8 in base64")
		}
		if m.Name != "" {
			text = append([]byte(m.Name+"\n\n"), text...)
		}
		b.text(string(text))
		return
	}
	b.Object()
	b.Name("type").String("file")
	b.Name("file").Object()
	name := m.Name
	switch {
	case m.ID != "":
		b.Name("file_id").String(m.ID)
	case name == "":
		name = "document.pdf" // which must have one here
		fallthrough
	default:
		b.Name("filename").String(name)
		b.Name("file_data").String(dataURL(m))
	}
	b.EndObject()
	b.EndObject()
}
