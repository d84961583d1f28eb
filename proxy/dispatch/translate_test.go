package dispatch_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// crossing is a caller's endpoint whose requests another kind of upstream answers, each in its own words.
type crossing struct {
	path, kind, native string
	// body asks for a tool; unsayable asks for what the upstream's dialect has no word for, and param is where.
	body, unsayable, param string
	// sent is what the upstream is to get, answer what it says, and want what the caller gets, all but random ids.
	sent, answer string
	want         []string
	events       []string
	wantEvents   []string
	end          string // of a stream to the caller
	failure      string // an event of the upstream
	ownAnswer    string // of an upstream in the caller's own words
	dropped      string
}

// messageAnswer and messageEvents are how an Anthropic upstream answers.
const messageAnswer = `{"id":"msg_1","type":"message","role":"assistant","model":"up","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t1","name":"f","input":{"x":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"cache_read_input_tokens":2,"output_tokens":2}}`

var messageEvents = []string{
	typed("message_start", `,"message":{"id":"msg_1","type":"message","role":"assistant","model":"up","content":[],"usage":{"input_tokens":3,"output_tokens":1}}`), typed("ping", ""),
	typed("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`), typed("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"abc"}`),
	typed("ping", ""), typed("content_block_stop", `,"index":0`), typed("message_delta", `,"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}`), typed("message_stop", ""),
}

var crossings = []crossing{
	{
		path: "chat/completions", kind: "anthropic", native: "/v1/messages",
		body:      `{"model":"r","seed":7,"messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}],"max_tokens":9,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`,
		unsayable: `{"model":"r","n":2,"messages":[{"role":"user","content":"hi"}]}`, param: "n",
		sent:       `"max_tokens":9`,
		answer:     messageAnswer,
		want:       []string{`"object":"chat.completion"`, `"content":"a"`, `"name":"f"`, `"finish_reason":"tool_calls"`, `"prompt_tokens":3`, `"completion_tokens":2`},
		events:     messageEvents,
		wantEvents: []string{`"object":"chat.completion.chunk"`, `"role":"assistant"`, `"content":"abc"`, `"finish_reason":"stop"`, "data: [DONE]\n\n"}, end: "[DONE]",
		failure:   typed("error", `,"error":{"type":"overloaded_error","message":"overloaded"}`),
		ownAnswer: `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"own"},"finish_reason":"stop"}]}`,
		dropped:   "/seed",
	},
	{
		path: "messages", kind: "openai", native: "/v1/chat/completions",
		body:      `{"model":"r","max_tokens":9,"top_k":3,"system":"s","messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
		unsayable: `{"model":"r","max_tokens":9,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"I"}]}`, param: "",
		sent:   `"role":"system"`,
		answer: `{"id":"x","object":"chat.completion","model":"up","choices":[{"index":0,"message":{"role":"assistant","content":"a","tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`,
		want:   []string{`"type":"message"`, `"text":"a"`, `"name":"f"`, `"stop_reason":"tool_use"`, `"input_tokens":3`, `"output_tokens":2`},
		events: []string{role, token("abc"), stop, `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}` + "\n\n", done},
		wantEvents: []string{
			"event: message_start\n", "event: content_block_start\n", `"text":"abc"`, "event: content_block_stop\n", `"stop_reason":"end_turn"`, "event: message_stop\n",
		}, end: "message_stop",
		failure:   failed,
		ownAnswer: `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"own"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`,
		dropped:   "/top_k",
	},
	{
		path: "responses", kind: "anthropic", native: "/v1/messages",
		body:      `{"model":"r","instructions":"s","input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]}],"max_output_tokens":99,"metadata":{"a":"b"},"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]}`,
		unsayable: `{"model":"r","input":"hi","previous_response_id":"resp_1"}`, param: "previous_response_id",
		sent:   `"max_tokens":99`,
		answer: messageAnswer,
		want:   []string{`"object":"response"`, `"status":"completed"`, `"text":"a"`, `"name":"f"`, `"input_tokens":3`, `"output_tokens":2`},
		events: messageEvents,
		wantEvents: []string{
			"event: response.created\n", "event: response.output_item.added\n", `"delta":"abc"`, "event: response.output_text.done\n", "event: response.completed\n",
		}, end: "response.completed",
		failure:   typed("error", `,"error":{"type":"overloaded_error","message":"overloaded"}`),
		ownAnswer: `{"id":"resp_1","object":"response","status":"completed","error":null,"output":[{"type":"message"}],"usage":{"input_tokens":3,"output_tokens":2,"total_tokens":5}}`,
		dropped:   "/metadata",
	},
}

func eachCrossing(t *testing.T, run func(t *testing.T, c crossing)) {
	for _, c := range crossings {
		t.Run(c.path+" of "+c.kind, func(t *testing.T) { run(t, c) })
	}
}

func (c crossing) streamed() string {
	return strings.Replace(c.body, `"model":"r"`, `"stream":true,"model":"r"`, 1)
}

// own is the kind of upstream that speaks as the caller does.
func (c crossing) own() string {
	if c.kind == "openai" {
		return "anthropic"
	}
	return "openai"
}

// holds reports whether the text has all parts, in that order.
func holds(text string, parts []string) bool {
	for _, p := range parts {
		at := strings.Index(text, p)
		if at < 0 {
			return false
		}
		text = text[at+len(p):]
	}
	return true
}

func TestAnAnswerInAnotherDialectReadsLikeTheCallersOwn(t *testing.T) {
	eachCrossing(t, func(t *testing.T, c crossing) {
		a := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Anthropic-Ratelimit-Requests-Remaining", "5")
			w.Header().Set("X-Ratelimit-Remaining-Requests", "5")
			w.Header().Set("Openai-Version", "2020-10-01")
			complete(c.answer)(w, r)
		})
		h := gateway(t, options{kinds: both(c.kind), provider: `,"auth":{"secret":"sk-upstream-secret"}`, model: `,"parameters":{"set":{"x_own":1}}`}, a)
		got := h.at(c.path, c.body, "Cookie: c=1")
		if got.StatusCode != 200 || !json.Valid([]byte(got.body)) || !holds(got.body, c.want) {
			t.Fatalf("got %d %s, want %q", got.StatusCode, got.body, c.want)
		}
		if a.asked[0].RequestURI != c.native || !json.Valid([]byte(a.bodies[0])) || !strings.Contains(a.bodies[0], c.sent) || !strings.Contains(a.bodies[0], `"model":"up-a"`) || !strings.Contains(a.bodies[0], `"x_own":1`) {
			t.Errorf("the upstream was asked at %s: %s", a.asked[0].RequestURI, a.bodies[0])
		}
		if sent, _ := json.Marshal(a.asked[0].Header); !strings.Contains(string(sent), "sk-upstream-secret") || strings.Contains(string(sent), callerKey) {
			t.Errorf("the upstream got the header %s", sent)
		}
		if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("X-Sluice-Dropped") != c.dropped {
			t.Errorf("got the header %v, want %s named as dropped", got.Header, c.dropped)
		}
		if got.Header.Get(foreign[c.kind]) != "" || got.Header.Get("Openai-Version") != "" {
			t.Errorf("the caller sees what another vendor says of itself: %v", got.Header)
		}
		if list := h.attempts.list; len(list) != 1 || list[0].Outcome != "ok" || list[0].Usage.Prompt != 3 || list[0].Usage.Completion != 2 {
			t.Errorf("got attempts %+v", list)
		}
		if e := h.board.Estimate(h.target("a").Signal, signal.Total, time.Now()); !e.Tried {
			t.Error("the answer is no sample")
		}
		if n := h.budget.Taken(); n != 0 {
			t.Errorf("%d bytes are held still", n)
		}
	})
}

func TestAStreamInAnotherDialectReadsLikeTheCallersOwn(t *testing.T) {
	eachCrossing(t, func(t *testing.T, c crossing) {
		whole, short := events(c.events...), events(c.events[:len(c.events)-1]...) // without the closing words, too
		for last, upstream := range map[string]http.HandlerFunc{"all": whole, "but the last": short, "compressed": gzipped(whole)} {
			h := gateway(t, options{kinds: both(c.kind), routing: `,"retries":0`}, newUpstream(t, upstream))
			got := h.at(c.path, c.streamed())
			if got.err != nil || got.StatusCode != 200 || !holds(got.body, c.wantEvents) || strings.Contains(got.body, "ping") && c.path != "messages" {
				t.Fatalf("of events %s: got %d (%v)\n%s, want %q", last, got.StatusCode, got.err, got.body, c.wantEvents)
			}
			if list := h.attempts.list; len(list) != 1 || list[0].Outcome != "ok" || list[0].FirstToken <= 0 || list[0].Usage.Completion != 2 {
				t.Errorf("got attempts %+v", list)
			}
			if n := h.budget.Taken(); n != 0 {
				t.Errorf("%d bytes are held still", n)
			}
		}
	})
}

func TestAnAnswerFailsOverBetweenDialects(t *testing.T) {
	eachCrossing(t, func(t *testing.T, c crossing) {
		bad := map[string]http.HandlerFunc{
			"overload": status(529, anthropicRefusal), "reset": reset, "empty": status(200, ""), "page": status(200, "<html>"), "limit": status(429, "{}"),
			"no answer": complete(`{"id":"x"}`), "error inside": complete(`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`),
		}
		for name, b := range bad {
			o := options{kinds: []string{c.kind, c.own()}, routing: `,"retries":0`}
			if got := gateway(t, o, newUpstream(t, b), newUpstream(t, complete(c.ownAnswer))).at(c.path, c.body); got.body != c.ownAnswer || got.Header.Get("X-Sluice-Attempts") != "2" {
				t.Errorf("%s: from another dialect to the own: got %d %s", name, got.StatusCode, got.body)
			}
			if name == "no answer" { // the own dialect passes what it is given
				continue
			}
			o.kinds = []string{c.own(), c.kind}
			if got := gateway(t, o, newUpstream(t, b), newUpstream(t, complete(c.answer))).at(c.path, c.body); got.StatusCode != 200 || !holds(got.body, c.want) {
				t.Errorf("%s: from the own dialect to another: got %d %s", name, got.StatusCode, got.body)
			}
		}
		for name, b := range map[string]http.HandlerFunc{
			"failure": events(c.events[0], c.failure), "cut": events(c.events[0]), "nothing": events(), "nonsense": events("data: {\"type\":1}\n\n"),
		} {
			h := gateway(t, options{kinds: both(c.kind), routing: `,"retries":0`}, newUpstream(t, b), newUpstream(t, events(c.events...)))
			if got := h.at(c.path, c.streamed()); !holds(got.body, c.wantEvents) || got.Header.Get("X-Sluice-Target") != "b" {
				t.Errorf("stream with %s: got %d of %q\n%s", name, got.StatusCode, got.Header.Get("X-Sluice-Target"), got.body)
			}
		}
	})
}

func TestWhatBreaksInsideATranslatedStreamEndsItInTheCallersWords(t *testing.T) {
	eachCrossing(t, func(t *testing.T, c crossing) {
		content := slices.IndexFunc(c.events, func(e string) bool { return strings.Contains(e, "abc") }) + 1
		for name, b := range map[string]http.HandlerFunc{
			"failure": events(append(slices.Clone(c.events[:content]), c.failure)...), "cut": events(c.events[:content]...), "reset": eventsThen(cut, c.events[:content]...),
		} {
			h := gateway(t, options{kinds: both(c.kind)}, newUpstream(t, b), newUpstream(t, events(c.events...)))
			got := h.at(c.path, c.streamed())
			errorEvent := "data: {\"error\":"
			if c.path != "chat/completions" {
				errorEvent = "event: error\ndata: {\"type\":\"error\""
			}
			if !strings.Contains(got.body, "abc") || strings.Count(got.body, errorEvent) != 1 || strings.Contains(got.body, c.end) || h.hits()[1] != 0 {
				t.Errorf("%s: got\n%s", name, got.body)
			}
			for i, number := range regexp.MustCompile(`"sequence_number":(\d+)`).FindAllStringSubmatch(got.body, -1) {
				if number[1] != strconv.Itoa(i) {
					t.Errorf("%s: event %d has the number %s", name, i, number[1])
				}
			}
		}
	})
}

func TestWhatAnotherDialectCannotSayIsRefusedAndNotSent(t *testing.T) {
	eachCrossing(t, func(t *testing.T, c crossing) {
		h := gateway(t, options{kinds: both(c.kind), routing: `,"retries":0`}, newUpstream(t, complete(c.answer)))
		got := h.at(c.path, c.unsayable, "X-Request-Id: unsayable")
		if d := h.decision("unsayable"); len(d.Attempts) != 1 || d.Attempts[0].Outcome != "untranslatable" || d.Attempts[0].Target != "a" || d.Outcome != "refused" {
			t.Errorf("the decision tells of %+v, %s", d.Attempts, d.Outcome)
		}
		if got.StatusCode != 400 || got.told(t, c.path) == "" || !strings.Contains(got.body, c.param) || h.hits()[0] != 0 || len(h.attempts.list) != 0 {
			t.Errorf("got %d %s after %v", got.StatusCode, got.body, h.hits())
		}
		if e := h.board.Estimate(h.target("a").Signal, signal.Total, time.Now()); e.Failures != 0 || e.Inflight != 0 {
			t.Errorf("the target is blamed: %+v", e)
		}
		// Who speaks the caller's dialect takes it, and is no fallback.
		h = gateway(t, options{kinds: []string{c.kind, c.own()}, routing: `,"max_fallbacks":0`}, newUpstream(t, complete(c.answer)), newUpstream(t, complete(c.ownAnswer)))
		if got := h.at(c.path, c.unsayable); got.body != c.ownAnswer || got.Header.Get("X-Sluice-Attempts") != "1" {
			t.Errorf("got %d %s", got.StatusCode, got.body)
		}
	})
}

// foreign are headers in which each kind of upstream tells of its limits, and types what errors are in the words of callers.
var (
	foreign = map[string]string{"anthropic": "Anthropic-Ratelimit-Requests-Remaining", "openai": "X-Ratelimit-Remaining-Requests"}
	types   = map[string]map[int]string{
		"chat/completions": {400: "invalid_request_error", 413: "invalid_request_error", 429: "rate_limit_error", 500: "server_error"},
		"responses":        {400: "invalid_request_error", 413: "invalid_request_error", 429: "rate_limit_error", 500: "server_error"},
		"messages":         {400: "invalid_request_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error"},
	}
)

func typeOf(t *testing.T, body string) string {
	t.Helper()
	var told struct{ Error struct{ Type string } }
	if err := json.Unmarshal([]byte(body), &told); err != nil {
		t.Errorf("%v in %s", err, body)
	}
	return told.Error.Type
}

func TestErrorsOfAnotherDialectAreToldInTheCallersWords(t *testing.T) {
	eachCrossing(t, func(t *testing.T, c crossing) {
		refusal := map[string]string{"anthropic": anthropicRefusal, "openai": openAIRefusal}[c.kind]
		for code, want := range map[int]int{400: 400, 413: 413, 429: 429, 500: 500} {
			h := gateway(t, options{kinds: both(c.kind), routing: `,"retries":0`}, newUpstream(t, status(code, refusal, "Retry-After", "7", foreign[c.kind], "5")))
			got := h.at(c.path, c.body)
			if c.path == "chat/completions" && !strings.Contains(got.body, `"code":"invalid_request_error"`) && code == 500 {
				t.Errorf("the upstream's own type is lost: %s", got.body)
			}
			if kind := typeOf(t, got.body); kind != types[c.path][code] || got.Header.Get(foreign[c.kind]) != "" {
				t.Errorf("%d: got the type %q and %v", code, kind, got.Header)
			}
			if got.StatusCode != want || code < 500 && got.told(t, c.path) != "no such thing" || got.Header.Get("Retry-After") != "7" {
				t.Errorf("%d: got %d %s %v", code, got.StatusCode, got.body, got.Header)
			}
		}
	})
}

// TestAHalfOpenTargetThatIsNotAskedKeepsItsProbe: a request that cannot be said to it proves nothing.
func TestAHalfOpenTargetThatIsNotAskedKeepsItsProbe(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		c := crossings[0]
		u := n.upstream("a", status(500, "{}"), complete(c.answer))
		h := n.gateway(t, options{kinds: both(c.kind), routing: `,"retries":0`, model: `,"cooldown":{"failures":1,"duration":"1s"}`}, u)
		h.at(c.path, c.body)
		time.Sleep(2 * time.Second)
		if got := h.at(c.path, c.unsayable); got.StatusCode != 400 {
			t.Fatalf("got %d %s", got.StatusCode, got.body)
		}
		if got := h.at(c.path, c.body); got.StatusCode != 200 {
			t.Errorf("the probe is taken still: got %d %s", got.StatusCode, got.body)
		}
	})
}

func TestWhatATranslationHoldsIsTakenFromTheBudgetAndGivenBack(t *testing.T) {
	eachCrossing(t, func(t *testing.T, c crossing) {
		long := strings.Replace(c.body, `"hi"`, `"`+strings.Repeat("a", 10_000)+`"`, 1)
		var h *harness
		var held atomic.Int64
		h = gateway(t, options{kinds: both(c.kind)}, newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
			held.Store(h.budget.Taken())
			complete(c.answer)(w, r)
		}))
		if got := h.at(c.path, long); got.StatusCode != 200 || held.Load() < 30_000 { // the body, what was read of it, what is sent
			t.Fatalf("got %d with %d bytes held", got.StatusCode, held.Load())
		}
		statuses := map[int]bool{}
		for room := int64(len(long)); room < 5*int64(len(long)); room += 500 {
			h.eventually("everything is given back", func() bool { return h.budget.Taken() == 0 })
			h.budget.Take(4<<20 - room)
			statuses[h.at(c.path, long).StatusCode] = true
			h.budget.Give(4<<20 - room)
		}
		if len(statuses) != 2 || !statuses[200] || !statuses[503] {
			t.Errorf("got %v, want 503 without room and 200 with it", statuses)
		}
	})
}

func TestAReasonToStopThatIsNotKnownIsLogged(t *testing.T) {
	eachCrossing(t, func(t *testing.T, c crossing) {
		for word, want := range map[string]string{"vendor_stop": "vendor_stop", "the prompt was: hi": "not a word"} {
			change := strings.NewReplacer(`"tool_use","usage"`, `"`+word+`","usage"`, `"finish_reason":"tool_calls"`, `"finish_reason":"`+word+`"`,
				`"stop_reason":"end_turn"`, `"stop_reason":"`+word+`"`, `"finish_reason":"stop"`, `"finish_reason":"`+word+`"`)
			var streamed []string
			for _, e := range c.events {
				streamed = append(streamed, change.Replace(e))
			}
			h := gateway(t, options{kinds: both(c.kind)}, newUpstream(t, complete(change.Replace(c.answer)), events(streamed...)))
			for i, body := range []string{c.body, c.streamed()} {
				if got := h.at(c.path, body); got.StatusCode != 200 {
					t.Fatalf("got %d %s", got.StatusCode, got.body)
				}
				h.eventually("the reason is logged", func() bool { return strings.Count(h.log.String(), `"unknown_stop_reason":"`+want+`"`) == i+1 })
			}
		}
	})
}

// TestWhatAStreamKeepsUntilItsEndIsBounded: the last event of a response repeats the whole answer.
func TestWhatAStreamKeepsUntilItsEndIsBounded(t *testing.T) {
	piece := typed("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":"`+strings.Repeat("a", 10<<10)+`"}`)
	c := crossings[2]
	for name, room := range map[string]int64{"by the limit of answers": 4 << 20, "by the budget": 300 << 10} {
		var all []string
		for range 200 {
			all = append(all, piece)
		}
		h := gateway(t, options{kinds: both(c.kind)}, newUpstream(t, events(append(slices.Clone(messageEvents[:3]), all...)...)))
		h.budget.Take(4<<20 - room)
		got := h.at(c.path, c.streamed())
		if n := strings.Count(got.body, "response.output_text.delta\n"); n < 20 || n > 110 || strings.Count(got.body, "event: error\n") != 1 {
			t.Errorf("%s: got %d pieces and %.200s", name, n, got.body[max(0, len(got.body)-200):])
		}
		h.eventually("everything is given back", func() bool { return h.budget.Taken() == 4<<20-room })
	}
}
