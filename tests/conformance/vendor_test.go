package conformance

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/conversation/conversationtest"
)

// reply is what a model says, in no vendor's words.
type reply struct {
	thought, text string
	calls         []call
	stop          string // end, length, tools or filter
}

type call struct{ ID, Name, Arguments string }

// usage is what an answer costs: In counts all of the prompt, Cached what came from a cache.
type usage struct{ In, Cached, Out int64 }

// counted is what each answer of a vendor costs.
var counted = usage{In: 11, Cached: 4, Out: 7}

// vendor answers conversations as one kind of provider does, a reply for each request, and notes what it hears.
type vendor struct {
	t       *testing.T
	kind    string
	replies []reply
	heard   []string // of the last request
}

// asked is where and how each kind of provider is asked.
var asked = map[string]struct{ uri, header, credential string }{
	"openai":       {"/v1/chat/completions", "Authorization", "Bearer sk-of-the-gateway"},
	"azure-openai": {"/openai/deployments/up/chat/completions?api-version=2024-10-21", "Api-Key", "sk-of-the-gateway"},
	"anthropic":    {"/v1/messages", "X-Api-Key", "sk-of-the-gateway"},
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if want := asked[v.kind]; err != nil || r.RequestURI != want.uri || r.Header.Get(want.header) != want.credential || len(v.replies) == 0 {
		v.t.Errorf("%s was asked at %s with %v: %v", v.kind, r.RequestURI, r.Header, err)
		http.Error(w, "no such request", http.StatusTeapot)
		return
	}
	said := v.replies[0]
	v.replies = v.replies[1:]
	var streamed struct {
		Stream        bool
		StreamOptions struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if err := json.Unmarshal(body, &streamed); err != nil {
		v.t.Error(err)
	}
	whole, events := said.chat, said.chatEvents
	if v.kind == "anthropic" {
		if err := conversationtest.MessagesRequest(body); err != nil || r.Header.Get("Anthropic-Version") == "" {
			v.t.Errorf("the vendor would refuse %s: %v", body, err)
		}
		v.heard = hearMessages(v.t, body)
		whole, events = said.message, func(bool) []string { return said.messageEvents() }
	} else {
		v.heard = hearChat(v.t, body)
	}
	if !streamed.Stream {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, whole())
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events(streamed.StreamOptions.Usage) {
		io.WriteString(w, e)
		http.NewResponseController(w).Flush()
	}
}

// halves cuts a text in two, as models send it; an empty one has none.
func halves(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s[:len(s)/2], s[len(s)/2:]}
}

func marshal(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// texts reads a content that is a string or parts, and hears each part.
func texts(t *testing.T, content json.RawMessage, hear func(part json.RawMessage)) {
	t.Helper()
	var s string
	if len(content) == 0 || string(content) == "null" {
		return
	}
	if json.Unmarshal(content, &s) == nil {
		for _, paragraph := range strings.Split(s, "\n\n") {
			hear(json.RawMessage(marshal(map[string]string{"type": "text", "text": paragraph})))
		}
		return
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(content, &parts); err != nil {
		t.Errorf("%v in %s", err, content)
	}
	for _, p := range parts {
		hear(p)
	}
}
