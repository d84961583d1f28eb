package scenario

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// Prompts, and what they have in common with the examples of a comparing: many words, a few of both, or none.
const (
	codePrompt      = "Write a function that sorts a list"
	translatePrompt = "Translate good morning into French"
	bothPrompt      = "Write a function and translate this into French"
	neitherPrompt   = "Recommend me some music"
)

// comparing is a semantic routing over three models. The first two have examples, the third serves the rest.
type comparing struct {
	t                     *testing.T
	routing               string
	code, translate, chat string // models
	coder, translator     Upstream
	chatter, embedder     Upstream
}

// exampleTargets are the targets of a routing by that name; members stand in each that has examples.
func exampleTargets(name, members string) string {
	return fmt.Sprintf(`[{"model":"%[1]s-code","examples":["Write a function","Fix the bug in this code"]%[2]s},`+
		`{"model":"%[1]s-translate","examples":["Translate this into French","How do you say this in Spanish?"]%[2]s},{"model":"%[1]s-chat","catchall":true}]`, name, members)
}

// newComparing stores a routing whose answers tell of the scores, and waits until every node has its vectors.
func newComparing(t *testing.T, env Environment, o *operator, name string) comparing {
	t.Helper()
	acquainted(t, env.Proxies())
	c := comparing{
		t: t, routing: name, code: name + "-code", translate: name + "-translate", chat: name + "-chat",
		coder: env.Upstream(t, upstream.Behaviour{}), translator: env.Upstream(t, upstream.Behaviour{}),
		chatter: env.Upstream(t, upstream.Behaviour{}), embedder: env.Upstream(t, upstream.Behaviour{}),
	}
	serve(o, c.code, c.coder)
	serve(o, c.translate, c.translator)
	serve(o, c.chat, c.chatter)
	o.put("providers/"+name+"-vectors", fmt.Sprintf(`{"kind":"openai","base_url":%q}`, c.embedder.BaseURL))
	c.put(o, name, "", "")
	ready(t, env.Proxies(), name)
	return c
}

// put stores a routing of that name over the targets of the comparing. settings are further members of semantic, members
// such of the targets with examples.
func (c comparing) put(o *operator, name, settings, members string) {
	o.put("routings/"+name, fmt.Sprintf(`{"strategy":"semantic","retries":0,"targets":%s,"semantic":%s}`, exampleTargets(c.routing, members), c.semantic(settings)))
}

// semantic is that block of a routing.
func (c comparing) semantic(settings string) string {
	return fmt.Sprintf(`{"embeddings":{"provider":"%s-vectors","model":"demo-hashed-ngrams","timeout":"1s"},"threshold":0.25,"expose_scores":true%s}`, c.routing, settings)
}

// sent returns how often the embedder was sent that text.
func (c comparing) sent(text string) int {
	n := 0
	for _, r := range c.embedder.Requests() {
		for _, input := range r.Input {
			if input == text {
				n++
			}
		}
	}
	return n
}

// hits returns how many requests each of the three models' upstreams got.
func (c comparing) hits() [3]int {
	return [3]int{len(c.coder.Requests()), len(c.translator.Requests()), len(c.chatter.Requests())}
}

// acquainted waits until the nodes know one another: those that do agree on who embeds.
func acquainted(t *testing.T, nodes []Proxy) {
	t.Helper()
	for _, p := range nodes {
		eventually(t, patience, func() error {
			if a := status(t, p); a.Peers < len(nodes) { // those that have left count until their leases end
				return fmt.Errorf("%s knows %d nodes, want %d", p.Status, a.Peers, len(nodes))
			}
			return nil
		})
	}
}

// ready waits until the examples of routings are embedded on all nodes.
func ready(t *testing.T, nodes []Proxy, routings ...string) {
	t.Helper()
	for _, p := range nodes {
		eventually(t, patience, func() error {
			a := status(t, p)
			for _, name := range routings {
				if !slices.ContainsFunc(a.Semantic, func(s compared) bool { return s.Routing == name && s.Ready }) {
					return fmt.Errorf("%s has not the vectors of %q: %s", p.Status, name, a.raw)
				}
			}
			return nil
		})
	}
}

// program returns a client of one proxy that sees every header.
func program(t *testing.T, p Proxy, key string) *operator {
	client := &http.Client{Timeout: patience, Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &operator{t, p.API, key, client}
}

// says sends a prompt as a chat, with headers as names and values in turn.
func (o *operator) says(model, prompt string, header ...string) answer {
	o.t.Helper()
	return o.asks("/v1/chat/completions", model, `"messages":[{"role":"user","content":`+quoted(prompt)+`}]`, header...)
}

// asks sends one request with further members of the body.
func (o *operator) asks(path, model, members string, header ...string) answer {
	o.t.Helper()
	a, err := o.send(http.MethodPost, path, fmt.Sprintf(`{"model":%q,%s}`, model, members), header...)
	if err != nil {
		o.t.Fatalf("POST %s with %q: %v", path, model, err)
	}
	return a
}

func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return string(out)
}

// servedBy fails the test unless that model has answered.
func (a answer) servedBy(t *testing.T, want, why string) {
	t.Helper()
	if got := a.Header.Get("X-Sluice-Target"); a.Status != http.StatusOK || got != want {
		t.Errorf("%s: got %d by %q, want an answer by %q: %s", why, a.Status, got, want, a.Body)
	}
}

// refused fails the test unless the gateway has refused with that status and code.
func (a answer) refused(t *testing.T, status int, code, why string) {
	t.Helper()
	var got struct{ Error struct{ Code string } }
	if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.Status != status || got.Error.Code != code {
		t.Errorf("%s: got %d %s, want %d %s", why, a.Status, a.Body, status, code)
	}
}

// led fails the test unless the answer says that the prompt led there and begins its scores with that model.
func (a answer) led(t *testing.T, route, best string) {
	t.Helper()
	got, scores := a.Header.Get("X-Ai-Semantic-Route"), a.Header.Get("X-Ai-Semantic-Scores")
	if got != route || (best == "") != (scores == "") || !strings.HasPrefix(scores, best) {
		t.Errorf("the prompt led to %q by %q, want %q by scores that begin with %q", got, scores, route, best)
	}
}
