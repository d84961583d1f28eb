package responses

import (
	"strconv"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// itemID makes the id of an output item: by its kind, of the answer's id, and of its place.
func itemID(kind itemKind, bareID string, index int64) string {
	prefix := "msg_"
	switch kind {
	case callItem:
		prefix = "fc_"
	case reasoningItem:
		prefix = "rs_"
	}
	return prefix + bareID + "_" + strconv.FormatInt(index, 10)
}

// writeContent writes a part of a message.
func writeContent(w *wire.Writer, kind conversation.PartKind, text string) {
	w.Object()
	if kind == conversation.Refusal {
		w.Name("type").String("refusal")
		w.Name("refusal").String(text)
	} else {
		w.Name("type").String("output_text")
		w.Name("annotations").Raw("[]")
		w.Name("logprobs").Raw("[]")
		w.Name("text").String(text)
	}
	w.EndObject()
}

// writeMessage writes a message, whose parts are JSON.
func writeMessage(w *wire.Writer, id, status, content string) {
	w.Object()
	w.Name("id").String(id)
	w.Name("type").String("message")
	w.Name("status").String(status)
	w.Name("content").Raw("[" + content + "]")
	w.Name("role").String("assistant")
	w.EndObject()
}

func writeCall(w *wire.Writer, id, status string, c *conversation.Call) {
	w.Object()
	w.Name("id").String(id)
	w.Name("type").String("function_call")
	w.Name("status").String(status)
	w.Name("arguments").String(c.Arguments)
	w.Name("call_id").String(c.ID)
	w.Name("name").String(c.Name)
	w.EndObject()
}

// writeReasoning writes a thought, whose text is its summary.
func writeReasoning(w *wire.Writer, id string, p *conversation.Part) {
	w.Object()
	w.Name("id").String(id)
	w.Name("type").String("reasoning")
	w.Name("summary").Array()
	if p.Text != "" {
		writeSummary(w, p.Text)
	}
	w.EndArray()
	if sealed := seal(p); sealed != "" {
		w.Name("encrypted_content").String(sealed)
	}
	w.EndObject()
}

func writeSummary(w *wire.Writer, text string) {
	w.Object()
	w.Name("type").String("summary_text")
	w.Name("text").String(text)
	w.EndObject()
}
