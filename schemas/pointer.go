package schemas

import (
	"net/url"
	"strconv"
	"strings"
)

// pointer is a JSON pointer (RFC 6901) as its unescaped tokens.
type pointer []string

// String returns the pointer as RFC 6901 spells it.
func (p pointer) String() string {
	var b strings.Builder
	for _, token := range p {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(token))
	}
	return b.String()
}

func (p pointer) child(token string) pointer { return append(p[:len(p):len(p)], token) }

// parseLocation reads a location as jsonschema writes it: a pointer whose tokens are escaped for a URL too.
func parseLocation(s string) pointer {
	var p pointer
	for token := range strings.SplitSeq(strings.TrimPrefix(s, "/"), "/") {
		if plain, err := url.PathUnescape(token); err == nil {
			token = plain
		}
		p = append(p, strings.NewReplacer("~1", "/", "~0", "~").Replace(token))
	}
	if s == "" {
		return nil
	}
	return p
}

// find returns what p points to below v, nil when there is nothing.
func (p pointer) find(v any) any {
	for _, token := range p {
		switch in := v.(type) {
		case map[string]any:
			v = in[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// field returns the pointer as a person would write it, such as targets[0].weight. root is what it points into.
func (p pointer) field(root any) string {
	if len(p) == 0 {
		return "the resource"
	}
	var b strings.Builder
	for i, token := range p {
		switch p[:i].find(root).(type) {
		case []any:
			b.WriteString("[" + token + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(plain(token))
	}
	return b.String()
}

// plain returns a field's name as it is when it reads well and quoted otherwise, always short.
func plain(name string) string {
	odd := func(r rune) bool { return r <= ' ' || r == '.' || r == '"' || r > '~' }
	if name == "" || len(name) > shownRunes || strings.ContainsFunc(name, odd) {
		return quote(name)
	}
	return name
}

// shownRunes is how much of a caller's text a message repeats: enough to recognise it by.
const shownRunes = 48

func quote(s string) string {
	n := 0
	for i := range s {
		if n++; n > shownRunes {
			return strconv.Quote(s[:i]) + "…"
		}
	}
	return strconv.Quote(s)
}
