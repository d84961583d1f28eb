package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// message is what a message of an answer, or one chunk of it, says.
type message struct {
	content, refusal, thought, otherThought string
	calls                                   []call
}

// call is a call of a tool, or a piece of one.
type call struct {
	// index is -1 where there is none, and functionIndex for a function_call.
	index               int64
	id, name, arguments string
}

const (
	noIndex       = -1
	functionIndex = -2
)

// thinking returns what was thought. Servers call it reasoning_content or reasoning; some send it under both names.
func (m *message) thinking() string {
	if m.thought != "" {
		return m.thought
	}
	return m.otherThought
}

// DecodeAnswer implements conversation.Codec. It reads the first choice.
func (c *Codec) DecodeAnswer(body []byte) (*conversation.Answer, error) {
	var r wire.Reader
	r.Open(body)
	defer r.Close()
	a, found := &conversation.Answer{}, false
	for name := range r.Members {
		switch string(name) {
		case "id":
			a.ID = r.String()
		case "model":
			a.Model = r.String()
		case "choices":
			for i := range r.Elements {
				if i > 0 {
					r.Skip()
					continue
				}
				found = true
				c.choice(&r, a)
			}
		case "usage":
			a.Usage = usage(&r)
		default:
			r.Skip()
		}
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("chat answer: %w", err)
	}
	if !found {
		return nil, errors.New("chat answer: there is no choice")
	}
	return a, nil
}

func (c *Codec) choice(r *wire.Reader, a *conversation.Answer) {
	var m message
	reason := ""
	for name := range r.Members {
		switch string(name) {
		case "message":
			m.read(r)
		case "finish_reason":
			if reason = r.String(); reason == "error" {
				r.Fail("says that the answer has failed")
			}
		default:
			r.Skip()
		}
	}
	add := func(kind conversation.PartKind, text string) {
		if text != "" {
			a.Parts = append(a.Parts, conversation.Part{Kind: kind, Text: text})
		}
	}
	add(conversation.Thinking, m.thinking())
	add(conversation.Text, m.content)
	add(conversation.Refusal, m.refusal)
	for _, d := range m.calls {
		if d.name == "" {
			r.Fail("must name the tool of each call")
		}
		if d.id == "" {
			d.id = "call_" + c.newID()
		}
		a.Parts = append(a.Parts, conversation.Part{Kind: conversation.ToolCall, Call: conversation.Call{ID: d.id, Name: d.name, Arguments: d.arguments}})
	}
	a.Stop = stop(reason, len(m.calls) > 0)
}

// read reads a message or a delta.
func (m *message) read(r *wire.Reader) {
	for name := range r.Members {
		switch string(name) {
		case "content":
			m.content = text(r)
		case "refusal":
			m.refusal = r.String()
		case "reasoning_content":
			m.thought = text(r)
		case "reasoning":
			m.otherThought = text(r)
		case "tool_calls":
			for range r.Elements {
				m.calls = append(m.calls, readCall(r))
			}
		case "function_call":
			d := call{index: functionIndex}
			d.function(r)
			m.calls = append(m.calls, d)
		default:
			r.Skip()
		}
	}
}

// text reads a string, or the texts of an array of parts, as some servers answer.
func text(r *wire.Reader) string {
	switch r.Kind() {
	case '"':
		return r.String()
	case '[':
		var s strings.Builder
		for range r.Elements {
			s.WriteString(partText(r))
		}
		return s.String()
	}
	r.Skip()
	return ""
}

func partText(r *wire.Reader) string {
	if r.Kind() != '{' {
		r.Skip()
		return ""
	}
	s := ""
	for name := range r.Members {
		if string(name) == "text" && r.Kind() == '"' {
			s = r.String()
			continue
		}
		r.Skip()
	}
	return s
}

func readCall(r *wire.Reader) call {
	d := call{index: noIndex}
	for name := range r.Members {
		switch string(name) {
		case "index":
			d.index = r.Count()
		case "id":
			d.id = r.String()
		case "function":
			d.function(r)
		default:
			r.Skip()
		}
	}
	return d
}

func (d *call) function(r *wire.Reader) {
	for name := range r.Members {
		switch string(name) {
		case "name":
			d.name = r.String()
		case "arguments":
			d.arguments = spelled(r)
		default:
			r.Skip()
		}
	}
}

// spelled reads arguments as the string they are, or as the object that some servers send.
func spelled(r *wire.Reader) string {
	if r.Kind() == '"' {
		return r.String()
	}
	return string(r.Raw())
}
