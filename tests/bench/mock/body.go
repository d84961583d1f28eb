package mock

import (
	"fmt"
	"strings"
)

// Extra is how many events a stream has beside the content that was asked for: the role, the finish
// and the terminator.
const Extra = 3

const chunkHead = `{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","system_fingerprint":"fp_bench","choices":[{"index":0,"delta":`

var (
	contentChunk = chunked(event(chunkHead + `{"content":" token"},"logprobs":null,"finish_reason":null}]}`))
	streamHead   = append([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"),
		chunked(event(chunkHead+`{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`))...)
	streamTail = append(chunked(event(chunkHead+`{},"logprobs":null,"finish_reason":"stop"}]}`)+event("[DONE]")), "0\r\n\r\n"...)
)

func event(data string) string { return "data: " + data + "\n\n" }

func chunked(s string) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(s), s) }

// answer renders a whole response whose body is exactly length bytes, or the shortest that is valid.
func answer(length int) []byte {
	const head = `{"id":"chatcmpl-bench","object":"chat.completion","created":1700000000,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":"`
	const tail = `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":400,"completion_tokens":160,"total_tokens":560}}`
	body := head + strings.Repeat("x", max(length-len(head)-len(tail), 1)) + tail
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}
