package openai

import (
	"strings"
	"testing"
)

var benchChunks = []struct{ name, data string }{
	{"content", `{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-4.1-2025-04-14","service_tier":"default","system_fingerprint":"fp_44709d6fcb","choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"Abcd12"}`},
	{"tool", chunkWith(`"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"city\":"}}]},"logprobs":null,"finish_reason":null`)},
	{"end", chunkWith(`"delta":{},"logprobs":null,"finish_reason":"stop"`)},
	{"usage", `{"id":"x","object":"chat.completion.chunk","created":1741569952,"model":"m","choices":[],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0}}}`},
	{"done", "[DONE]"},
}

// leastAllocs returns the fewest allocations of some runs: between two of them, a pool may lose what it holds.
func leastAllocs(f func()) float64 {
	least := testing.AllocsPerRun(1, f)
	for range 50 {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

func TestAUsualChunkAllocatesNothing(t *testing.T) {
	for _, c := range benchChunks {
		data := []byte(c.data)
		if got := leastAllocs(func() { Inspect(nil, data) }); got != 0 {
			t.Errorf("inspecting %s: got %v allocations, want 0", c.name, got)
		}
		dst := make([]byte, 0, len(data))
		if got := leastAllocs(func() { AppendWithoutUsage(dst, data) }); got != 0 {
			t.Errorf("hiding the usage of %s: got %v allocations, want 0", c.name, got)
		}
	}
}

func BenchmarkInspect(b *testing.B) {
	for _, c := range benchChunks {
		b.Run(c.name, func(b *testing.B) {
			data := []byte(c.data)
			b.ReportAllocs()
			for b.Loop() {
				Inspect(nil, data)
			}
		})
	}
}

func BenchmarkAppendWithoutUsage(b *testing.B) {
	data := []byte(benchChunks[0].data)
	dst := make([]byte, 0, len(data))
	b.ReportAllocs()
	for b.Loop() {
		AppendWithoutUsage(dst, data)
	}
}

func BenchmarkCheckAnswer(b *testing.B) {
	body := []byte(`{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"` + strings.Repeat(`Hello\n world. `, 300) + `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		CheckAnswer(body)
	}
}
