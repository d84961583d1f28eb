package openai

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// AppendWithoutUsage appends a chunk without its "usage" to dst: for a client that did not ask for it when
// the gateway did. Data that is not an object is appended as it is.
func AppendWithoutUsage(dst, data []byte) []byte {
	const usage = `"usage"`
	if !bytes.Contains(data, []byte(usage)) {
		return append(dst, data...)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if open, err := dec.ReadToken(); err != nil || open.Kind() != '{' {
		return append(dst, data...)
	}
	start := len(dst)
	dst = append(dst, data[:dec.InputOffset()]...)
	first := true
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		from := int(dec.InputOffset()) - len(name)
		hidden := string(name) == usage
		if err != nil || dec.SkipValue() != nil {
			return append(dst[:start], data...)
		}
		if hidden {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, data[from:dec.InputOffset()]...)
	}
	return append(dst, '}')
}
