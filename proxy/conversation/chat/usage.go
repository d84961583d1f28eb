package chat

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// usage reads the tokens of an answer; what is no object is not one.
func usage(r *wire.Reader) conversation.Usage {
	if r.Kind() != '{' {
		r.Skip()
		return conversation.Usage{}
	}
	u := conversation.Usage{Known: true}
	for name := range r.Members {
		switch string(name) {
		case "prompt_tokens":
			u.Input = r.Count()
		case "completion_tokens":
			u.Output = r.Count()
		case "prompt_tokens_details":
			u.Cached = detail(r, "cached_tokens")
		case "completion_tokens_details":
			u.Thought = detail(r, "reasoning_tokens")
		default:
			r.Skip()
		}
	}
	return u
}

func detail(r *wire.Reader, member string) int64 {
	if r.Kind() != '{' {
		r.Skip()
		return 0
	}
	var n int64
	for name := range r.Members {
		if string(name) == member {
			n = r.Count()
			continue
		}
		r.Skip()
	}
	return n
}

func writeUsage(w *wire.Writer, u conversation.Usage) {
	w.Object()
	w.Name("prompt_tokens").Int(u.Input)
	w.Name("completion_tokens").Int(u.Output)
	w.Name("total_tokens").Int(u.Input + u.Output)
	w.Name("prompt_tokens_details").Object()
	w.Name("cached_tokens").Int(u.Cached)
	w.EndObject()
	w.Name("completion_tokens_details").Object()
	w.Name("reasoning_tokens").Int(u.Thought)
	w.EndObject()
	w.EndObject()
}
