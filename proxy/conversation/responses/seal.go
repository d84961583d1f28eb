package responses

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// What another vendor signed or sealed travels to the caller as encrypted_content, under a prefix that tells it from
// what this dialect's own vendor encrypts: only the vendor that made it may get it back.
const (
	signedPrefix = "sluice-signature:"
	sealedPrefix = "sluice-sealed:"
)

// seal returns the encrypted_content of a thought; empty: there is none.
func seal(p *conversation.Part) string {
	switch {
	case p.Sealed != "":
		return sealedPrefix + p.Sealed
	case p.Signature != "":
		return signedPrefix + p.Signature
	}
	return ""
}

// unseal puts into a thought what seal made of one, and reports whether it was that.
func unseal(p *conversation.Part, encrypted string) bool {
	if s, ok := strings.CutPrefix(encrypted, sealedPrefix); ok {
		p.Sealed = s
		return true
	}
	s, ok := strings.CutPrefix(encrypted, signedPrefix)
	p.Signature = s
	if !ok {
		p.Signature = ""
	}
	return ok
}

// thoughts joins the paragraphs of a thought, of which there may be many.
type thoughts struct{ strings.Builder }

// add puts a paragraph behind the others; an empty one is none.
func (t *thoughts) add(text string) {
	if text == "" {
		return
	}
	if t.Len() > 0 {
		t.WriteString(paragraph)
	}
	t.WriteString(text)
}

const paragraph = "\n\n"
