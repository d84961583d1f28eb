package messages

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// encoder writes the events of a stream.
type encoder struct {
	c *Codec
	// part is the one that is open; begun: its block is, which waits for something to say; index is that block's.
	part  conversation.Part
	begun bool
	// hidden: it is a thought of another vendor's, which the client could not send back to this one.
	hidden  bool
	index   int64
	refused bool
}

// NewEncoder implements conversation.Codec.
func (c *Codec) NewEncoder(*conversation.Request) conversation.Encoder { return &encoder{c: c} }

// Append implements conversation.Encoder.
func (e *encoder) Append(dst []byte, ev *conversation.Event) []byte {
	w := wire.Writer{Buf: dst}
	switch ev.Kind {
	case conversation.Start:
		e.start(&w, ev)
	case conversation.Open:
		e.part, e.begun = ev.Part, false
		e.hidden = ev.Part.Kind == conversation.Thinking && !ev.Part.Signed && !proven(&ev.Part)
		if ev.Part.Kind == conversation.ToolCall || ev.Part.Sealed != "" {
			e.begin(&w)
		}
	case conversation.Delta:
		e.delta(&w, ev)
	case conversation.Close:
		e.close(&w)
	case conversation.Finish:
		e.finish(&w, ev)
	}
	return w.Buf
}

// open begins an event of that type; end ends it.
func open(w *wire.Writer, kind string) {
	w.Buf = append(append(w.Buf, "event: "...), kind...)
	w.Buf = append(append(w.Buf, "\ndata: {\"type\":\""...), kind...)
	w.Buf = append(w.Buf, '"')
}

func end(w *wire.Writer) { w.Buf = append(w.Buf, "}\n\n"...) }

func (e *encoder) start(w *wire.Writer, ev *conversation.Event) {
	open(w, "message_start")
	w.Name("message").Object()
	w.Name("id").String(e.c.answerID(ev.ID))
	w.Name("type").String("message")
	w.Name("role").String("assistant")
	w.Name("model").String(ev.Model)
	w.Name("content").Raw("[]")
	w.Name("stop_reason").Raw("null")
	w.Name("stop_sequence").Raw("null")
	writeUsage(w.Name("usage"), ev.Usage)
	w.EndObject()
	end(w)
}

// begin opens the block of the part.
func (e *encoder) begin(w *wire.Writer) {
	e.begun = true
	open(w, "content_block_start")
	w.Name("index").Int(e.index)
	w.Name("content_block")
	switch e.part.Kind {
	case conversation.ToolCall:
		w.Object()
		w.Name("type").String("tool_use")
		w.Name("id").String(e.c.callID(e.part.Call.ID))
		w.Name("name").String(e.part.Call.Name)
		w.Name("input").Raw("{}")
		w.EndObject()
	case conversation.Thinking:
		writeThinking(w, &e.part)
	default:
		w.Raw(`{"type":"text","text":""}`)
	}
	end(w)
}

// delta writes more of the part that is open, and its signature in an event of its own.
func (e *encoder) delta(w *wire.Writer, ev *conversation.Event) {
	if ev.Delta == "" && ev.Signature == "" || e.part.Sealed != "" || e.hidden {
		return
	}
	if !e.begun {
		e.begin(w)
	}
	e.refused = e.refused || e.part.Kind == conversation.Refusal
	if ev.Delta != "" {
		switch e.part.Kind {
		case conversation.ToolCall:
			e.piece(w, `{"type":"input_json_delta","partial_json":`, ev.Delta)
		case conversation.Thinking:
			e.piece(w, `{"type":"thinking_delta","thinking":`, ev.Delta)
		default:
			e.piece(w, `{"type":"text_delta","text":`, ev.Delta)
		}
	}
	if ev.Signature != "" && e.part.Kind == conversation.Thinking {
		e.piece(w, `{"type":"signature_delta","signature":`, ev.Signature)
	}
}

func (e *encoder) piece(w *wire.Writer, head, text string) {
	open(w, "content_block_delta")
	w.Name("index").Int(e.index)
	w.Name("delta").Raw(head)
	w.String(text)
	w.EndObject()
	end(w)
}

// close ends the block of the part. A part that said nothing has none.
func (e *encoder) close(w *wire.Writer) {
	if !e.begun {
		return
	}
	open(w, "content_block_stop")
	w.Name("index").Int(e.index)
	end(w)
	e.begun = false
	e.index++
}

func (e *encoder) finish(w *wire.Writer, ev *conversation.Event) {
	open(w, "message_delta")
	w.Name("delta").Object()
	writeStop(w, ev.Stop, e.refused)
	w.EndObject()
	writeUsage(w.Name("usage"), ev.Usage)
	end(w)
	open(w, "message_stop")
	end(w)
}
