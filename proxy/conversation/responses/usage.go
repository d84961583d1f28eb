package responses

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
		case "input_tokens":
			u.Input = r.Count()
		case "output_tokens":
			u.Output = r.Count()
		case "input_tokens_details", "output_tokens_details":
			details(r, &u)
		default:
			r.Skip()
		}
	}
	return u
}

func details(r *wire.Reader, u *conversation.Usage) {
	if r.Kind() != '{' {
		r.Skip()
		return
	}
	for name := range r.Members {
		switch string(name) {
		case "cached_tokens":
			u.Cached = r.Count()
		case "cache_write_tokens":
			u.CacheWrites = r.Count()
		case "reasoning_tokens":
			u.Thought = r.Count()
		default:
			r.Skip()
		}
	}
}

// writeUsage writes the tokens, or null where the upstream has not told them.
func writeUsage(w *wire.Writer, u conversation.Usage) {
	if !u.Known {
		w.Raw("null")
		return
	}
	w.Object()
	w.Name("input_tokens").Int(u.Input)
	w.Name("input_tokens_details").Object()
	w.Name("cached_tokens").Int(u.Cached)
	w.Name("cache_write_tokens").Int(u.CacheWrites)
	w.EndObject()
	w.Name("output_tokens").Int(u.Output)
	w.Name("output_tokens_details").Object()
	w.Name("reasoning_tokens").Int(u.Thought)
	w.EndObject()
	w.Name("total_tokens").Int(u.Input + u.Output)
	w.EndObject()
}
