package openai

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/proxy/provider"
	"github.com/sluice-gateway/sluice/proxy/token"
)

func (w *walker) usage(r *token.Reader) {
	if r.Kind() == '{' {
		w.Usage, w.HasUsage = readUsage(r), true
		return
	}
	r.Value()
}

// readUsage reads the counts in the words of chats and of responses; a total that is not told is their sum.
func readUsage(r *token.Reader) provider.Usage {
	var u provider.Usage
	for name := range r.Members {
		switch string(token.Text(name)) {
		case "prompt_tokens", "input_tokens":
			u.Prompt = max(u.Prompt, count(r.Value()))
		case "completion_tokens", "output_tokens":
			u.Completion = max(u.Completion, count(r.Value()))
		case "total_tokens":
			u.Total = count(r.Value())
		case "prompt_tokens_details", "input_tokens_details":
			u.Cached = max(u.Cached, countIn(r, "cached_tokens"))
		case "completion_tokens_details", "output_tokens_details":
			u.Reasoning = max(u.Reasoning, countIn(r, "reasoning_tokens"))
		default:
			r.Value()
		}
	}
	if u.Total == 0 {
		u.Total = u.Prompt + u.Completion
	}
	return u
}

// countIn consumes a value and returns the count that its member of that name holds.
func countIn(r *token.Reader, member string) int64 {
	var n int64
	for name := range r.Members {
		v := r.Value()
		if string(token.Text(name)) == member {
			n = count(v)
		}
	}
	return n
}

// maxCount is the largest count that every JSON reader takes exactly.
const maxCount = 1 << 53

// count returns a value if it is a number of tokens, else zero.
func count(v jsontext.Value) int64 {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || !(f >= 0 && f <= maxCount) {
		return 0
	}
	return int64(f)
}
