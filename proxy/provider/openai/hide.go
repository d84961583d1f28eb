package openai

import (
	"bytes"

	"github.com/sluice-gateway/sluice/proxy/token"
)

// AppendWithoutUsage appends a chunk without its "usage" to dst: for a client that did not ask for it when
// the gateway did. Data that is not an object is appended as it is.
func AppendWithoutUsage(dst, data []byte) []byte {
	const usage = `"usage"`
	if !bytes.Contains(data, []byte(usage)) {
		return append(dst, data...)
	}
	r := token.Open(data)
	defer r.Close()
	if r.Kind() != '{' {
		return append(dst, data...)
	}
	start := len(dst)
	dst = append(dst, '{')
	for name := range r.Members {
		from := r.Offset() - len(name)
		hidden := string(name) == usage
		r.Value()
		if hidden {
			continue
		}
		if len(dst) > start+1 {
			dst = append(dst, ',')
		}
		dst = append(dst, data[from:r.Offset()]...)
	}
	if !r.End() {
		return append(dst[:start], data...)
	}
	return append(dst, '}')
}
