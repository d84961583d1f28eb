package messages

import "strings"

// version is what the name of a model says about it, as major × 100 + minor: 407 for claude-opus-4-7. What a request
// may hold depends on it. A Claude without a number is taken for the newest; a model that is no Claude, of a server
// that is compatible, is 0.
type version int

// The versions from which something holds.
const (
	newest version = 9999
	// since35 and since37 answer with more tokens than those before.
	since35 version = 305
	since37 version = 307
	// adaptive decide themselves how long to think, at a level of effort; the others take a budget of tokens.
	adaptive version = 406
	// unsampled take no sampling settings, and know the level xhigh.
	unsampled version = 407
)

func versionOf(model string) version {
	i := strings.LastIndex(model, "claude")
	if i < 0 {
		return 0
	}
	words := strings.FieldsFunc(model[i:], func(c rune) bool { return c == '-' || c == '.' || c == '@' || c == '_' || c == ':' || c == '/' })
	for k, word := range words {
		major, ok := small(word)
		if !ok {
			continue
		}
		minor := 0
		if k+1 < len(words) {
			minor, _ = small(words[k+1])
		}
		return version(major*100 + minor)
	}
	return newest
}

// small reads a number of one or two digits: longer ones are dates.
func small(word string) (int, bool) {
	if len(word) == 0 || len(word) > 2 {
		return 0, false
	}
	n := 0
	for i := range len(word) {
		if word[i] < '0' || word[i] > '9' {
			return 0, false
		}
		n = n*10 + int(word[i]-'0')
	}
	return n, true
}

// maxTokens is what bounds an answer where the request does not: this dialect must. It is what all models of the
// version can answer with, up to 32,000; models that are no Claude get what servers commonly take.
func (v version) maxTokens() int64 {
	switch {
	case v == 0:
		return 8192
	case v < since35:
		return 4096
	case v < since37:
		return 8192
	}
	return 32000
}
