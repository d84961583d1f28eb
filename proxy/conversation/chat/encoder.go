package chat

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// encoder writes the chunks of a stream.
type encoder struct {
	c *Codec
	// usage: chunks have a member for it, and one more chunk at the end holds it. functions: see Request.Functions.
	usage, functions bool
	// head is what every chunk begins with, up to its choices.
	head  []byte
	kind  conversation.PartKind
	calls int64 // that have been opened
	// argued: the open call has arguments.
	argued bool
}

// NewEncoder implements conversation.Codec.
func (c *Codec) NewEncoder(r *conversation.Request) conversation.Encoder {
	return &encoder{c: c, usage: r.StreamUsage, functions: r.Functions}
}

// Append implements conversation.Encoder.
func (e *encoder) Append(dst []byte, ev *conversation.Event) []byte {
	w := wire.Writer{Buf: dst}
	switch ev.Kind {
	case conversation.Start:
		e.begin(ev)
		e.open(&w)
		w.Raw(`{"role":"assistant","content":""}`)
		e.end(&w, "")
	case conversation.Open:
		e.part(&w, &ev.Part)
	case conversation.Delta:
		e.delta(&w, ev.Delta)
	case conversation.Close:
		if e.kind == conversation.ToolCall && !e.argued {
			e.delta(&w, "{}") // which clients parse
		}
	case conversation.Finish:
		e.finish(&w, ev)
	}
	return w.Buf
}

// begin makes the head.
func (e *encoder) begin(ev *conversation.Event) {
	w := wire.Writer{Buf: append(make([]byte, 0, 160), "data: "...)}
	w.Object()
	w.Name("id").String(e.c.answerID(ev.ID))
	w.Name("object").String("chat.completion.chunk")
	w.Name("created").Int(e.c.now().Unix())
	w.Name("model").String(ev.Model)
	e.head = w.Buf
}

// open begins a chunk, up to the value of its delta.
func (e *encoder) open(w *wire.Writer) {
	w.Buf = append(w.Buf, e.head...)
	w.Buf = append(w.Buf, `,"choices":[{"index":0,"delta":`...)
}

// end ends a chunk behind the value of its delta.
func (e *encoder) end(w *wire.Writer, reason string) {
	w.Buf = append(w.Buf, `,"logprobs":null,"finish_reason":`...)
	if reason == "" {
		w.Raw("null")
	} else {
		w.String(reason)
	}
	w.Buf = append(w.Buf, "}]"...)
	if e.usage {
		w.Buf = append(w.Buf, `,"usage":null`...)
	}
	w.Buf = append(w.Buf, "}\n\n"...)
}

// part opens a part. Only calls have something to say by then; the older form has a place for one.
func (e *encoder) part(w *wire.Writer, p *conversation.Part) {
	e.kind, e.argued = p.Kind, false
	if p.Kind != conversation.ToolCall {
		return
	}
	e.calls++
	if e.functions {
		if e.calls == 1 {
			e.open(w)
			w.Object()
			w.Name("function_call")
			writeFunction(w, p.Call.Name, "")
			w.EndObject()
			e.end(w, "")
		}
		return
	}
	e.open(w)
	w.Object().Name("tool_calls").Array().Object()
	w.Name("index").Int(e.calls - 1)
	w.Name("id").String(p.Call.ID)
	w.Name("type").String("function")
	w.Name("function")
	writeFunction(w, p.Call.Name, "")
	w.EndObject()
	w.EndArray()
	w.EndObject()
	e.end(w, "")
}

// delta writes more of the part that is open. Signatures have no place here.
func (e *encoder) delta(w *wire.Writer, text string) {
	if text == "" || e.kind == conversation.ToolCall && e.functions && e.calls > 1 {
		return
	}
	e.argued = true
	e.open(w)
	w.Object()
	switch e.kind {
	case conversation.Thinking:
		w.Name("reasoning_content").String(text)
	case conversation.Refusal:
		w.Name("refusal").String(text)
	case conversation.ToolCall:
		e.arguments(w, text)
	default:
		w.Name("content").String(text)
	}
	w.EndObject()
	e.end(w, "")
}

func (e *encoder) arguments(w *wire.Writer, text string) {
	if e.functions {
		w.Name("function_call").Object()
		w.Name("arguments").String(text)
		w.EndObject()
		return
	}
	w.Name("tool_calls").Array().Object()
	w.Name("index").Int(e.calls - 1)
	w.Name("function").Object()
	w.Name("arguments").String(text)
	w.EndObject()
	w.EndObject()
	w.EndArray()
}

// finish writes the chunk with the reason, the one with the usage if it was asked for, and the mark of the end.
func (e *encoder) finish(w *wire.Writer, ev *conversation.Event) {
	e.open(w)
	w.Raw("{}")
	e.end(w, finishReason(ev.Stop.Reason, e.functions))
	if e.usage {
		w.Buf = append(w.Buf, e.head...)
		w.Buf = append(w.Buf, `,"choices":[],"usage":`...)
		writeUsage(w, ev.Usage)
		w.Buf = append(w.Buf, "}\n\n"...)
	}
	w.Buf = append(w.Buf, "data: [DONE]\n\n"...)
}
