package anthropic

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/proxy/provider"
	"github.com/sluice-gateway/sluice/proxy/token"
)

// usage reads the counts. The tokens that came from the cache or went there are not among the input_tokens, but are
// part of the prompt.
func (w *walker) usage(r *token.Reader) {
	if r.Kind() != '{' {
		r.Value()
		return
	}
	w.HasUsage = true
	var u provider.Usage
	var stored int64
	for name := range r.Members {
		switch v := r.Value(); string(token.Text(name)) {
		case "input_tokens":
			u.Prompt = count(v)
		case "cache_read_input_tokens":
			u.Cached = count(v)
		case "cache_creation_input_tokens":
			stored = count(v)
		case "output_tokens":
			u.Completion = count(v)
		}
	}
	u.Prompt += u.Cached + stored
	u.Total = u.Prompt + u.Completion
	w.Usage = u
}

// maxCount bounds a count of tokens, so that sums of them stay numbers.
const maxCount = 1 << 53

// count returns a value if it is a number of tokens, else zero.
func count(v jsontext.Value) int64 {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err != nil || n < 0 || n > maxCount {
		return 0
	}
	return n
}
