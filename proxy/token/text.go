package token

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Text returns what a string says that a Reader has accepted; what is not Unicode in an escaped one is
// replaced. It allocates only for strings with escapes; the others it returns from where they are.
func Text(quoted jsontext.Value) []byte {
	text := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(text, '\\') >= 0 {
		// The only error is the replacement.
		text, _ = jsontext.AppendUnquote(nil, quoted)
	}
	return text
}
