package messages

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// EncodeAnswer implements conversation.Codec.
func (c *Codec) EncodeAnswer(_ *conversation.Request, a *conversation.Answer) []byte {
	w := wire.Writer{Buf: make([]byte, 0, 512+answerSize(a))}
	w.Object()
	w.Name("id").String(c.answerID(a.ID))
	w.Name("type").String("message")
	w.Name("role").String("assistant")
	w.Name("model").String(a.Model)
	w.Name("content").Array()
	refused := false
	for i := range a.Parts {
		p := &a.Parts[i]
		refused = refused || p.Kind == conversation.Refusal && p.Text != ""
		c.part(&w, p)
	}
	w.EndArray()
	writeStop(&w, a.Stop, refused)
	writeUsage(w.Name("usage"), a.Usage)
	w.EndObject()
	return w.Buf
}

func answerSize(a *conversation.Answer) int {
	n := 0
	for i := range a.Parts {
		p := &a.Parts[i]
		n += len(p.Text) + len(p.Call.Arguments) + len(p.Signature) + len(p.Sealed) + 96
	}
	return n + n/8
}

// part writes a part of an answer. Empty texts and thoughts of other vendors are no blocks: the client could not send
// them back.
func (c *Codec) part(w *wire.Writer, p *conversation.Part) {
	switch p.Kind {
	case conversation.Text, conversation.Refusal:
		if p.Text == "" {
			return
		}
		w.Object()
		w.Name("type").String("text")
		w.Name("text").String(p.Text)
		w.EndObject()
	case conversation.Thinking:
		if proven(p) {
			writeThinking(w, p)
		}
	case conversation.ToolCall:
		w.Object()
		w.Name("type").String("tool_use")
		w.Name("id").String(c.callID(p.Call.ID))
		w.Name("name").String(p.Call.Name)
		writeInput(w.Name("input"), p.Call.Arguments)
		w.EndObject()
	}
}

// callID returns an id of a call for a caller.
func (c *Codec) callID(id string) string {
	if id == "" {
		return "toolu_" + c.newID()
	}
	return plainID(id)
}
