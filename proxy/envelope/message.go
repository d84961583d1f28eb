package envelope

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/token"
)

const (
	roleUser       = "user"
	partToolResult = "tool_result"
)

// partNeeds returns what a content part of that type needs; text and what is not known need nothing.
func partNeeds(kind []byte) (core.Capability, bool) {
	switch string(kind) {
	case "image_url", "input_image", "image":
		return core.CapabilityVision, true
	case "input_audio", "audio_url":
		return core.CapabilityAudio, true
	case "file", "input_file", "document":
		return core.CapabilityFiles, true
	}
	return "", false
}

// messages looks at every message of a conversation.
func (p *parser) messages() {
	v := p.r.Value()
	w := token.Walk(v)
	for range w.Elements {
		p.message(&w, p.r.Offset()-len(v))
	}
}

// input reads the conversation of a body of /v1/responses, which may be a text alone.
func (p *parser) input() {
	if p.r.Kind() == '"' {
		p.remember(p.r.Value())
		return
	}
	p.messages()
}

// remember takes a value that has just been read for the prompt.
func (p *parser) remember(v jsontext.Value) {
	end := p.r.Offset()
	p.e.prompt = span{end - len(v), end}
}

// message looks for content parts. Of the user's messages the last is the prompt; one that only holds results of
// tools is the caller's program's. The walker began at base.
func (p *parser) message(w *token.Walker, base int) {
	user, results := false, false
	var content span
	for name := range w.Members {
		switch string(token.Text(name)) {
		case memberRole:
			v := w.Value()
			user = v.Kind() == '"' && string(token.Text(v)) == roleUser
		case memberContent:
			w.Kind() // stands before the value now
			start := w.Offset()
			results = p.content(w)
			content = span{base + start, base + w.Offset()}
		default:
			w.Value()
		}
	}
	if user && !results {
		p.e.prompt = content
	}
}

// content looks at the parts of a message and reports whether they are results of tools and nothing else.
func (p *parser) content(w *token.Walker) (results bool) {
	all, of := 0, 0
	for range w.Elements {
		of++
		if p.part(w, true) {
			all++
		}
	}
	return of > 0 && all == of
}

// part looks at one content part, and at those inside it if it is the result of a tool, which it reports. What is no
// text in it, be it a megabyte, is no text of the prompt.
func (p *parser) part(w *token.Walker, outer bool) (result bool) {
	w.Kind()
	start := w.Offset()
	var need core.Capability
	for name := range w.Members {
		switch member := token.Text(name); {
		case string(member) == memberType:
			if v := w.Value(); v.Kind() == '"' {
				kind := token.Text(v)
				need, _ = partNeeds(kind)
				result = string(kind) == partToolResult
			}
		case outer && string(member) == memberContent:
			for range w.Elements {
				p.part(w, false)
			}
		default:
			w.Value()
		}
	}
	if need != "" {
		p.e.Needs.Add(need)
		p.e.media += w.Offset() - start
	}
	return result
}
