package scenario

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// promptMembers are how the endpoints take a prompt.
var promptMembers = map[string]func(text string) string{
	"/v1/chat/completions": func(text string) string { return `"messages":[{"role":"user","content":` + text + `}]` },
	"/v1/completions":      func(text string) string { return `"prompt":` + text },
	"/v1/responses": func(text string) string {
		return `"input":[{"role":"user","content":[{"type":"input_text","text":` + text + `}]}]`
	},
}

func thePromptPicksTheModel(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "prompts")
	c := newComparing(t, env, o, "prompts")
	c.speakMessages(o)
	ready(t, env.Proxies(), "prompts-messages")
	for _, p := range env.Proxies() {
		c.picks(program(t, p, key))
		c.picksForMessages(program(t, p, key))
		c.embedsOnceForMany(program(t, p, key))
		if target, err := direct(t, p, key).chat(t.Context(), c.routing, true); err != nil || target != c.chat {
			t.Errorf("a stream: answered by %q, %v", target, err)
		}
	}
	for _, prompt := range []string{codePrompt, translatePrompt, neitherPrompt} {
		if n := c.sent(prompt); n != len(env.Proxies()) {
			t.Errorf("%q was embedded %d times, want once by each of %d nodes", prompt, n, len(env.Proxies()))
		}
	}
	c.knowsItsExamples("two nodes")

	env.Scale(t, 0)
	env.Scale(t, 1)
	ready(t, env.Proxies(), c.routing)
	program(t, env.Proxies()[0], key).says(c.routing, codePrompt).servedBy(t, c.code, "after a restart")
	c.knowsItsExamples("a restart")
}

// picks checks where each prompt leads, on every endpoint, twice.
func (c comparing) picks(client *operator) {
	c.t.Helper()
	for range 2 {
		for path, members := range promptMembers {
			for prompt, want := range map[string]string{codePrompt: c.code, translatePrompt: c.translate, neitherPrompt: c.chat} {
				client.asks(path, c.routing, members(quoted(prompt))).servedBy(c.t, want, fmt.Sprintf("%s: %q", path, prompt))
			}
		}
	}
}

// speakMessages stores a routing like the comparing's, over models that speak the Anthropic API.
func (c comparing) speakMessages(o *operator) {
	const name = "prompts-messages"
	for model, u := range map[string]Upstream{"code": c.coder, "translate": c.translator, "chat": c.chatter} {
		o.put("providers/"+name+"-"+model, fmt.Sprintf(`{"kind":"anthropic","base_url":%q}`, u.BaseURL))
		o.put("models/"+name+"-"+model, fmt.Sprintf(`{"provider":"%s-%s","upstream_model":"m"}`, name, model))
	}
	o.put("routings/"+name, fmt.Sprintf(`{"strategy":"semantic","targets":%s,"semantic":%s}`, exampleTargets(name, ""), c.semantic("")))
}

func (c comparing) picksForMessages(client *operator) {
	c.t.Helper()
	for prompt, want := range map[string]string{codePrompt: "code", translatePrompt: "translate", neitherPrompt: "chat"} {
		a := client.asks("/v1/messages", "prompts-messages", `"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":`+quoted(prompt)+`}]}]`)
		a.servedBy(c.t, "prompts-messages-"+want, fmt.Sprintf("/v1/messages: %q", prompt))
	}
}

// embedsOnceForMany sends a prompt by several requests at the same time.
func (c comparing) embedsOnceForMany(client *operator) {
	c.t.Helper()
	c.embedder.Behave(upstream.Behaviour{FirstToken: 200 * time.Millisecond})
	defer c.embedder.Behave(upstream.Behaviour{})
	prompt := "Write a function for " + client.url
	var together sync.WaitGroup
	for range workers {
		together.Go(func() {
			a, err := client.send(http.MethodPost, "/v1/completions", fmt.Sprintf(`{"model":%q,"prompt":%q}`, c.routing, prompt))
			if err != nil || a.Header.Get("X-Sluice-Target") != c.code {
				c.t.Errorf("one of many: got %d %v: %s", a.Status, err, a.Body)
			}
		})
	}
	together.Wait()
	if n := c.sent(prompt); n != 1 {
		c.t.Errorf("a prompt of %d requests at one time was embedded %d times, want once", workers, n)
	}
}

// knowsItsExamples checks that each was embedded once, ever.
func (c comparing) knowsItsExamples(after string) {
	c.t.Helper()
	for _, example := range []string{"Write a function", "Fix the bug in this code", "Translate this into French", "How do you say this in Spanish?"} {
		if n := c.sent(example); n != 1 {
			c.t.Errorf("after %s: the example %q was embedded %d times, want once for the whole fleet", after, example, n)
		}
	}
}

func aMatchThatFailsFallsToTheNextThatCleared(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "failing")
	c := newComparing(t, env, o, "failing")
	for _, model := range []string{c.code, c.translate} {
		o.written(http.MethodPut, "models/"+model, fmt.Sprintf(`{"provider":%q,"upstream_model":"m","cooldown":{"duration":"0s"}}`, model))
	}
	c.put(o, "failing-kept", `,"failover":"none"`, "")
	c.put(o, "failing-tagged", `,"failover":"none"`, `,"tags":["eu"]`)
	c.put(o, "failing-strict", "", `,"threshold":0.95`)
	o.put("routings/failing-inner", fmt.Sprintf(`{"strategy":"failover","retries":0,"targets":[{"model":%q},{"model":%q}]}`, c.code, c.translate))
	o.put("routings/failing-outer", fmt.Sprintf(`{"strategy":"semantic","retries":0,"targets":[{"model":"failing-inner","examples":["Write a function"]},{"model":%q,"catchall":true}],"semantic":%s}`, c.chat, c.semantic("")))
	ready(t, env.Proxies(), c.routing, "failing-kept", "failing-tagged", "failing-strict", "failing-outer")

	for _, p := range env.Proxies() {
		client := program(t, p, key)
		c.failsOver(client)
		c.keepsToItsMatch(client)
		a := client.says("failing-strict", codePrompt)
		a.servedBy(t, c.chat, "a bar that nobody clears")
		a.led(t, "fallback", c.code)
		client.says("failing-strict", "Write a function").servedBy(t, c.code, "a high bar cleared by its example")
		c.nests(client)
	}
}

// failsOver ends with all upstreams well.
func (c comparing) failsOver(client *operator) {
	c.t.Helper()
	down := upstream.Behaviour{Status: http.StatusServiceUnavailable, Message: "down"}
	defer func() { c.coder.Behave(upstream.Behaviour{}); c.translator.Behave(upstream.Behaviour{}) }()
	both := client.says(c.routing, bothPrompt)
	first, next, nextUp := c.code, c.translate, c.translator
	firstUp := c.coder
	if both.Header.Get("X-Sluice-Target") == c.translate {
		first, next, firstUp, nextUp = c.translate, c.code, c.translator, c.coder
	}
	both.servedBy(c.t, first, "the likest")
	both.led(c.t, first, first)
	firstUp.Behave(down)
	a := client.says(c.routing, bothPrompt)
	a.servedBy(c.t, next, "the likest is down")
	if got := a.Header.Get("X-Sluice-Attempts"); got != "2" {
		c.t.Errorf("the likest is down: %s attempts, want 2", got)
	}
	nextUp.Behave(down)
	client.says(c.routing, bothPrompt).servedBy(c.t, c.chat, "both that cleared are down")
}

func (c comparing) keepsToItsMatch(client *operator) {
	c.t.Helper()
	client.says("failing-kept", codePrompt).servedBy(c.t, c.code, "kept to its match")
	before := c.hits()
	c.coder.Behave(upstream.Behaviour{Status: http.StatusServiceUnavailable, Message: "down"})
	defer c.coder.Behave(upstream.Behaviour{})
	a := client.says("failing-kept", codePrompt)
	if after := c.hits(); a.Status != http.StatusServiceUnavailable || after != [3]int{before[0] + 1, before[1], before[2]} {
		c.t.Errorf("kept to a match that is down: got %d after %v, then %v requests, want 503 and nobody else asked: %s", a.Status, before, after, a.Body)
	}
	a.led(c.t, c.code, c.code)

	c.coder.Behave(upstream.Behaviour{})
	client.says("failing-tagged", codePrompt, "X-Sluice-Tags", "eu").servedBy(c.t, c.code, "kept to its match, whose tag is asked for")
	client.says("failing-tagged", codePrompt).refused(c.t, http.StatusBadRequest, "tags_not_served", "kept to a match that the tags leave out")
	client.says("failing-tagged", neitherPrompt).servedBy(c.t, c.chat, "a prompt without a match")
}

// nests asks a routing whose target is another routing.
func (c comparing) nests(client *operator) {
	c.t.Helper()
	a := client.says("failing-outer", codePrompt)
	a.servedBy(c.t, c.code, "a routing as target")
	a.led(c.t, "failing-inner", "failing-inner:")
	c.coder.Behave(upstream.Behaviour{Status: http.StatusServiceUnavailable, Message: "down"})
	defer c.coder.Behave(upstream.Behaviour{})
	client.says("failing-outer", codePrompt).servedBy(c.t, c.translate, "a routing as target, its first is down")
}
