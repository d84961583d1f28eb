package demo

import (
	"strings"
)

// echoWords is how many words of the last user message are said back, so that a long prompt does not
// become a long answer.
const echoWords = 100

// reply is a whole answer, cut into its tokens. A token is a word with the space after it.
type reply struct {
	tokens       []string
	finish       string
	promptTokens int
}

// answer returns what the upstream called name has to say to the request. Equal requests have equal answers.
func answer(name string, r *chatRequest) reply {
	out := reply{finish: "stop"}
	said := ""
	for _, m := range r.Messages {
		words := strings.Fields(string(m.Content))
		out.promptTokens += len(words)
		if m.Role == "user" {
			said = shorten(words)
		}
	}
	line := name + " here. You said: " + said
	if said == "" {
		line = name + " here. You said nothing."
	}
	out.tokens = strings.SplitAfter(line, " ")
	if limit := r.limit(); limit != nil && *limit < len(out.tokens) {
		out.tokens, out.finish = out.tokens[:*limit], "length"
	}
	return out
}

func shorten(words []string) string {
	if len(words) > echoWords {
		return strings.Join(words[:echoWords], " ") + " …"
	}
	return strings.Join(words, " ")
}

// usage counts words, which is what a token is here.
type usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

func (r reply) usage() *usage {
	return &usage{r.promptTokens, len(r.tokens), r.promptTokens + len(r.tokens)}
}
