package conversation_test

import (
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// Exchanges of some 2 KiB: a request and its answer, by the caller's dialect and the upstream's.
var (
	askChat = `{"model":"m","messages":[{"role":"system","content":"` + strings.Repeat("You are helpful. ", 30) + `"},{"role":"user","content":"` + strings.Repeat(`Hello\n world. `, 40) +
		`"}],"temperature":0.7,"max_tokens":500,"tools":[{"type":"function","function":{"name":"get","description":"Gets.","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}}]}`
	askMessages = `{"model":"m","max_tokens":500,"system":"` + strings.Repeat("You are helpful. ", 30) + `","messages":[{"role":"user","content":[{"type":"text","text":"` + strings.Repeat(`Hello\n world. `, 40) +
		`"}]}],"temperature":0.7,"tools":[{"name":"get","description":"Gets.","input_schema":{"type":"object","properties":{"x":{"type":"string"}}}}]}`
	askResponses = `{"model":"m","instructions":"` + strings.Repeat("You are helpful. ", 30) + `","input":[{"role":"user","content":"` + strings.Repeat(`Hello\n world. `, 40) +
		`"}],"temperature":0.7,"max_output_tokens":500,"tools":[{"type":"function","name":"get","description":"Gets.","parameters":{"type":"object","properties":{"x":{"type":"string"}}},"strict":false}]}`
	sayResponses = `{"id":"resp_1","object":"response","created_at":1741569952,"status":"completed","error":null,"model":"m","output":[{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"text":"` + strings.Repeat("Words. ", 60) +
		`"}]}],"usage":{"input_tokens":19,"input_tokens_details":{"cached_tokens":0},"output_tokens":10,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":29}}`
	sayChat = `{"id":"chatcmpl-1","object":"chat.completion","created":1741569952,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"` + strings.Repeat("Words. ", 60) +
		`","refusal":null},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,"prompt_tokens_details":{"cached_tokens":0}}}`
	sayMessages = `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"` + strings.Repeat("Words. ", 60) +
		`"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":19,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":10}}`
)

func BenchmarkExchange(b *testing.B) {
	for _, c := range []struct{ caller, upstream, ask, say string }{
		{"chat", "messages", askChat, sayMessages}, {"messages", "chat", askMessages, sayChat},
		{"responses", "chat", askResponses, sayChat}, {"responses", "messages", askResponses, sayMessages},
		{"chat", "responses", askChat, sayResponses}, {"messages", "responses", askMessages, sayResponses},
	} {
		b.Run(c.caller+" to "+c.upstream, func(b *testing.B) {
			caller, upstream := codecs[c.caller], codecs[c.upstream]
			ask, say := []byte(c.ask), []byte(c.say)
			b.SetBytes(int64(len(ask) + len(say)))
			b.ReportAllocs()
			for b.Loop() {
				r, _, err := caller.DecodeRequest(ask)
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := upstream.EncodeRequest(r, "claude-sonnet-4-5"); err != nil {
					b.Fatal(err)
				}
				a, err := upstream.DecodeAnswer(say)
				if err != nil {
					b.Fatal(err)
				}
				caller.EncodeAnswer(r, a)
			}
		})
	}
}

func BenchmarkEvent(b *testing.B) {
	type flow struct {
		begin []string
		event string
	}
	chunks := flow{nil, `{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"gpt-4.1","choices":[{"index":0,"delta":{"content":"Hello"},"logprobs":null,"finish_reason":null}]}`}
	blocks := flow{[]string{`{"type":"message_start","message":{"id":"msg_1","model":"m"}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`},
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`}
	items := flow{[]string{`{"type":"response.created","response":{"id":"resp_1","model":"m"}}`, `{"type":"response.output_item.added","output_index":0,"item":{"type":"message"}}`},
		`{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_68af4030592c81938ec0a5fbab4a3e9f05438e46b5f69a3b","output_index":0,"content_index":0,"delta":"Hello","logprobs":[],"obfuscation":"wvIxGHUUpcyp"}`}
	for _, c := range []struct {
		upstream, caller string
		flow
	}{{"chat", "messages", chunks}, {"messages", "chat", blocks}, {"responses", "chat", items}, {"responses", "messages", items}, {"chat", "responses", chunks}, {"messages", "responses", blocks}} {
		b.Run(c.upstream+" to "+c.caller, func(b *testing.B) {
			d, e := codecs[c.upstream].NewDecoder(), codecs[c.caller].NewEncoder(&conversation.Request{})
			var events []conversation.Event
			var out []byte
			relay := func(data []byte) {
				events, _, _ = d.Decode(events[:0], nil, data)
				out = out[:0]
				for i := range events {
					out = e.Append(out, &events[i])
				}
			}
			for _, data := range c.begin {
				relay([]byte(data))
			}
			event := []byte(c.event)
			b.ReportAllocs()
			for b.Loop() {
				relay(event)
			}
			if len(out) == 0 {
				b.Fatal("the event says nothing")
			}
		})
	}
}
