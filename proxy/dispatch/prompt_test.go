package dispatch_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/proxy/embed"
)

// chatOf is a chat request with these messages.
func chatOf(messages string) string { return `{"model":"r","messages":[` + messages + `]}` }

func TestWhatIsEmbeddedIsTheTextOfTheUsersLastMessage(t *testing.T) {
	u := newUpstream(t, vectors(meanings...))
	h := gateway(t, semanticOptions(u, ""), trio(t)...).ready()
	for name, c := range map[string]struct{ body, want string }{
		"a string":              {asks("one"), "one"},
		"several user messages": {chatOf(`{"role":"user","content":"first"},{"role":"assistant","content":"well"},{"role":"user","content":"second"}`), "second"},
		"a system message last": {chatOf(`{"role":"user","content":"asked"},{"role":"system","content":"rules"}`), "asked"},
		"the result of a tool last": {
			chatOf(`{"role":"user","content":"weather?"},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"sunny"}`),
			"weather?",
		},
		"text and images": {
			chatOf(`{"role":"user","content":[{"type":"text","text":"what is"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}},{"type":"text","text":"this?"}]}`),
			"what is\nthis?",
		},
		"white space around it": {asks(" \n\t padded \n"), "padded"},
		"a page of white space": {asks(strings.Repeat(" \n", 1<<15) + "far"), "far"},
		"a lone surrogate":      {chatOf(`{"role":"user","content":"a\ud800b"}`), "a\uFFFDb"},
		"escapes":               {chatOf(`{"role":"user","content":"\u0066unction\n\"x\""}`), "function\n\"x\""},
	} {
		t.Run(name, func(t *testing.T) {
			before := u.count()
			h.post(c.body).served(t)
			if u.count() != before+1 {
				t.Fatalf("%d calls, want one", u.count()-before)
			}
			if got := u.call(t, -1); len(got.Input) != 1 || got.Input[0] != c.want || got.Model == nil || *got.Model != "e" {
				t.Errorf("sent %q, want %q", got.Input, c.want)
			}
		})
	}
}

func TestAPromptOfAMegabyteIsCutBetweenCharacters(t *testing.T) {
	u := newUpstream(t, vectors(meanings...))
	h := gateway(t, semanticOptions(u, ""), trio(t)...).ready()
	for _, shift := range []string{"", "x", "xx"} {
		h.post(asks(shift + strings.Repeat("€", 330_000))).served(t)
		sent := u.call(t, -1).Input[0]
		if n := len(sent); n > embed.DefaultTextLimit || n < embed.DefaultTextLimit-2 || !utf8.ValidString(sent) || strings.ContainsRune(sent, utf8.RuneError) {
			t.Errorf("sent %d bytes, want up to %d that end with a character", n, embed.DefaultTextLimit)
		}
	}
}

func TestARequestWithoutTextGoesToTheCatchallUncompared(t *testing.T) {
	for _, settings := range []string{"", `,"on_embedding_failure":"fail"`} {
		u := newUpstream(t, vectors(meanings...))
		h := gateway(t, semanticOptions(u, settings+`,"expose_scores":true`), trio(t)...).ready()
		before := u.count()
		for name, body := range map[string]string{
			"an empty string":    asks(""),
			"white space":        asks(" \n\t\u00a0 "),
			"images only":        chatOf(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}`),
			"no parts":           chatOf(`{"role":"user","content":[]}`),
			"null":               chatOf(`{"role":"user","content":null}`),
			"no user":            chatOf(`{"role":"system","content":"rules"}`),
			"no messages":        `{"model":"r"}`,
			"something else":     `{"model":"r","messages":"text"}`,
			"a number as text":   chatOf(`{"role":"user","content":7}`),
			"parts without text": chatOf(`{"role":"user","content":[{"type":"text"},{"type":"text","text":null},{}]}`),
		} {
			got := h.post(body)
			if target := got.served(t); target != "c" || u.count() != before {
				t.Errorf("%s: served by %s after %d calls, want the catchall without one", name, target, u.count()-before)
			}
			if got.Header.Get("X-AI-Semantic-Route") != "fallback" || got.Header.Get("X-AI-Semantic-Scores") != "" {
				t.Errorf("%s: got %v", name, got.Header)
			}
		}
	}
}

func TestAPromptSeenBeforeCostsNoCall(t *testing.T) {
	u := newUpstream(t, vectors(meanings...))
	h := gateway(t, semanticOptions(u, ""), trio(t)...).ready()
	h.post(asks(likeB))
	before := u.count()
	for range 20 {
		if target := h.post(asks(likeB)).served(t); target != "b" {
			t.Fatalf("served by %s", target)
		}
	}
	if u.count() != before {
		t.Errorf("%d calls for a prompt that is known", u.count()-before)
	}
}
