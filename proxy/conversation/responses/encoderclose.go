package responses

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// closeContent closes the open part of a message.
func (e *encoder) closeContent(w *wire.Writer) {
	text := string(e.said)
	if e.kind == conversation.Refusal {
		e.beginIn(w, "response.refusal.done")
		w.Name("refusal").String(text)
	} else {
		e.beginIn(w, "response.output_text.done")
		w.Name("text").String(text)
		w.Name("logprobs").Raw("[]")
	}
	end(w)
	e.beginIn(w, "response.content_part.done")
	writeContent(w.Name("part"), e.kind, text)
	end(w)
	writeContent(&e.contents, e.kind, text)
	e.said, e.partOpen = e.said[:0], false
	e.content++
}

// closeSummary closes the text of a thought.
func (e *encoder) closeSummary(w *wire.Writer) {
	e.part.Text = string(e.said)
	e.beginIn(w, "response.reasoning_summary_text.done")
	w.Name("text").String(e.part.Text)
	end(w)
	e.beginIn(w, "response.reasoning_summary_part.done")
	writeSummary(w.Name("part"), e.part.Text)
	end(w)
	e.said, e.partOpen = e.said[:0], false
}

// closeItem closes the open item, if there is one, in that state.
func (e *encoder) closeItem(w *wire.Writer, status string) {
	if e.item == otherItem {
		return
	}
	if e.partOpen && e.item == messageItem {
		e.closeContent(w)
	} else if e.partOpen {
		e.closeSummary(w)
	}
	if e.item == callItem {
		e.closeArguments(w)
	}
	before := len(e.items.Buf)
	switch e.item {
	case messageItem:
		writeMessage(&e.items, e.id, status, string(e.contents.Buf))
	case callItem:
		writeCall(&e.items, e.id, status, &e.part.Call)
	case reasoningItem:
		writeReasoning(&e.items, e.id, &e.part)
	}
	if before > 0 {
		before++ // the comma
	}
	e.begin(w, "response.output_item.done")
	w.Name("output_index").Int(e.index)
	w.Name("item").Raw(string(e.items.Buf[before:]))
	end(w)
	e.item, e.contents.Buf = otherItem, e.contents.Buf[:0]
	e.index++
}

// closeArguments tells all of a call's arguments. There always are some, since clients parse them.
func (e *encoder) closeArguments(w *wire.Writer) {
	if len(e.said) == 0 {
		e.said = append(e.said, "{}"...)
		e.piece(w, "response.function_call_arguments.delta", "{}")
	}
	e.part.Call.Arguments = string(e.said)
	e.beginAt(w, "response.function_call_arguments.done")
	w.Name("name").String(e.part.Call.Name)
	w.Name("arguments").String(e.part.Call.Arguments)
	end(w)
	e.said = e.said[:0]
}
