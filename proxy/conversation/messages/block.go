package messages

import (
	"strconv"
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// writeInput writes the arguments of a call, which must be an object here. Empty ones are {}; what a model wrote that
// is no object stands as a string in the member "arguments" of one, so that nothing is lost.
func writeInput(w *wire.Writer, arguments string) {
	switch object := strings.TrimSpace(arguments); {
	case object == "":
		w.Raw("{}")
	case isObject(object):
		w.Raw(object)
	default:
		w.Object()
		w.Name("arguments").String(arguments)
		w.EndObject()
	}
}

func isObject(text string) bool {
	r := token.Open([]byte(text))
	defer r.Close()
	if r.Kind() != '{' {
		return false
	}
	r.Value()
	return r.End()
}

func writeThinking(w *wire.Writer, p *conversation.Part) {
	w.Object()
	if p.Sealed != "" {
		w.Name("type").String("redacted_thinking")
		w.Name("data").String(p.Sealed)
	} else {
		w.Name("type").String("thinking")
		w.Name("thinking").String(p.Text)
		w.Name("signature").String(p.Signature)
	}
	w.EndObject()
}

// plainID makes of a call's id one that this dialect takes: letters, digits, _ and -. Other bytes become an underscore
// and two hexadecimal digits. The same id always becomes the same, so that calls and results still match.
func plainID(id string) string {
	if conversation.ToolName(id, len(id)) {
		return id
	}
	out := make([]byte, 0, len(id)+8)
	for i := range len(id) {
		if conversation.ToolName(id[i:i+1], 1) {
			out = append(out, id[i])
			continue
		}
		out = append(out, '_')
		if id[i] < 16 {
			out = append(out, '0')
		}
		out = strconv.AppendUint(out, uint64(id[i]), 16)
	}
	return string(out)
}
