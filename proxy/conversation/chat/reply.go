package chat

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// EncodeAnswer implements conversation.Codec.
func (c *Codec) EncodeAnswer(r *conversation.Request, a *conversation.Answer) []byte {
	w := wire.Writer{Buf: make([]byte, 0, 512+answerSize(a))}
	w.Object()
	w.Name("id").String(c.answerID(a.ID))
	w.Name("object").String("chat.completion")
	w.Name("created").Int(c.now().Unix())
	w.Name("model").String(a.Model)
	w.Name("choices").Array().Object()
	w.Name("index").Int(0)
	w.Name("message")
	writeMessage(&w, r.Functions, a.Parts)
	w.Name("logprobs").Raw("null")
	w.Name("finish_reason").String(finishReason(a.Stop.Reason, r.Functions))
	w.EndObject()
	w.EndArray()
	if a.Usage.Known {
		writeUsage(w.Name("usage"), a.Usage)
	}
	w.EndObject()
	return w.Buf
}

func answerSize(a *conversation.Answer) int {
	n := 0
	for i := range a.Parts {
		n += len(a.Parts[i].Text) + len(a.Parts[i].Call.Arguments) + 96
	}
	return n + n/8
}

func writeMessage(w *wire.Writer, functions bool, parts []conversation.Part) {
	w.Object()
	w.Name("role").String("assistant")
	text, spoken := joined(parts, conversation.Text)
	refusal, refused := joined(parts, conversation.Refusal)
	thought, thinking := joined(parts, conversation.Thinking)
	if spoken || !refused && !hasCalls(parts) {
		w.Name("content").String(text)
	} else {
		w.Name("content").Raw("null")
	}
	if refused {
		w.Name("refusal").String(refusal)
	} else {
		w.Name("refusal").Raw("null")
	}
	if thinking && thought != "" {
		w.Name("reasoning_content").String(thought)
	}
	if hasCalls(parts) {
		writeCalls(w, functions, parts)
	}
	w.EndObject()
}

// joined returns the text of all parts of a kind, and whether there are any.
func joined(parts []conversation.Part, kind conversation.PartKind) (text string, found bool) {
	var b strings.Builder
	for i := range parts {
		if parts[i].Kind == kind {
			b.WriteString(parts[i].Text)
			found = true
		}
	}
	return b.String(), found
}

func hasCalls(parts []conversation.Part) bool {
	for i := range parts {
		if parts[i].Kind == conversation.ToolCall {
			return true
		}
	}
	return false
}

// writeCalls writes the calls; the older form has a place for one.
func writeCalls(w *wire.Writer, functions bool, parts []conversation.Part) {
	if !functions {
		w.Name("tool_calls").Array()
		defer w.EndArray()
	}
	for i := range parts {
		if parts[i].Kind != conversation.ToolCall {
			continue
		}
		c := &parts[i].Call
		if functions {
			w.Name("function_call")
			writeFunction(w, c.Name, arguments(c))
			return
		}
		w.Object()
		w.Name("id").String(c.ID)
		w.Name("type").String("function")
		w.Name("function")
		writeFunction(w, c.Name, arguments(c))
		w.EndObject()
	}
}

func writeFunction(w *wire.Writer, name, arguments string) {
	w.Object()
	w.Name("name").String(name)
	w.Name("arguments").String(arguments)
	w.EndObject()
}
