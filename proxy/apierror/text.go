package apierror

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxEcho bounds what is repeated of a caller's own words.
const maxEcho = 200

// Text makes foreign text fit for a message: valid UTF-8 in one line, without control or invisible
// formatting characters, at most limit bytes, cut between characters.
func Text(s string, limit int) string {
	if len(s) > limit {
		cut := limit
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut]
	}
	return strings.TrimSpace(strings.Map(visible, strings.ToValidUTF8(s, "")))
}

// visible keeps what is seen, makes white space a blank and drops the rest.
func visible(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsPrint(r):
		return r
	}
	return -1
}
