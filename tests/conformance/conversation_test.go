package conformance

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// prompt is what a program asks by its SDK, in no SDK's words.
type prompt struct {
	system []string
	text   string
	image  string // a PNG in base64
	tool   bool   // the tool "add" may be called
	schema bool   // the answer is to follow the schema
	think  bool
}

// account is what an SDK tells its program of an answer.
type account struct {
	Text, Thought string
	Calls         []call
	Stop          string
	Usage         usage
	Model         string
}

// talk is a conversation that an SDK holds; it keeps the turns as the SDK does.
type talk interface {
	ask(ctx context.Context, q prompt) (account, error)
	// hand gives the results of calls back, by the ids of the calls, and asks on.
	hand(ctx context.Context, ids, results []string) (account, error)
}

// scenario is a conversation of some turns.
type scenario struct {
	name    string
	prompt  prompt
	replies []reply
	results []string // of the calls of the first reply
	heard   []string // by the vendor, in its last request
}

const (
	png        = "iVBORw0KGgo="
	parameters = `{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"type":"object"}`
	city       = `{"additionalProperties":false,"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}`
)

var (
	one = call{"call_1", "add", `{"a":1,"b":2}`}
	two = call{"call_2", "add", `{"a":3,"b":4}`}
)

var scenarios = []scenario{
	{name: "text", prompt: prompt{text: "Hi."}, replies: []reply{{text: "Hello, you.", stop: "end"}}, heard: []string{"user: Hi."}},
	{
		name: "system prompts", prompt: prompt{system: []string{"Be brief.", "Be kind."}, text: "Hi."}, replies: []reply{{text: "Hello.", stop: "end"}},
		heard: []string{"system: Be brief.", "system: Be kind.", "user: Hi."},
	},
	{name: "length", prompt: prompt{text: "Hi."}, replies: []reply{{text: "Hel", stop: "length"}}, heard: []string{"user: Hi."}},
	{name: "filter", prompt: prompt{text: "Hi."}, replies: []reply{{text: "I", stop: "filter"}}, heard: []string{"user: Hi."}},
	{
		name: "image", prompt: prompt{text: "What is it?", image: png}, replies: []reply{{text: "A dot.", stop: "end"}},
		heard: []string{"user: What is it?", "user image: data:image/png;base64," + png},
	},
	{
		name: "structured output", prompt: prompt{text: "Where?", schema: true}, replies: []reply{{text: `{"city":"Bern"}`, stop: "end"}},
		heard: []string{"user: Where?", "schema: " + city},
	},
	{
		name: "tool loop", prompt: prompt{text: "1+2?", tool: true}, results: []string{"3"},
		replies: []reply{{text: "I add.", calls: []call{one}, stop: "tools"}, {text: "3.", stop: "end"}},
		heard:   []string{"user: 1+2?", "assistant: I add.", `call call_1: add {"a":1,"b":2}`, "result call_1: 3", "tool add: " + parameters},
	},
	{
		name: "parallel tool calls", prompt: prompt{text: "1+2, 3+4?", tool: true}, results: []string{"3", "7"},
		replies: []reply{{calls: []call{one, two}, stop: "tools"}, {text: "3 and 7.", stop: "end"}},
		heard: []string{
			"user: 1+2, 3+4?", `call call_1: add {"a":1,"b":2}`, `call call_2: add {"a":3,"b":4}`, "result call_1: 3", "result call_2: 7", "tool add: " + parameters,
		},
	},
	{
		name: "thinking before a call", prompt: prompt{text: "1+2?", tool: true, think: true}, results: []string{"3"},
		replies: []reply{{thought: "Let me add.", calls: []call{one}, stop: "tools"}, {text: "3.", stop: "end"}},
		heard:   []string{"user: 1+2?", "thought: Let me add. signed", `call call_1: add {"a":1,"b":2}`, "result call_1: 3", "tool add: " + parameters, "think"},
	},
}

// kinds are the kinds of providers.
var kinds = []string{"openai", "azure-openai", "anthropic"}

// TestConversationsAreTheSameOverEveryKindOfProvider: whatever the SDK, the provider and the way an answer comes.
func TestConversationsAreTheSameOverEveryKindOfProvider(t *testing.T) {
	n := newNode(t)
	openAI, anthropic := n.openAI(), n.anthropic()
	for _, kind := range kinds {
		v := &vendor{t: t, kind: kind}
		n.serve(kind, kind, v.ServeHTTP)
		for _, way := range []string{"whole", "streamed"} {
			for sdk, begin := range map[string]func() talk{
				"chat":     func() talk { return newChatTalk(openAI, kind, way == "streamed") },
				"messages": func() talk { return newMessagesTalk(anthropic, kind, way == "streamed") },
			} {
				for _, s := range scenarios {
					t.Run(sdk+" of "+kind+" "+way+"/"+s.name, func(t *testing.T) { s.run(t, v, begin(), sdk) })
				}
			}
		}
	}
}

func (s scenario) run(t *testing.T, v *vendor, k talk, sdk string) {
	v.t = t
	v.heard, v.replies = nil, s.replies
	got, err := k.ask(t.Context(), s.prompt)
	if err != nil {
		t.Fatal(err)
	}
	same(t, v, sdk, s.replies[0], got)
	if len(s.results) > 0 {
		ids := make([]string, len(got.Calls))
		for i := range ids {
			ids[i] = got.Calls[i].ID
		}
		if got, err = k.hand(t.Context(), ids, s.results); err != nil {
			t.Fatal(err)
		}
		same(t, v, sdk, s.replies[1], got)
	}
	if diff := cmp.Diff(s.expected(v, sdk), v.heard); diff != "" {
		t.Errorf("the vendor heard (-want +got):\n%s", diff)
	}
}

// same compares what an SDK tells with what the vendor said.
func same(t *testing.T, v *vendor, sdk string, said reply, got account) {
	t.Helper()
	want := account{Text: said.text, Thought: said.thought, Calls: said.calls, Stop: said.stop, Usage: counted, Model: "up"}
	if sdk == "messages" && v.kind != "anthropic" {
		want.Thought = "" // another vendor's is not shown
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the program is told (-want +got):\n%s", diff)
	}
}

// expected is what of a conversation a vendor hears: its own thoughts come back to it alone, and from a caller who can
// keep their signature.
func (s scenario) expected(v *vendor, sdk string) []string {
	var want []string
	for _, line := range s.heard {
		if sdk == "messages" && v.kind == "anthropic" || line != "thought: Let me add. signed" {
			want = append(want, line)
		}
	}
	if s.prompt.think && sdk == "chat" && v.kind == "anthropic" { // it refuses to think on without the signed thought
		want = want[:len(want)-1]
	}
	return want
}

// canonical returns JSON with its members in the order of their names.
func canonical(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Error(err)
	}
	return string(out)
}
