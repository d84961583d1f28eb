package responses

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// EncodeAnswer implements conversation.Codec.
func (c *Codec) EncodeAnswer(r *conversation.Request, a *conversation.Answer) []byte {
	size := answerSize(a)
	status, reason := ending(a.Stop.Reason)
	out := output{c: c, bareID: c.bareID(a.ID), status: status, show: r.Reasoning.Show}
	out.Buf = make([]byte, 0, size)
	out.parts(a.Parts)
	h := head{id: idPrefix + out.bareID, model: a.Model, created: c.now().Unix(), settings: settings(r)}
	w := wire.Writer{Buf: make([]byte, 0, 512+len(h.settings)+size)}
	h.write(&w, status, reason, string(out.Buf), a.Usage)
	return w.Buf
}

func answerSize(a *conversation.Answer) int {
	n := 0
	for i := range a.Parts {
		p := &a.Parts[i]
		n += len(p.Text) + len(p.Call.Arguments) + len(p.Signature) + len(p.Sealed) + 192
	}
	return n + n/8
}

// output makes the items of a whole answer.
type output struct {
	wire.Writer
	c              *Codec
	bareID, status string
	show           bool // what was thought
	index          int64
}

// parts writes the items of an answer: the texts and refusals in a row are one message. The last message of an answer
// that is incomplete is so, too.
func (o *output) parts(parts []conversation.Part) {
	for i := 0; i < len(parts); {
		p := &parts[i]
		end := i + 1
		switch p.Kind {
		case conversation.Text, conversation.Refusal:
			for end < len(parts) && (parts[end].Kind == conversation.Text || parts[end].Kind == conversation.Refusal) {
				end++
			}
			o.message(parts[i:end], end == len(parts))
		case conversation.ToolCall:
			call := conversation.Call{ID: o.c.callID(p.Call.ID), Name: p.Call.Name, Arguments: arguments(p.Call.Arguments)}
			writeCall(&o.Writer, o.next(callItem), o.state(end == len(parts)), &call)
		case conversation.Thinking:
			if o.show && (p.Text != "" || seal(p) != "") {
				writeReasoning(&o.Writer, o.next(reasoningItem), p)
			}
		}
		i = end
	}
}

// next returns the id of the next item.
func (o *output) next(kind itemKind) string {
	id := itemID(kind, o.bareID, o.index)
	o.index++
	return id
}

// state is the status of an item.
func (o *output) state(last bool) string {
	if last {
		return o.status
	}
	return completed
}

// message writes a message; texts that follow each other are one part of it.
func (o *output) message(parts []conversation.Part, last bool) {
	var content wire.Writer
	for i := 0; i < len(parts); {
		kind := parts[i].Kind
		var text strings.Builder
		for i < len(parts) && (parts[i].Kind == kind || parts[i].Text == "") {
			text.WriteString(parts[i].Text)
			i++
		}
		if text.Len() > 0 {
			writeContent(&content, kind, text.String())
		}
	}
	if len(content.Buf) > 0 {
		writeMessage(&o.Writer, o.next(messageItem), o.state(last), string(content.Buf))
	}
}
