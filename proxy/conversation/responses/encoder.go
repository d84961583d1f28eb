package responses

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// encoder writes the events of a stream. The last of them repeats the whole answer, so that it is kept.
type encoder struct {
	c        *Codec
	show     bool // the caller asked for what is thought
	head     head
	bareID   string
	sequence int64

	// part is what the parts say that are being told; an item begins with the first thing that one says. item is the
	// type of the item that is open, otherItem: none; id is its id, index its place, or that of the next.
	part  conversation.Part
	item  itemKind
	id    string
	index int64
	// said is the text or the arguments of the open part of the item; partOpen: there is one, of that kind, the content-th.
	said     []byte
	partOpen bool
	kind     conversation.PartKind
	content  int64
	// contents are the parts of the open message that are closed, items the items that are, as JSON.
	contents, items wire.Writer
}

// NewEncoder implements conversation.Codec. Of the request it keeps what the events repeat: a stream may be open for long.
func (c *Codec) NewEncoder(r *conversation.Request) conversation.Encoder {
	return &encoder{c: c, show: r.Reasoning.Show, head: head{settings: settings(r)}}
}

// Append implements conversation.Encoder.
func (e *encoder) Append(dst []byte, ev *conversation.Event) []byte {
	w := wire.Writer{Buf: dst}
	switch ev.Kind {
	case conversation.Start:
		e.start(&w, ev)
	case conversation.Open:
		e.open(&w, &ev.Part)
	case conversation.Delta:
		e.delta(&w, ev)
	case conversation.Finish:
		e.finish(&w, ev)
	}
	return w.Buf
}

// Kept implements conversation.Keeper.
func (e *encoder) Kept() int {
	return len(e.head.settings) + len(e.said) + len(e.contents.Buf) + len(e.items.Buf) + len(e.part.Signature)
}

var _ conversation.Keeper = (*encoder)(nil)

// begin begins an event of that type; end ends it.
func (e *encoder) begin(w *wire.Writer, kind string) {
	w.Buf = append(append(w.Buf, "event: "...), kind...)
	w.Buf = append(append(w.Buf, "\ndata: {\"type\":\""...), kind...)
	w.Buf = append(w.Buf, '"')
	w.Name("sequence_number").Int(e.sequence)
	e.sequence++
}

func end(w *wire.Writer) { w.Buf = append(w.Buf, "}\n\n"...) }

// beginAt begins an event about the open item.
func (e *encoder) beginAt(w *wire.Writer, kind string) {
	e.begin(w, kind)
	w.Name("item_id").String(e.id)
	w.Name("output_index").Int(e.index)
}

// beginIn begins an event about the open part of the open item.
func (e *encoder) beginIn(w *wire.Writer, kind string) {
	e.beginAt(w, kind)
	if e.item == reasoningItem {
		w.Name("summary_index").Int(e.content)
	} else {
		w.Name("content_index").Int(e.content)
	}
}

func (e *encoder) start(w *wire.Writer, ev *conversation.Event) {
	e.bareID = e.c.bareID(ev.ID)
	e.head.id, e.head.model, e.head.created = idPrefix+e.bareID, ev.Model, e.c.now().Unix()
	for _, kind := range []string{"response.created", "response.in_progress"} {
		e.begin(w, kind)
		e.head.write(w.Name("response"), inProgress, "", "", conversation.Usage{})
		end(w)
	}
}

// open takes up a part. Words that follow words stand in the same message; anything else is an item of its own.
func (e *encoder) open(w *wire.Writer, p *conversation.Part) {
	words := p.Kind == conversation.Text || p.Kind == conversation.Refusal
	if !words || e.item != messageItem {
		e.closeItem(w, completed)
	}
	e.part = *p
	switch {
	case p.Kind == conversation.ToolCall:
		e.part.Call.ID = e.c.callID(p.Call.ID)
		e.openItem(w, callItem)
	case p.Sealed != "" && e.show:
		e.openItem(w, reasoningItem)
	}
}

func (e *encoder) openItem(w *wire.Writer, kind itemKind) {
	e.item, e.id, e.content = kind, itemID(kind, e.bareID, e.index), 0
	e.begin(w, "response.output_item.added")
	w.Name("output_index").Int(e.index)
	w.Name("item")
	switch kind {
	case messageItem:
		writeMessage(w, e.id, inProgress, "")
	case callItem:
		writeCall(w, e.id, inProgress, &e.part.Call)
	case reasoningItem:
		writeReasoning(w, e.id, &conversation.Part{Sealed: e.part.Sealed})
	}
	end(w)
}

// delta writes more of the part. Signatures wait for the end of their item.
func (e *encoder) delta(w *wire.Writer, ev *conversation.Event) {
	switch e.part.Kind {
	case conversation.ToolCall:
		if ev.Delta != "" {
			e.said = append(e.said, ev.Delta...)
			e.piece(w, "response.function_call_arguments.delta", ev.Delta)
		}
	case conversation.Thinking:
		e.thought(w, ev)
	default:
		if ev.Delta != "" {
			e.words(w, ev.Delta)
		}
	}
}

func (e *encoder) piece(w *wire.Writer, kind, text string) {
	if e.item == callItem {
		e.beginAt(w, kind)
	} else {
		e.beginIn(w, kind)
	}
	w.Name("delta").String(text)
	if e.item == messageItem && e.kind == conversation.Text {
		w.Name("logprobs").Raw("[]")
	}
	end(w)
}

// thought writes more of a thought, if the caller asked for it: a client that does sends it back, too.
func (e *encoder) thought(w *wire.Writer, ev *conversation.Event) {
	if ev.Delta == "" && ev.Signature == "" || e.part.Sealed != "" || !e.show {
		return
	}
	if e.item != reasoningItem {
		e.openItem(w, reasoningItem)
	}
	e.part.Signature += ev.Signature
	if ev.Delta == "" {
		return
	}
	if !e.partOpen {
		e.partOpen = true
		e.beginIn(w, "response.reasoning_summary_part.added")
		writeSummary(w.Name("part"), "")
		end(w)
	}
	e.said = append(e.said, ev.Delta...)
	e.piece(w, "response.reasoning_summary_text.delta", ev.Delta)
}

// words writes more of a text or a refusal.
func (e *encoder) words(w *wire.Writer, text string) {
	if e.item != messageItem {
		e.openItem(w, messageItem)
	}
	if e.partOpen && e.kind != e.part.Kind {
		e.closeContent(w)
	}
	if !e.partOpen {
		e.partOpen, e.kind = true, e.part.Kind
		e.beginIn(w, "response.content_part.added")
		writeContent(w.Name("part"), e.kind, "")
		end(w)
	}
	e.said = append(e.said, text...)
	if e.kind == conversation.Refusal {
		e.piece(w, "response.refusal.delta", text)
	} else {
		e.piece(w, "response.output_text.delta", text)
	}
}

// finish writes the end of the last item, and the event that repeats the whole.
func (e *encoder) finish(w *wire.Writer, ev *conversation.Event) {
	status, reason := ending(ev.Stop.Reason)
	e.closeItem(w, status)
	e.begin(w, "response."+status)
	e.head.write(w.Name("response"), status, reason, string(e.items.Buf), ev.Usage)
	end(w)
}
