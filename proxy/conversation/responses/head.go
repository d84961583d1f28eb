package responses

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// head is what a response object says beside its output and its end.
type head struct {
	id, model string
	created   int64
	settings  string // members that repeat the request
}

// write writes the response object. items is JSON without the brackets.
func (h *head) write(w *wire.Writer, status, reason, items string, u conversation.Usage) {
	w.Object()
	w.Name("id").String(h.id)
	w.Name("object").String("response")
	w.Name("created_at").Int(h.created)
	w.Name("status").String(status)
	w.Name("background").Bool(false)
	w.Name("error").Raw("null")
	if reason == "" {
		w.Name("incomplete_details").Raw("null")
	} else {
		w.Name("incomplete_details").Object()
		w.Name("reason").String(reason)
		w.EndObject()
	}
	w.Name("model").String(h.model)
	w.Name("output").Raw("[" + items + "]")
	writeUsage(w.Name("usage"), u)
	w.Raw(h.settings)
	w.EndObject()
}

// oneLine takes the line ends out of JSON, which stand between its tokens only.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

// settings writes the members that repeat what the request asked for, as clients expect; null: the model's own. They
// are one line, as events must be: a caller may spell its schemas in several.
func settings(r *conversation.Request) string {
	w := wire.Writer{Buf: make([]byte, 0, 1024)}
	if n := r.System; len(n) > 0 && n[0].At == instructionsAt {
		w.Name("instructions").String(n[0].Text)
	} else {
		w.Name("instructions").Raw("null")
	}
	if r.MaxTokens > 0 {
		w.Name("max_output_tokens").Int(r.MaxTokens)
	} else {
		w.Name("max_output_tokens").Raw("null")
	}
	w.Name("metadata").Raw("{}")
	w.Name("parallel_tool_calls").Bool(!r.OneTool)
	w.Name("previous_response_id").Raw("null")
	w.Name("reasoning").Object()
	if r.Reasoning.Effort != "" {
		w.Name("effort").String(r.Reasoning.Effort)
	} else {
		w.Name("effort").Raw("null")
	}
	w.Name("summary").Raw("null")
	w.EndObject()
	w.Name("service_tier").String("default")
	w.Name("store").Bool(false)
	number(w.Name("temperature"), r.Temperature)
	w.Name("text").Object()
	writeFormat(w.Name("format"), &r.Format)
	w.EndObject()
	writeToolChoice(w.Name("tool_choice"), r.ToolChoice)
	writeTools(w.Name("tools"), r.Tools)
	w.Name("top_logprobs").Int(0)
	number(w.Name("top_p"), r.TopP)
	w.Name("truncation").String("disabled")
	if r.User != "" {
		w.Name("user").String(r.User)
	}
	return oneLine.Replace(string(w.Buf))
}

func number(w *wire.Writer, f *float64) {
	if f == nil {
		w.Raw("null")
		return
	}
	w.Float(*f)
}
