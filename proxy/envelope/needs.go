package envelope

import (
	"strconv"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// Members that tell what a request needs of a model. One that is not of the kind that the API defines tells
// nothing: it is the upstream's to refuse.
const (
	memberMessages            = "messages"
	memberContent             = "content"
	memberType                = "type"
	memberTools               = "tools"
	memberFunctions           = "functions"
	memberResponseFormat      = "response_format"
	memberReasoningEffort     = "reasoning_effort"
	memberMaxTokens           = "max_tokens"
	memberMaxCompletionTokens = "max_completion_tokens"
)

// Values that need a capability, or none.
const (
	formatJSONSchema = "json_schema"
	effortNone       = "none"
)

// NeededBy returns the member of a body that needs a capability, such as "messages".
func (e *Envelope) NeededBy(c core.Capability) string {
	switch c {
	case core.CapabilityTools:
		return memberTools
	case core.CapabilityJSONSchema:
		return memberResponseFormat
	case core.CapabilityReasoning:
		return memberReasoningEffort
	}
	return memberMessages
}

// partNeeds returns what a content part of that type needs; text and what is not known need nothing.
func partNeeds(kind []byte) (core.Capability, bool) {
	switch string(kind) {
	case "image_url":
		return core.CapabilityVision, true
	case "input_audio", "audio_url":
		return core.CapabilityAudio, true
	case "file":
		return core.CapabilityFiles, true
	}
	return "", false
}

// need consumes the value of a member that tells what the request needs; it is false for any other, which it
// leaves where it is.
func (p *parser) need(name string) bool {
	switch name {
	case memberMessages:
		p.messages()
	case memberTools, memberFunctions:
		p.list()
	case memberResponseFormat:
		p.responseFormat()
	case memberReasoningEffort:
		p.reasoningEffort()
	case memberMaxTokens, memberMaxCompletionTokens:
		p.maxTokens()
	default:
		return false
	}
	return true
}

// messages looks for content parts in every message.
func (p *parser) messages() {
	w := token.Walk(p.r.Value())
	for range w.Elements {
		for name := range w.Members {
			if string(token.Text(name)) != memberContent {
				w.Value()
				continue
			}
			for range w.Elements {
				p.part(&w)
			}
		}
	}
}

// part looks at one content part. What is no text in it, be it a megabyte, is no text of the prompt.
func (p *parser) part(w *token.Walker) {
	start := w.Offset()
	if c, ok := partNeeds(text(w, memberType)); ok {
		p.e.Needs.Add(c)
		p.e.media += w.Offset() - start
	}
}

// text walks over the next value and returns the text of that member of it, as it stands in the body unless it
// has escapes; empty if there is none.
func text(w *token.Walker, member string) (text []byte) {
	for name := range w.Members {
		wanted := string(token.Text(name)) == member
		if v := w.Value(); wanted && v.Kind() == '"' {
			text = token.Text(v)
		}
	}
	return text
}

// list reads tools or functions: an empty list offers nothing to call.
func (p *parser) list() {
	w := token.Walk(p.r.Value())
	for range w.Elements {
		p.e.Needs.Add(core.CapabilityTools)
		return
	}
}

func (p *parser) responseFormat() {
	w := token.Walk(p.r.Value())
	if string(text(&w, memberType)) == formatJSONSchema {
		p.e.Needs.Add(core.CapabilityJSONSchema)
	}
}

func (p *parser) reasoningEffort() {
	if v := p.r.Value(); v.Kind() == '"' && string(token.Text(v)) != effortNone {
		p.e.Needs.Add(core.CapabilityReasoning)
	}
}

// maxTokens reads a bound of the answer; of the two members that set one, the lower counts.
func (p *parser) maxTokens() {
	n, err := strconv.ParseInt(string(p.r.Value()), 10, 64)
	if err == nil && n > 0 && (p.e.MaxTokens == 0 || n < p.e.MaxTokens) {
		p.e.MaxTokens = n
	}
}
