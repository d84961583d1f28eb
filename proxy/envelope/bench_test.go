package envelope

import (
	"io"
	"strings"
	"testing"
)

func BenchmarkParseAndRewrite(b *testing.B) {
	chat := `{"model":"gpt-4o","stream":true,"messages":[{"role":"system","content":"` + strings.Repeat("You are helpful. ", 60) +
		`"},{"role":"user","content":"` + strings.Repeat(`hello\n world `, 70) + `"}],"temperature":0.7}`
	image := `{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("abcdEFGH", 10<<17) + `"}}]}]}`
	turn := `{"role":"user","content":[{"type":"text","text":"and then?"}]},{"role":"assistant","content":"` + strings.Repeat("This. ", 40) + `"},`
	agent := `{"model":"gpt-4o","messages":[` + strings.Repeat(turn, 30) + `{"role":"user","content":"go"}],"tools":[` +
		strings.Repeat(`{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}},`, 20) + `{}],"max_tokens":500}`
	for _, c := range []struct{ name, body string }{{"chat-2KiB", chat}, {"agent-14KiB", agent}, {"image-10MiB", image}} {
		b.Run(c.name, func(b *testing.B) {
			raw := []byte(c.body)
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				e, err := Parse(raw, Chat)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, e.Body("upstream-model", Options{}).Reader()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
