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
	memberInput               = "input"
	memberPrompt              = "prompt"
	memberRole                = "role"
	memberContent             = "content"
	memberType                = "type"
	memberText                = "text"
	memberTools               = "tools"
	memberFunctions           = "functions"
	memberResponseFormat      = "response_format"
	memberReasoningEffort     = "reasoning_effort"
	memberMaxTokens           = "max_tokens"
	memberMaxCompletionTokens = "max_completion_tokens"
	memberMaxOutputTokens     = "max_output_tokens"
	memberFormat              = "format"
	memberReasoning           = "reasoning"
	memberEffort              = "effort"
	memberThinking            = "thinking"
	memberOutputConfig        = "output_config"
	memberOutputFormat        = "output_format"
)

// Values that need a capability, or none.
const (
	formatJSONSchema = "json_schema"
	effortNone       = "none"
	thinkingDisabled = "disabled"
)

// NeededBy returns the member of a body that needs a capability, such as "messages".
func (e *Envelope) NeededBy(c core.Capability) string {
	names := [...]string{memberResponseFormat, memberReasoningEffort, memberMessages}
	switch e.shape {
	case Responses:
		names = [...]string{memberText, memberReasoning, memberInput}
	case Messages:
		names = [...]string{memberOutputConfig, memberThinking, memberMessages}
	}
	switch c {
	case core.CapabilityTools:
		return memberTools
	case core.CapabilityJSONSchema:
		return names[0]
	case core.CapabilityReasoning:
		return names[1]
	}
	return names[2]
}

// need consumes the value of a member that tells what the request needs; it is false for any other, which it
// leaves where it is.
func (p *parser) need(name string) bool {
	switch p.e.shape {
	case Chat:
		return p.chat(name)
	case Completions:
		return p.completion(name)
	case Responses:
		return p.response(name)
	case Messages:
		return p.anthropic(name)
	}
	return false
}

func (p *parser) chat(name string) bool {
	switch name {
	case memberMessages:
		p.messages()
	case memberTools, memberFunctions:
		p.list()
	case memberResponseFormat:
		w := token.Walk(p.r.Value())
		p.format(&w)
	case memberReasoningEffort:
		if v := p.r.Value(); v.Kind() == '"' {
			p.effort(token.Text(v))
		}
	case memberMaxTokens, memberMaxCompletionTokens:
		p.maxTokens()
	default:
		return false
	}
	return true
}

func (p *parser) completion(name string) bool {
	switch name {
	case memberPrompt:
		p.remember(p.r.Value())
	case memberMaxTokens:
		p.maxTokens()
	default:
		return false
	}
	return true
}

func (p *parser) response(name string) bool {
	switch name {
	case memberInput:
		p.input()
	case memberTools:
		p.list()
	case memberText:
		p.inner(memberFormat, p.format)
	case memberReasoning:
		w := token.Walk(p.r.Value())
		p.effort(text(&w, memberEffort))
	case memberMaxOutputTokens:
		p.maxTokens()
	default:
		return false
	}
	return true
}

func (p *parser) anthropic(name string) bool {
	switch name {
	case memberMessages:
		p.messages()
	case memberTools:
		p.list()
	case memberOutputConfig:
		p.inner(memberFormat, p.format)
	case memberOutputFormat:
		w := token.Walk(p.r.Value())
		p.format(&w)
	case memberThinking:
		w := token.Walk(p.r.Value())
		if kind := text(&w, memberType); len(kind) > 0 && string(kind) != thinkingDisabled {
			p.e.Needs.Add(core.CapabilityReasoning)
		}
	case memberMaxTokens:
		p.maxTokens()
	default:
		return false
	}
	return true
}

// inner reads one member of an object.
func (p *parser) inner(member string, read func(*token.Walker)) {
	w := token.Walk(p.r.Value())
	for name := range w.Members {
		if string(token.Text(name)) == member {
			read(&w)
		} else {
			w.Value()
		}
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

// format reads how the answer is to be formatted.
func (p *parser) format(w *token.Walker) {
	if string(text(w, memberType)) == formatJSONSchema {
		p.e.Needs.Add(core.CapabilityJSONSchema)
	}
}

func (p *parser) effort(effort []byte) {
	if len(effort) > 0 && string(effort) != effortNone {
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
