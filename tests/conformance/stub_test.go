package conformance

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// stub answers in the words of its API whatever path it is asked at that it knows, as a stream if that is asked for.
type stub struct {
	path  string // how the path of a request ends
	whole string
	// events are those of a stream.
	events []string
}

// speak serves the first stub that the path is one of, to the gateway's credential only.
func speak(stubs ...stub) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model  string
			Stream bool
		}
		credential := r.Header.Get("Authorization") + r.Header.Get("Api-Key") + r.Header.Get("X-Api-Key")
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.Model != "up" || strings.TrimPrefix(credential, "Bearer ") != "sk-of-the-gateway" {
			http.Error(w, "the stub takes no such request", http.StatusTeapot)
			return
		}
		for _, s := range stubs {
			if !strings.HasSuffix(r.URL.Path, s.path) {
				continue
			}
			if !body.Stream {
				w.Header().Set("Content-Type", "application/json")
				io.WriteString(w, s.whole)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			for _, e := range s.events {
				io.WriteString(w, e)
				http.NewResponseController(w).Flush()
			}
			return
		}
		http.NotFound(w, r)
	}
}

// refuse answers with that status and body.
func refuse(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func data(d string) string { return "data: " + d + "\n\n" }

// named is an event whose name is its type.
func named(kind, members string) string {
	return "event: " + kind + "\n" + data(`{"type":"`+kind+`"`+members+`}`)
}

// openAI are the endpoints of an OpenAI-compatible server.
var openAI = []stub{
	{
		path:  "/chat/completions",
		whole: `{"id":"c","object":"chat.completion","model":"up","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`,
		events: []string{
			data(`{"id":"c","object":"chat.completion.chunk","model":"up","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`),
			data(`{"id":"c","object":"chat.completion.chunk","model":"up","choices":[{"index":0,"delta":{"content":"hel"}}]}`),
			data(`{"id":"c","object":"chat.completion.chunk","model":"up","choices":[{"index":0,"delta":{"content":"lo"}}]}`),
			data(`{"id":"c","object":"chat.completion.chunk","model":"up","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`), data("[DONE]"),
		},
	},
	{
		path:  "/completions",
		whole: `{"id":"c","object":"text_completion","model":"up","choices":[{"index":0,"text":"hello","finish_reason":"stop"}]}`,
		events: []string{
			data(`{"id":"c","object":"text_completion","model":"up","choices":[{"index":0,"text":"hello","finish_reason":null}]}`),
			data(`{"id":"c","object":"text_completion","model":"up","choices":[{"index":0,"text":"","finish_reason":"stop"}]}`), data("[DONE]"),
		},
	},
	{
		path:  "/responses",
		whole: `{"id":"resp_1","object":"response","status":"completed","error":null,"model":"up","output":[` + message + `],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`,
		events: []string{
			named("response.created", `,"sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}`),
			named("response.output_text.delta", `,"sequence_number":1,"item_id":"m","output_index":0,"content_index":0,"delta":"hel"`),
			named("response.output_text.delta", `,"sequence_number":2,"item_id":"m","output_index":0,"content_index":0,"delta":"lo"`),
			named("response.completed", `,"sequence_number":3,"response":{"id":"resp_1","object":"response","status":"completed","output":[`+message+`],"usage":{"input_tokens":3,"output_tokens":2}}`),
		},
	},
	{path: "/embeddings", whole: `{"object":"list","model":"up","data":[{"object":"embedding","index":0,"embedding":[0.5,-1e-7]}],"usage":{"prompt_tokens":3,"total_tokens":3}}`},
	{path: "/rerank", whole: `{"results":[{"index":0,"relevance_score":0.5}]}`},
	{path: "/moderations", whole: `{"id":"modr","model":"up","results":[{"flagged":true,"categories":{},"category_scores":{}}]}`},
	{path: "/images/generations", whole: `{"created":1,"data":[{"b64_json":"AAAA"}]}`},
}

const message = `{"id":"m","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hello","annotations":[]}]}`

// anthropicAPI are the endpoints of the Anthropic API.
var anthropicAPI = []stub{
	{path: "/messages/count_tokens", whole: `{"input_tokens":2095}`},
	{
		path:  "/messages",
		whole: `{"id":"msg_1","type":"message","role":"assistant","model":"up","content":[{"type":"text","text":"hello"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}`,
		events: []string{
			named("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"up","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}`),
			named("ping", ""), named("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`),
			named("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"hel"}`), named("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"lo"}`),
			named("content_block_stop", `,"index":0`), named("message_delta", `,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}`), named("message_stop", ""),
		},
	},
}

// cut returns the endpoints with streams that break off after n events.
func cut(stubs []stub, n int) []stub {
	var out []stub
	for _, s := range stubs {
		s.events = s.events[:min(n, len(s.events))]
		out = append(out, s)
	}
	return out
}
