package messages

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// counts are the tokens as this dialect tells them: input does not count what was read from a cache or written to one.
type counts struct {
	input, cacheReads, cacheWrites, output, thought int64
	known                                           bool
}

// read adds what a usage tells. The events of a stream tell it several times, and not all of it each time; none of the
// counts becomes less.
func (c *counts) read(r *wire.Reader) {
	if r.Kind() != '{' {
		r.Skip()
		return
	}
	c.known = true
	for name := range r.Members {
		switch string(name) {
		case "input_tokens":
			c.input = max(c.input, r.Count())
		case "cache_read_input_tokens":
			c.cacheReads = max(c.cacheReads, r.Count())
		case "cache_creation_input_tokens":
			c.cacheWrites = max(c.cacheWrites, r.Count())
		case "output_tokens":
			c.output = max(c.output, r.Count())
		case "output_tokens_details":
			c.details(r)
		default:
			r.Skip()
		}
	}
}

func (c *counts) details(r *wire.Reader) {
	if r.Kind() != '{' {
		r.Skip()
		return
	}
	for name := range r.Members {
		if string(name) == "thinking_tokens" {
			c.thought = max(c.thought, r.Count())
			continue
		}
		r.Skip()
	}
}

func (c *counts) usage() conversation.Usage {
	return conversation.Usage{
		Input: c.input + c.cacheReads + c.cacheWrites, Cached: c.cacheReads, CacheWrites: c.cacheWrites,
		Output: c.output, Thought: c.thought, Known: c.known,
	}
}

// writeUsage writes the tokens; what is not known is 0, for clients want numbers.
func writeUsage(w *wire.Writer, u conversation.Usage) {
	w.Object()
	w.Name("input_tokens").Int(max(u.Input-u.Cached-u.CacheWrites, 0))
	w.Name("cache_creation_input_tokens").Int(u.CacheWrites)
	w.Name("cache_read_input_tokens").Int(u.Cached)
	w.Name("output_tokens").Int(u.Output)
	if u.Thought > 0 {
		w.Name("output_tokens_details").Object()
		w.Name("thinking_tokens").Int(u.Thought)
		w.EndObject()
	}
	w.EndObject()
}
