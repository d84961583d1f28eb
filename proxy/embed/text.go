package embed

import (
	"strings"
	"unicode/utf8"
)

// DefaultTextLimit is in bytes. A token has one at the least, and the usual models take 8,192 tokens.
const DefaultTextLimit = 8 << 10

// Text prepares what is to be embedded: the parts on lines of their own, valid UTF-8, at most limit bytes, cut
// between characters. White space around a part is left out. It is empty if nothing is left: there is no text then,
// and nothing to embed.
func Text(parts []string, limit int) string {
	var b strings.Builder
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			if b.Len()+1 >= limit {
				break
			}
			b.WriteByte('\n')
		}
		// Cut before it is looked through: a prompt may be a thousand times the limit. What is left is beyond the limit
		// by a character, or else the next part would take the place of one that does not fit.
		b.WriteString(strings.ToValidUTF8(cut(part, limit+utf8.UTFMax), string(utf8.RuneError)))
	}
	return cut(b.String(), limit)
}

// cut returns the longest beginning of s of at most limit bytes that does not end within a character.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for back := range utf8.UTFMax {
		if at := limit - back; at >= 0 && utf8.RuneStart(s[at]) {
			return s[:at]
		}
	}
	return s[:max(limit, 0)]
}
