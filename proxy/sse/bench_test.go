package sse

import (
	"bytes"
	"strings"
	"testing"
)

const chunk = `{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-4.1","choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}]}`

// endless repeats one text, a part at a time, and allocates nothing.
type endless struct {
	text string
	size int
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), e.size)], e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func TestReadingAStreamAllocatesNothingPerEvent(t *testing.T) {
	text := "event: x\r\ndata: " + chunk + "\r\n\r\n: ping\n\ndata: " + strings.Repeat("a", 10_000) + "\ndata: b\n\n"
	for _, size := range []int{100, 1400, 1 << 20} {
		r := NewReader(&endless{text: text, size: size}, 0)
		next := func() {
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			r.Buffered()
		}
		for range 10 {
			next()
		}
		if got := testing.AllocsPerRun(200, next); got != 0 {
			t.Errorf("%d bytes a read: got %v allocations per event, want 0", size, got)
		}
		r.Close()
	}
}

func BenchmarkReader(b *testing.B) {
	for _, c := range []struct {
		name, text string
		size       int
	}{
		{"chunk", "data: " + chunk + "\n\n", 1 << 20},
		{"chunk-crlf", "data: " + chunk + "\r\n\r\n", 1 << 20},
		{"chunk-a-read", "data: " + chunk + "\n\n", len(chunk) + 8},
		{"named", "event: content_block_delta\ndata: " + chunk + "\n\n", 1 << 20},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			r := NewReader(&endless{text: c.text, size: c.size}, 0)
			for b.Loop() {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLargeEvent(b *testing.B) {
	stream := AppendEvent(nil, nil, bytes.Repeat([]byte("a"), 1<<20))
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	r := NewReader(&endless{text: string(stream), size: 32 << 10}, 0)
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	b.ReportAllocs()
	data, dst := []byte(chunk), make([]byte, 0, 1<<10)
	for b.Loop() {
		dst = AppendEvent(dst[:0], nil, data)
	}
}
