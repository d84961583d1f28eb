package responses

import (
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// response is a response object, whole or as an event of a stream holds it.
type response struct {
	id, model, status, incomplete string
	usage                         conversation.Usage
	failed                        bool
	// output is as it is spelled; empty: there is none.
	output []byte
}

func (o *response) read(r *wire.Reader) {
	for name := range r.Members {
		switch string(name) {
		case "id":
			o.id = r.String()
		case "model":
			o.model = r.String()
		case "status":
			o.status = r.String()
		case "incomplete_details":
			o.details(r)
		case "error":
			r.Skip()
			o.failed = true
		case "usage":
			o.usage = usage(r)
		case "output":
			o.output = r.Raw()
		default:
			r.Skip()
		}
	}
}

func (o *response) details(r *wire.Reader) {
	for name := range r.Members {
		if string(name) == "reason" {
			o.incomplete = r.String()
			continue
		}
		r.Skip()
	}
}

// DecodeAnswer implements conversation.Codec.
func (c *Codec) DecodeAnswer(body []byte) (*conversation.Answer, error) {
	var r wire.Reader
	var o response
	r.Open(body)
	o.read(&r)
	err := r.End()
	r.Close()
	switch {
	case err != nil:
		return nil, fmt.Errorf("responses answer: %w", err)
	case o.failed || o.status == "failed":
		return nil, errors.New("responses answer: the upstream reports an error")
	case o.status != "" && o.status != "completed" && o.status != "incomplete":
		return nil, errors.New("responses answer: the response has not come to its end")
	case o.output == nil:
		return nil, errors.New("responses answer: there is no output")
	}
	a := &conversation.Answer{ID: o.id, Model: o.model, Usage: o.usage}
	if a.Parts, err = c.outputParts(o.output); err != nil {
		return nil, fmt.Errorf("responses answer: %w", err)
	}
	a.Stop = stop(&o, hasCalls(a.Parts))
	return a, nil
}

func hasCalls(parts []conversation.Part) bool {
	for i := range parts {
		if parts[i].Kind == conversation.ToolCall {
			return true
		}
	}
	return false
}

// outputParts reads an output. Items of unknown types, such as those of the vendor's own tools, are left out.
func (c *Codec) outputParts(output []byte) ([]conversation.Part, *conversation.Error) {
	var r wire.Reader
	var parts []conversation.Part
	r.Open(output)
	defer r.Close()
	for range r.Elements {
		var t outputItem
		t.read(&r)
		parts = c.appendItem(parts, &t, &r)
	}
	return parts, r.End()
}

func (c *Codec) appendItem(parts []conversation.Part, t *outputItem, r *wire.Reader) []conversation.Part {
	switch t.kind {
	case messageItem:
		for _, p := range t.content {
			if p.known && p.text != "" {
				parts = append(parts, conversation.Part{Kind: p.kind, Text: p.text})
			}
		}
	case callItem:
		if t.name == "" {
			r.Fail("must name the tool of each call")
		}
		call := conversation.Call{ID: c.callID(t.callID), Name: t.name, Arguments: t.arguments}
		parts = append(parts, conversation.Part{Kind: conversation.ToolCall, Call: call})
	case reasoningItem:
		if text := t.thought(); text != "" {
			parts = append(parts, conversation.Part{Kind: conversation.Thinking, Text: text})
		}
	}
	return parts
}

// itemKind is a type of an output item.
type itemKind uint8

const (
	otherItem itemKind = iota
	messageItem
	callItem
	reasoningItem
)

// outputItem is an item of an answer.
type outputItem struct {
	kind                    itemKind
	callID, name, arguments string
	content, summary        []outputPart
}

// outputPart is a part of an item's content or summary; known: it is a part of an answer.
type outputPart struct {
	kind  conversation.PartKind
	known bool
	text  string
}

func (t *outputItem) read(r *wire.Reader) {
	if r.Kind() != '{' {
		r.Skip()
		return
	}
	for name := range r.Members {
		switch string(name) {
		case "type":
			t.kind = kindOf(r.Text())
		case "call_id":
			t.callID = words(r)
		case "name":
			t.name = words(r)
		case "arguments":
			t.arguments = spelled(r)
		case "content":
			t.content = outputContent(r)
		case "summary":
			t.summary = outputContent(r)
		default:
			r.Skip()
		}
	}
}

func kindOf(name []byte) itemKind {
	switch string(name) {
	case "message":
		return messageItem
	case "function_call":
		return callItem
	case "reasoning":
		return reasoningItem
	}
	return otherItem
}

// words reads a string; items and events of unknown types may hold anything under the name of one.
func words(r *wire.Reader) string {
	if r.Kind() == '"' {
		return r.String()
	}
	r.Skip()
	return ""
}

// spelled reads arguments as the string they are, or as the object that some servers send.
func spelled(r *wire.Reader) string {
	if r.Kind() == '"' {
		return r.String()
	}
	return string(r.Raw())
}

// outputContent reads parts; items of unknown types may hold anything under these names.
func outputContent(r *wire.Reader) []outputPart {
	if r.Kind() != '[' {
		r.Skip()
		return nil
	}
	var parts []outputPart
	for range r.Elements {
		var p outputPart
		p.read(r)
		parts = append(parts, p)
	}
	return parts
}

func (p *outputPart) read(r *wire.Reader) {
	if r.Kind() != '{' {
		r.Skip()
		return
	}
	for name := range r.Members {
		switch string(name) {
		case "type":
			p.typed(words(r))
		case "text", "refusal":
			p.text = words(r)
		default:
			r.Skip()
		}
	}
}

func (p *outputPart) typed(name string) {
	p.known = true
	switch name {
	case "output_text":
		p.kind = conversation.Text
	case "refusal":
		p.kind = conversation.Refusal
	case "summary_text", "reasoning_text":
		p.kind = conversation.Thinking
	default:
		p.known = false
	}
}

// thought returns what a reasoning item tells: its summary, or, without one, what was thought itself.
func (t *outputItem) thought() string {
	parts := t.summary
	if len(parts) == 0 {
		parts = t.content
	}
	var text thoughts
	for _, p := range parts {
		if p.known {
			text.add(p.text)
		}
	}
	return text.String()
}
