package messages

import (
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// DecodeAnswer implements conversation.Codec. Blocks of unknown types, such as those of the vendor's own tools, are left out.
func (c *Codec) DecodeAnswer(body []byte) (*conversation.Answer, error) {
	var r wire.Reader
	r.Open(body)
	defer r.Close()
	a, found := &conversation.Answer{}, false
	reason, sequence := "", ""
	for name := range r.Members {
		switch string(name) {
		case "id":
			a.ID = r.String()
		case "model":
			a.Model = r.String()
		case "content":
			found = true
			for range r.Elements {
				if b := c.readBlock(&r); b.known() {
					a.Parts = append(a.Parts, b.Part)
				}
			}
		case "stop_reason":
			reason = r.String()
		case "stop_sequence":
			sequence = r.String()
		case "usage":
			var u counts
			u.read(&r)
			a.Usage = u.usage()
		default:
			r.Skip()
		}
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("messages answer: %w", err)
	}
	if !found {
		return nil, errors.New("messages answer: there is no content")
	}
	a.Stop = stop(reason, sequence)
	return a, nil
}

// block is a block of an answer, or the beginning of one.
type block struct {
	conversation.Part
	kind string
}

func (c *Codec) readBlock(r *wire.Reader) block {
	var b block
	for name := range r.Members {
		switch string(name) {
		case "type":
			b.kind = r.String()
		case "text", "thinking":
			b.Text = r.String()
		case "signature":
			b.Signature = r.String()
		case "data":
			b.Sealed = r.String()
		case "id":
			b.Call.ID = r.String()
		case "name":
			b.Call.Name = r.String()
		case "input":
			b.Call.Arguments = string(r.Raw())
		default:
			r.Skip()
		}
	}
	b.settle()
	if b.kind == "tool_use" {
		if b.Call.Name == "" {
			r.Fail("must name the tool of each call")
		}
		if b.Call.ID == "" {
			b.Call.ID = "toolu_" + c.newID()
		}
	}
	return b
}

// settle makes of what was read what the type says.
func (b *block) settle() {
	switch b.kind {
	case "thinking", "redacted_thinking":
		b.Part.Kind = conversation.Thinking
	case "tool_use":
		b.Part.Kind = conversation.ToolCall
	}
	if b.Call.Arguments == "{}" {
		b.Call.Arguments = ""
	}
	if b.kind != "redacted_thinking" {
		b.Sealed = ""
	}
}

// known reports whether the block is a part of an answer.
func (b *block) known() bool {
	switch b.kind {
	case "text", "thinking", "redacted_thinking", "tool_use":
		return true
	}
	return false
}
