package dispatch_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
)

// endpointCase is one endpoint in the native words of the upstreams that serve it.
type endpointCase struct {
	path  string
	kinds []string
	// body asks "r" for a whole answer, with members that the gateway does not know; answer is one.
	body, answer string
	usage        dispatch.Usage
	// learns: attempts are samples of latency.
	learns bool
	// events are those of a stream, of which the first head come before its content; none: the endpoint has no streams.
	events []string
	head   int
	// failure is an event that reports an overload.
	failure string
	// refusal is a native error with status 400 whose message is "no such thing".
	refusal string
}

const odd = `"seed":9007199254740993, "x_vendor" : {"a":[1,null,-0,1.50,"\u00e9"]}`

const openAIRefusal = `{"error":{"message":"no such thing","type":"invalid_request_error","param":"x_vendor","code":"unknown"}}`

const anthropicRefusal = `{"type":"error","error":{"type":"invalid_request_error","message":"no such thing"},"request_id":"req_theirs"}`

func event(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

// typed is an event whose name is its type.
func typed(kind, members string) string {
	return event(kind, `{"type":"`+kind+`"`+members+`}`)
}

var endpointCases = []endpointCase{
	{
		path: "chat/completions", kinds: []string{"openai", "azure-openai"}, learns: true, refusal: openAIRefusal,
		body:   `{"model":"r",` + odd + `,"messages":[{"role":"user","content":"hi"}]}`,
		answer: `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5},"x":1.0}`,
		usage:  dispatch.Usage{Prompt: 3, Completion: 2},
		events: []string{role, token("a"), token("b"), stop, `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n", done}, head: 1, failure: failed,
	},
	{
		path: "completions", kinds: []string{"openai", "azure-openai"}, learns: true, refusal: openAIRefusal,
		body:   `{"prompt":["a"],` + odd + `,"model":"r"}`,
		answer: `{"id":"x","object":"text_completion","choices":[{"index":0,"text":"a","finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
		usage:  dispatch.Usage{Prompt: 3, Completion: 2},
		events: []string{
			`data: {"choices":[{"text":"","index":0}]}` + "\n\n", `data: {"choices":[{"text":"a","index":0}]}` + "\n\n",
			`data: {"choices":[{"text":"","index":0,"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n", done,
		}, head: 1, failure: failed,
	},
	{
		path: "responses", kinds: []string{"openai", "azure-openai"}, learns: true, refusal: openAIRefusal,
		body:   `{"model":"r","input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]}],` + odd + `}`,
		answer: `{"id":"resp_1","object":"response","status":"completed","error":null,"output":[{"type":"message"}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`,
		usage:  dispatch.Usage{Prompt: 3, Completion: 2},
		events: []string{
			typed("response.created", `,"sequence_number":0,"response":{"id":"resp_1","error":null,"usage":null}`), typed("response.output_item.added", `,"sequence_number":1,"item":{}`),
			typed("response.output_text.delta", `,"sequence_number":2,"delta":"a"`), typed("response.output_text.delta", `,"sequence_number":3,"delta":"b"`),
			typed("response.completed", `,"sequence_number":4,"response":{"id":"resp_1","usage":{"input_tokens":3,"output_tokens":2}}`),
		}, head: 2, failure: typed("error", `,"code":"server_error","message":"overloaded","param":null,"sequence_number":0`),
	},
	{
		path: "embeddings", kinds: []string{"openai", "azure-openai"}, refusal: openAIRefusal,
		body:   `{"model":"r","input":["a",[1,2]],"encoding_format":"base64","dimensions":256,` + odd + `}`,
		answer: `{"object":"list","data":[{"object":"embedding","index":0,"embedding":"AACAPwAAAEA="},{"index":1,"embedding":[0.10,-1e-7]}],"model":"up","usage":{"prompt_tokens":3,"total_tokens":3}}`,
		usage:  dispatch.Usage{Prompt: 3},
	},
	{
		path: "moderations", kinds: []string{"openai"}, refusal: openAIRefusal,
		body: `{"model":"r","input":"a",` + odd + `}`, answer: `{"id":"modr-1","model":"up","results":[{"flagged":false,"category_scores":{"hate":1.5e-7}}]}`,
	},
	{
		path: "rerank", kinds: []string{"openai"}, refusal: openAIRefusal,
		body: `{"model":"r","query":"q","documents":["a","b"],` + odd + `}`, answer: `{"id":"x","results":[{"index":1,"relevance_score":0.90}],"meta":{"tokens":{"input_tokens":7}}}`,
	},
	{
		path: "messages", kinds: []string{"anthropic"}, learns: true, refusal: anthropicRefusal,
		body:   `{"model":"r","max_tokens":9,"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],` + odd + `,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"t","signature":"Eq\u003d"},{"type":"redacted_thinking","data":"x"},{"type":"tool_use","id":"t1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"r"}]}]}`,
		answer: `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"cache_read_input_tokens":2,"output_tokens":2}}`,
		usage:  dispatch.Usage{Prompt: 3, Completion: 2},
		events: []string{
			typed("message_start", `,"message":{"id":"msg_1","type":"message","content":[],"usage":{"input_tokens":3,"output_tokens":1}}`), typed("ping", ""),
			typed("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`), typed("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"a"}`),
			typed("ping", ""), typed("content_block_stop", `,"index":0`), typed("message_delta", `,"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}`), typed("message_stop", ""),
		}, head: 3, failure: typed("error", `,"error":{"type":"overloaded_error","message":"overloaded"}`),
	},
	{
		path: "messages/count_tokens", kinds: []string{"anthropic"}, refusal: anthropicRefusal,
		body: `{"model":"r",` + odd + `,"messages":[{"role":"user","content":"hi"}]}`, answer: `{"input_tokens":2095}`,
	},
	{
		path: "images/generations", kinds: []string{"openai", "azure-openai"}, refusal: openAIRefusal,
		body: `{"model":"r","prompt":"a cat",` + odd + `}`, answer: `{"created":1,"data":[{"b64_json":"AAAA"}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`,
		usage: dispatch.Usage{Prompt: 3, Completion: 2},
	},
}

// each runs a test for every endpoint and kind of upstream.
func eachEndpoint(t *testing.T, run func(t *testing.T, c endpointCase, kind string)) {
	for _, c := range endpointCases {
		for _, kind := range c.kinds {
			t.Run(c.path+" of "+kind, func(t *testing.T) { run(t, c, kind) })
		}
	}
}

func (c endpointCase) streamed() string {
	return strings.Replace(c.body, `"model":"r"`, `"stream":true,"model":"r"`, 1)
}

func (c endpointCase) stream() string { return strings.Join(c.events, "") }

// native is the path and query at which an upstream of that kind is asked.
func native(kind, path string) string {
	switch {
	case kind == "azure-openai" && path == "responses":
		return "/openai/responses?api-version=2024-10-21"
	case kind == "azure-openai":
		return "/openai/deployments/up-a/" + path + "?api-version=2024-10-21"
	}
	return "/v1/" + path
}

func complete(body string) http.HandlerFunc { return status(http.StatusOK, body) }

// at posts a body to an endpoint with headers, each spelled "Name: value".
func (h *harness) at(path, body string, headers ...string) reply {
	h.t.Helper()
	req, err := http.NewRequest(http.MethodPost, h.URL+"/v1/"+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Add(name, value)
	}
	return h.do(req)
}

// told returns the message of an error in the words of the endpoint, and fails the test when it is not in those.
func (r reply) told(t *testing.T, path string) string {
	t.Helper()
	if strings.HasPrefix(path, "messages") {
		return r.anthropicError(t)
	}
	message, _, kind := r.apiError(t)
	if kind == "" || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("got type %q in %s, want one", kind, r.Header.Get("Content-Type"))
	}
	return message
}

// anthropicError returns the message of an error in Anthropic's words, and fails the test when it is in others.
func (r reply) anthropicError(t *testing.T) string {
	t.Helper()
	var e struct {
		Type      string
		Error     struct{ Type, Message string }
		RequestID string `json:"request_id"`
	}
	if err := json.Unmarshal([]byte(r.body), &e); err != nil || e.Type != "error" || e.Error.Message == "" {
		t.Fatalf("status %d, body %q is no Anthropic error (%v)", r.StatusCode, r.body, err)
	}
	want := map[int]string{
		400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 413: "request_too_large", 422: "invalid_request_error", 429: "rate_limit_error",
		502: "api_error", 503: "overloaded_error", 504: "timeout_error", 529: "overloaded_error",
	}[r.StatusCode]
	if r.StatusCode == 529 && e.Error.Type == "invalid_request_error" { // the stub's
		want = e.Error.Type
	}
	id := r.Header.Get("X-Request-Id")
	if e.Error.Type != want || e.RequestID != id || id == "" || r.Header.Get("Request-Id") != id || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d: got %s with the header %v, want type %s and the request's id in all places", r.StatusCode, r.body, r.Header, want)
	}
	return e.Error.Message
}

func both(kind string) []string { return []string{kind, kind, kind} }

func TestAWholeAnswerPassesAtEveryEndpoint(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		a := newUpstream(t, complete(c.answer))
		h := gateway(t, options{kinds: both(kind), provider: `,"auth":{"secret":"sk-upstream-secret"}`}, a)
		got := h.at(c.path, c.body, "Cookie: c=1", "X-Goog-Api-Key: "+callerKey)
		if got.StatusCode != http.StatusOK || got.body != c.answer || got.Header.Get("X-Sluice-Target") != "a" {
			t.Fatalf("got %d %s of %q, want 200 %s", got.StatusCode, got.body, got.Header.Get("X-Sluice-Target"), c.answer)
		}
		if want := strings.Replace(c.body, `"model":"r"`, `"model":"up-a"`, 1); a.bodies[0] != want {
			t.Errorf("the upstream got\n%s, want\n%s", a.bodies[0], want)
		}
		asked := a.asked[0]
		if asked.Method != http.MethodPost || asked.RequestURI != native(kind, c.path) {
			t.Errorf("the upstream was asked at %s %s, want %s", asked.Method, asked.RequestURI, native(kind, c.path))
		}
		sent, _ := json.Marshal(asked.Header)
		if strings.Contains(string(sent), callerKey) || asked.Header.Get("Cookie") != "" || !strings.Contains(string(sent), "sk-upstream-secret") {
			t.Errorf("the upstream got the header %s", sent)
		}
		if n := len(h.attempts.list); n != 1 || h.attempts.list[0].Usage != c.usage || h.attempts.list[0].Outcome != "ok" {
			t.Errorf("got attempts %+v, want usage %+v", h.attempts.list, c.usage)
		}
		if done := h.attempts.requests(); len(done) != 1 || done[0].Endpoint != c.path || done[0].Model != "r" {
			t.Errorf("got requests %+v", done)
		}
	})
}

func TestOnlyAnswersOfModelsAreSamplesOfLatency(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		h := gateway(t, options{kinds: both(kind), strategy: "least_latency", routing: `,"retries":0`}, newUpstream(t, complete(c.answer)), newUpstream(t, status(503, "{}"), complete(c.answer)))
		for range 3 {
			h.at(c.path, c.body)
		}
		for _, id := range []string{"a", "b"} {
			e := h.board.Estimate(h.target(id).Signal, signal.Total, time.Now())
			if h.upstreams[id[0]-'a'].count() > 0 && e.Tried != c.learns {
				t.Errorf("%s was tried as far as signals know: %t, want %t", id, e.Tried, c.learns)
			}
		}
		if n := h.board.Claim(h.target("a").Signal); !n {
			t.Error("the probe slot of a is taken still")
		}
	})
}

func TestEveryEndpointFailsOver(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		for name, bad := range map[string]http.HandlerFunc{
			"overload": status(529, c.refusal), "reset": reset, "empty": status(200, ""), "broken": complete(c.answer[:len(c.answer)-1]), "error inside": complete(`{"error":{"message":"m"}}`),
			"credential": status(401, c.refusal), "limit": status(429, c.refusal, "Retry-After", "30"), "page": status(200, "<html>"),
		} {
			h := gateway(t, options{kinds: both(kind), routing: `,"retries":0`, provider: `,"auth":{"secret":"sk-upstream-secret"}`}, newUpstream(t, bad), newUpstream(t, complete(c.answer)))
			if got := h.at(c.path, c.body); got.body != c.answer || got.Header.Get("X-Sluice-Target") != "b" || got.Header.Get("X-Sluice-Attempts") != "2" {
				t.Errorf("%s: got %d %s of %q", name, got.StatusCode, got.body, got.Header.Get("X-Sluice-Target"))
			}
		}
		h := gateway(t, options{kinds: both(kind), routing: `,"retries":1`}, newUpstream(t, status(500, c.refusal), complete(c.answer)))
		if got := h.at(c.path, c.body); got.body != c.answer || h.hits()[0] != 2 {
			t.Errorf("retry: got %d %s after %d requests", got.StatusCode, got.body, h.hits()[0])
		}
	})
}

func TestErrorsAreToldInTheWordsOfTheEndpoint(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		for name, u := range map[string]struct {
			handler http.HandlerFunc
			status  int
			message string // empty: any
		}{
			"refused":         {status(400, c.refusal), 400, "no such thing"},
			"refused as text": {status(422, "no such thing"), 422, "no such thing"},
			"overloaded":      {status(529, c.refusal), 529, "no such thing"},
			"page":            {status(502, "<html>nginx</html>"), 502, "The model's server answered: Bad Gateway."},
			"unreachable":     {reset, 502, ""},
			"credential":      {status(401, c.refusal), 502, ""},
		} {
			h := gateway(t, options{kinds: both(kind), provider: `,"auth":{"secret":"sk-upstream-secret"}`, routing: `,"retries":0`}, newUpstream(t, u.handler))
			got := h.at(c.path, c.body)
			if message := got.told(t, c.path); got.StatusCode != u.status || u.message != "" && message != u.message {
				t.Errorf("%s: got %d %q, want %d %q", name, got.StatusCode, message, u.status, u.message)
			}
			if done := h.attempts.requests(); got.StatusCode != done[0].Result.Status {
				t.Errorf("%s: told %+v", name, done)
			}
		}
		h := gateway(t, options{kinds: both(kind)}, newUpstream(t, complete(c.answer)))
		for body, want := range map[string]int{
			`{`: 400, `{"x":1}`: 400, `{"model":"none"}`: 404, `{"model":"r","model":"r"}`: 400, `[]`: 400, strings.Repeat(" ", 1<<20+1): 413,
		} {
			if got := h.at(c.path, body); got.told(t, c.path) == "" || got.StatusCode != want {
				t.Errorf("%.30s: got %d %s, want %d", body, got.StatusCode, got.body, want)
			}
		}
		if len(c.events) == 0 {
			if got := h.at(c.path, c.streamed()); got.told(t, c.path) == "" || got.StatusCode != 400 || h.hits()[0] != 0 {
				t.Errorf("a stream: got %d %s after %d requests, want 400", got.StatusCode, got.body, h.hits()[0])
			}
		}
	})
}

func TestAStreamPassesAtEveryEndpoint(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		if len(c.events) == 0 {
			t.Skip("it has no streams")
		}
		a := newUpstream(t, events(c.events...))
		h := gateway(t, options{kinds: both(kind)}, a)
		got := h.at(c.path, c.streamed())
		if got.err != nil || got.body != c.stream() || !strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
			t.Fatalf("got %d (%v)\n%s, want\n%s", got.StatusCode, got.err, got.body, c.stream())
		}
		if want := strings.Replace(c.streamed(), `"model":"r"`, `"model":"up-a"`, 1); a.bodies[0] != want {
			t.Errorf("the upstream got\n%s, want\n%s", a.bodies[0], want)
		}
		if list := h.attempts.list; len(list) != 1 || list[0].Usage != c.usage || list[0].FirstToken <= 0 || list[0].Outcome != "ok" {
			t.Errorf("got attempts %+v, want usage %+v", list, c.usage)
		}
		// An upstream that answers whole although a stream was asked for is relayed as it is.
		h = gateway(t, options{kinds: both(kind)}, newUpstream(t, complete(c.answer)))
		if got := h.at(c.path, c.streamed()); got.body != c.answer {
			t.Errorf("a whole answer: got %d %s", got.StatusCode, got.body)
		}
	})
}

func TestAStreamFailsOverUpToItsFirstContent(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		if len(c.events) == 0 {
			t.Skip("it has no streams")
		}
		for name, bad := range map[string][]string{
			"error at once": {c.failure}, "error after the head": append(slices.Clone(c.events[:c.head]), c.failure), "cut after the head": c.events[:c.head], "nothing": {},
		} {
			h := gateway(t, options{kinds: both(kind), routing: `,"retries":0`}, newUpstream(t, events(bad...)), newUpstream(t, events(c.events...)))
			if got := h.at(c.path, c.streamed()); got.body != c.stream() || got.Header.Get("X-Sluice-Target") != "b" {
				t.Errorf("%s: got %d of %q:\n%s", name, got.StatusCode, got.Header.Get("X-Sluice-Target"), got.body)
			}
			h = gateway(t, options{kinds: both(kind), routing: `,"retries":0`}, newUpstream(t, events(bad...)))
			if got := h.at(c.path, c.streamed()); got.told(t, c.path) == "" || got.StatusCode < 500 {
				t.Errorf("%s, nobody else there: got %d %s", name, got.StatusCode, got.body)
			}
		}
	})
}

func TestAStreamThatBreaksEndsInAnErrorOfItsEndpoint(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		if len(c.events) == 0 {
			t.Skip("it has no streams")
		}
		begun := c.events[:c.head+1]
		for name, u := range map[string]struct {
			then  http.HandlerFunc
			more  []string
			means string // in what the client is told
		}{
			"cut": {nil, nil, "ended the stream before"}, "reset": {reset, nil, ""}, "error event": {nil, []string{c.failure}, "overloaded"},
		} {
			h := gateway(t, options{kinds: both(kind)}, newUpstream(t, eventsThen(u.then, append(slices.Clone(begun), u.more...)...)), newUpstream(t, events(c.events...)))
			got := h.at(c.path, c.streamed())
			rest, ok := strings.CutPrefix(got.body, strings.Join(begun, ""))
			if !ok || got.err != nil || h.hits()[1] != 0 {
				t.Fatalf("%s: got %q (%v), %v requests", name, got.body, got.err, h.hits())
			}
			checkErrorEvent(t, c, len(begun), rest, u.means)
			if done := h.attempts.requests(); done[0].Result.Status != 200 || done[0].Result.Outcome == "ok" {
				t.Errorf("%s: told %+v", name, done)
			}
		}
	})
}

// checkErrorEvent holds that rest is one event, an error in the words of the endpoint, and nothing else.
func checkErrorEvent(t *testing.T, c endpointCase, before int, rest, means string) {
	t.Helper()
	name, data := "", rest
	if strings.HasPrefix(rest, "event: ") {
		name, data, _ = strings.Cut(strings.TrimPrefix(rest, "event: "), "\n")
	}
	var e struct {
		Type, Message, Code string
		Sequence            int `json:"sequence_number"`
		Error               *struct{ Type, Message string }
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); err != nil || !strings.HasPrefix(data, "data: ") || !strings.HasSuffix(data, "}\n\n") {
		t.Fatalf("%q is no event (%v)", rest, err)
	}
	switch c.path {
	case "messages":
		if name != "error" || e.Type != "error" || e.Error == nil || !strings.Contains(e.Error.Message, means) || !strings.HasSuffix(e.Error.Type, "_error") || !strings.Contains(data, `"request_id":"`) {
			t.Errorf("got %q, want an error of the Anthropic API", rest)
		}
	case "responses":
		if name != "error" || e.Type != "error" || !strings.Contains(e.Message, means) || e.Code == "" || e.Error != nil || e.Sequence != before {
			t.Errorf("got %q, want an error of the Responses API with the number %d", rest, before)
		}
	default:
		if name != "" || e.Error == nil || !strings.Contains(e.Error.Message, means) || e.Error.Type == "" {
			t.Errorf("got %q, want an error of the OpenAI API", rest)
		}
	}
}

// TestAFailedResponseIsPassedOnAsItIs: it is the API's own last event. What it says of the credential is struck.
func TestAFailedResponseIsPassedOnAsItIs(t *testing.T) {
	begun := []string{typed("response.created", `,"response":{}`), typed("response.output_text.delta", `,"delta":"a"`)}
	last := typed("response.failed", `,"response":{"id":"r","status":"failed","error":{"code":"server_error","message":"key sk-upstream-secret"},"usage":{"input_tokens":1,"output_tokens":2}}`)
	h := gateway(t, options{provider: `,"auth":{"secret":"sk-upstream-secret"}`}, newUpstream(t, events(append(begun, last)...)))
	want := strings.Join(begun, "") + strings.Replace(last, "sk-upstream-secret", "[secret]", 1)
	if got := h.at("responses", `{"model":"r","stream":true,"input":"x"}`); got.body != want {
		t.Errorf("got\n%s, want\n%s", got.body, want)
	}
	if list := h.attempts.list; len(list) != 1 || list[0].Outcome == "ok" || list[0].Usage != (dispatch.Usage{Prompt: 1, Completion: 2}) {
		t.Errorf("got attempts %+v, want a failure that counts its tokens", list)
	}
}

func TestAClientThatLeavesEndsTheAttemptAtEveryEndpoint(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		bubble(t, func(t *testing.T, n *network) {
			a := n.upstream("a", hang)
			h := n.gateway(t, options{kinds: both(kind)}, a)
			ctx, leave := context.WithTimeout(h.leaving, time.Second)
			defer leave()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/v1/"+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+callerKey)
			began := time.Now()
			if _, err := h.client.Do(req); err == nil {
				t.Fatal("an answer came")
			}
			<-a.gone
			synctest.Wait()
			if list := h.attempts.list; len(list) != 1 || list[0].Outcome != "client_gone" || time.Since(began) != time.Second {
				t.Errorf("got attempts %+v after %v", list, time.Since(began))
			}
		})
	})
}

// TestATargetThatDoesNotSpeakTheEndpointIsLeftOut and uses up no fallback; where none is left, the caller is told so.
func TestATargetThatDoesNotSpeakTheEndpointIsLeftOut(t *testing.T) {
	eachEndpoint(t, func(t *testing.T, c endpointCase, kind string) {
		other := "anthropic"
		if kind == "anthropic" {
			other = "openai"
		}
		if slices.Contains(endpoint.Find(c.path).Kinds, core.ProviderKind(other)) {
			t.Skip("it is translated: translate_test.go")
		}
		h := gateway(t, options{kinds: []string{other, kind}, routing: `,"max_fallbacks":0`}, newUpstream(t, complete(c.answer)), newUpstream(t, complete(c.answer)))
		if got := h.at(c.path, c.body); got.body != c.answer || got.Header.Get("X-Sluice-Target") != "b" || h.hits()[0] != 0 {
			t.Errorf("got %d %s of %q", got.StatusCode, got.body, got.Header.Get("X-Sluice-Target"))
		}
		for _, model := range []string{"r", "a"} {
			h = gateway(t, options{kinds: []string{other}}, newUpstream(t, complete(c.answer)))
			got := h.at(c.path, strings.Replace(c.body, `"r"`, `"`+model+`"`, 1))
			want := `The model "` + model + `" has no target that serves /v1/` + c.path + `.`
			if message := got.told(t, c.path); got.StatusCode != http.StatusNotFound || message != want || h.hits()[0] != 0 {
				t.Errorf("got %d %q, want 404 %q", got.StatusCode, message, want)
			}
		}
		h.at(c.path, c.body, "X-Request-Id: left-out")
		if d := h.decision("left-out"); d.Ranking == nil || len(d.Ranking.Candidates) != 1 || d.Ranking.Candidates[0].Excluded != rank.ExcludedByEndpoint {
			t.Errorf("the decision is told as %+v", d.Ranking)
		}
	})
}

// TestTheHeadersOfAnAnthropicCallerReachAnthropicOnly: the version has a default, and the provider's own word comes first.
func TestTheHeadersOfAnAnthropicCallerReachAnthropicOnly(t *testing.T) {
	message, chat := endpointCases[slices.IndexFunc(endpointCases, func(c endpointCase) bool { return c.path == "messages" })], endpointCases[0]
	for name, c := range map[string]struct {
		endpointCase
		kind, provider string
		headers        []string
		version        string
		beta           []string
	}{
		"none":               {message, "anthropic", "", nil, "2023-06-01", nil},
		"the caller's":       {message, "anthropic", "", []string{"Anthropic-Version: 2023-01-01", "Anthropic-Beta: a,b", "Anthropic-Beta: c"}, "2023-01-01", []string{"a,b", "c"}},
		"the provider's own": {message, "anthropic", `,"headers":{"anthropic-version":"2024-01-01"}`, []string{"Anthropic-Version: 2023-01-01"}, "2024-01-01", nil},
		"to another kind":    {chat, "openai", "", []string{"Anthropic-Version: 2023-01-01", "Anthropic-Beta: a"}, "", nil},
	} {
		a := newUpstream(t, status(200, c.answer, "Anthropic-Ratelimit-Requests-Remaining", "7", "Anthropic-Organization-Id", "org", "Request-Id", "req_theirs"))
		h := gateway(t, options{kinds: []string{c.kind}, provider: c.provider}, a)
		got := h.at(c.path, c.body, c.headers...)
		sent := a.asked[0].Header
		if sent.Get("Anthropic-Version") != c.version || !slices.Equal(sent["Anthropic-Beta"], c.beta) {
			t.Errorf("%s: the upstream got version %q and beta %q, want %q and %q", name, sent["Anthropic-Version"], sent["Anthropic-Beta"], c.version, c.beta)
		}
		limits := ""
		if c.kind == "anthropic" {
			limits = "7"
		}
		if got.Header.Get("Anthropic-Ratelimit-Requests-Remaining") != limits || got.Header.Get("Anthropic-Organization-Id") != "" || got.Header.Get("Request-Id") == "req_theirs" {
			t.Errorf("%s: the caller got %v", name, got.Header)
		}
	}
}

// TestAMessageThatStoppedIsWhole though the upstream left out the last event, which says nothing.
func TestAMessageThatStoppedIsWhole(t *testing.T) {
	i := slices.IndexFunc(endpointCases, func(c endpointCase) bool { return c.path == "messages" })
	c := endpointCases[i]
	h := gateway(t, options{kinds: both("anthropic")}, newUpstream(t, events(c.events[:len(c.events)-1]...)))
	if got := h.at(c.path, c.streamed()); got.body != c.stream() {
		t.Errorf("got\n%s, want\n%s", got.body, c.stream())
	}
}

// TestUsageOfAnAnthropicStreamIsMergedByField: the start tells of the prompt, the end of the answer.
func TestUsageOfAnAnthropicStreamIsMergedByField(t *testing.T) {
	h := gateway(t, options{kinds: both("anthropic"), provider: `,"stream_usage":true`}, newUpstream(t, events(
		typed("message_start", `,"message":{"usage":{"input_tokens":100,"cache_read_input_tokens":20,"output_tokens":1}}`), typed("content_block_delta", `,"delta":{"text":"a"}`),
		typed("message_delta", `,"delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":100,"output_tokens":50}`), typed("message_stop", ""),
	)))
	got := h.at("messages", `{"model":"r","stream":true,"messages":[]}`)
	if list := h.attempts.list; len(list) != 1 || list[0].Usage != (dispatch.Usage{Prompt: 120, Completion: 50}) || !strings.Contains(got.body, `"cache_read_input_tokens":20`) {
		t.Errorf("got attempts %+v, want 120 and 50 tokens", list)
	}
	if body := h.upstreams[0].bodies[0]; strings.Contains(body, "stream_options") {
		t.Errorf("the upstream got %s", body)
	}
}

// TestCountingTokensTeachesNothing: neither a failure nor an answer says how a target answers.
func TestCountingTokensTeachesNothing(t *testing.T) {
	h := gateway(t, options{kinds: both("anthropic"), routing: `,"retries":0`, model: `,"cooldown":{"failures":1}`}, newUpstream(t, status(503, "{}")), newUpstream(t, complete(`{"input_tokens":1}`)))
	for range 3 {
		if got := h.at("messages/count_tokens", `{"model":"r","messages":[]}`); got.served(t) != "b" {
			t.Errorf("served by %s", got.Header.Get("X-Sluice-Target"))
		}
	}
	a := h.target("a")
	if h.hits()[0] != 3 || !h.cooldowns.Standing(a, time.Now()).Ready() || h.board.Estimate(a.Signal, signal.Total, time.Now()).Tried {
		t.Errorf("after %v requests a stands as %+v", h.hits(), h.cooldowns.Standing(a, time.Now()))
	}
}
