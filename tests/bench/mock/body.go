package mock

import (
	"bytes"
	"fmt"
	"strings"
)

// Extra is how many events a stream of chat completions has beside the content that was asked for: the role, the
// finish and the terminator.
const Extra = 3

// voice is what an upstream answers at one endpoint, framed for HTTP/1.1.
type voice struct {
	answer []byte
	// A stream is head, then content as often as was asked for, then tail.
	head, content, tail []byte
}

// chat speaks chat completions.
func chat(length int) voice {
	const (
		chunk = `{"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1700000000,"model":"bench","system_fingerprint":"fp_bench","choices":[{"index":0,"delta":`
		head  = `{"id":"chatcmpl-bench","object":"chat.completion","created":1700000000,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":"`
		tail  = `"},"finish_reason":"stop"}],"usage":{"prompt_tokens":400,"completion_tokens":160,"total_tokens":560}}`
	)
	return voice{
		answer:  answer(length, head, tail),
		head:    begin(event(chunk + `{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}`)),
		content: chunked(event(chunk + `{"content":" token"},"logprobs":null,"finish_reason":null}]}`)),
		tail:    end(event(chunk+`{},"logprobs":null,"finish_reason":"stop"}]}`) + event("[DONE]")),
	}
}

// messages speaks the Anthropic API.
func messages(length int) voice {
	const (
		head = `{"id":"msg_bench","type":"message","role":"assistant","model":"bench","content":[{"type":"text","text":"`
		tail = `"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":400,"output_tokens":160}}`
	)
	return voice{
		answer: answer(length, head, tail),
		head: begin(typed("message_start", `"message":{"id":"msg_bench","type":"message","role":"assistant","model":"bench","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":400,"output_tokens":1}}`) +
			typed("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`)),
		content: chunked(typed("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":" token"}`)),
		tail: end(typed("content_block_stop", `"index":0`) + typed("message_delta", `"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":160}`) +
			typed("message_stop", `"x":0`)),
	}
}

func event(data string) string { return "data: " + data + "\n\n" }

func typed(kind, members string) string {
	return "event: " + kind + "\n" + event(`{"type":"`+kind+`",`+members+`}`)
}

func chunked(s string) []byte { return fmt.Appendf(nil, "%x\r\n%s\r\n", len(s), s) }

func begin(events string) []byte {
	return append([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"), chunked(events)...)
}

func end(events string) []byte { return append(chunked(events), "0\r\n\r\n"...) }

// answer renders a whole response whose body is exactly length bytes, or the shortest that is valid.
func answer(length int, head, tail string) []byte {
	body := head + strings.Repeat("x", max(length-len(head)-len(tail), 1)) + tail
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// native is the path at which the Anthropic API is asked; all others are chat completions.
var native = []byte("/v1/messages ")

func isNative(line []byte) bool { return bytes.Contains(line, native) }
