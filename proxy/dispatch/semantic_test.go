package dispatch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
	"github.com/sluice-gateway/sluice/proxy/envelope"
)

// Prompts and what they mean: how like they are to the example of a, to that of b, and to nothing.
const (
	exampleA = "write a function"
	exampleB = "say it in French"
	likeA    = "a loop over a slice"
	likeB    = "good morning in French"
	likeBoth = "a French comment in my code"
	likeNone = "how are you"
)

var meanings = []string{
	exampleA + ": 1 0 0", exampleB + ": 0 1 0", likeA + ": 0.9 0.1 0", likeB + ": 0.1 0.9 0", likeBoth + ": 0.8 0.7 0", likeNone + ": 0.1 0.2 0.9",
}

// semanticOptions are those of a routing in which a and b have an example each and c is the catchall. settings are
// further members of "semantic".
func semanticOptions(u *upstream, settings string) options {
	return options{
		strategy: "semantic", vectors: u, targets: []string{`,"examples":["` + exampleA + `"]`, `,"examples":["` + exampleB + `"]`, `,"catchall":true`},
		routing: `,"retries":0,"semantic":{"embeddings":{"provider":"vectors","model":"e"},"threshold":0.5` + settings + `}`,
	}
}

// trio is three upstreams that answer.
func trio(t *testing.T) []*upstream {
	return []*upstream{newUpstream(t, answer("A")), newUpstream(t, answer("B")), newUpstream(t, answer("C"))}
}

func TestThePromptPicksTheTargetWhoseExamplesItIsLikest(t *testing.T) {
	h := gateway(t, semanticOptions(newUpstream(t, vectors(meanings...)), `,"expose_scores":true`), trio(t)...).ready()
	for _, c := range []struct{ prompt, target, route, scores string }{
		{likeA, "a", "a", "a:0.9939,b:0.1104"},
		{likeB, "b", "b", "b:0.9939,a:0.1104"},
		{likeBoth, "a", "a", "a:0.7526,b:0.6585"},
		{exampleB, "b", "b", "b:1.0000,a:0.0000"},
		{likeNone, "c", "fallback", "b:0.2157,a:0.1078"},
	} {
		got := h.post(asks(c.prompt))
		if target := got.served(t); target != c.target {
			t.Errorf("%q: served by %s, want %s", c.prompt, target, c.target)
		}
		if route, scores := got.Header.Get("X-AI-Semantic-Route"), got.Header.Get("X-AI-Semantic-Scores"); route != c.route || scores != c.scores {
			t.Errorf("%q: got route %q and scores %q, want %q and %q", c.prompt, route, scores, c.route, c.scores)
		}
	}
	log := h.log.String()
	if n := strings.Count(log, "prompt is like no target's examples"); n != 1 || !strings.Contains(log, `"scores":"b:0.2157,a:0.1078"`) {
		t.Errorf("the prompt that is like nothing is told of %d times, want once with its scores, in %s", n, log)
	}
	if strings.Contains(log, likeNone) {
		t.Error("the log repeats a prompt")
	}
}

func TestScoresAreOnlyShownWhereTheRoutingSaysSo(t *testing.T) {
	h := gateway(t, semanticOptions(newUpstream(t, vectors(meanings...)), ""), trio(t)...).ready()
	got := h.post(asks(likeA))
	if target := got.served(t); target != "a" || got.Header["X-Ai-Semantic-Route"] != nil || got.Header["X-Ai-Semantic-Scores"] != nil {
		t.Errorf("served by %s with %v", target, got.Header)
	}
}

func TestAStreamSaysWhereItsPromptLed(t *testing.T) {
	stream := newUpstream(t, events(role, token("hello"), stop, done))
	h := gateway(t, semanticOptions(newUpstream(t, vectors(meanings...)), `,"expose_scores":true`), stream, newUpstream(t, answer("B")), newUpstream(t, answer("C"))).ready()
	got := h.post(strings.Replace(asks(likeA), "{", `{"stream":true,`, 1))
	if target := got.served(t); target != "a" || got.Header.Get("X-AI-Semantic-Route") != "a" || got.Header.Get("X-AI-Semantic-Scores") != "a:0.9939,b:0.1104" {
		t.Errorf("served by %s with %v", target, got.Header)
	}
}

func TestAMatchThatFailsFallsToTheNextThatClearedAndThenToTheCatchall(t *testing.T) {
	down := func(t *testing.T) *upstream { return newUpstream(t, status(503, "{}")) }
	for name, c := range map[string]struct {
		prompt string
		ups    func(t *testing.T) []*upstream
		hits   []int
		target string
	}{
		"to the next":            {likeBoth, func(t *testing.T) []*upstream { return append([]*upstream{down(t)}, trio(t)[1:]...) }, []int{1, 1, 0}, "b"},
		"to the catchall":        {likeBoth, func(t *testing.T) []*upstream { return []*upstream{down(t), down(t), trio(t)[2]} }, []int{1, 1, 1}, "c"},
		"past what cleared none": {likeA, func(t *testing.T) []*upstream { return append([]*upstream{down(t)}, trio(t)[1:]...) }, []int{1, 0, 1}, "c"},
	} {
		t.Run(name, func(t *testing.T) {
			h := gateway(t, semanticOptions(newUpstream(t, vectors(meanings...)), ""), c.ups(t)...).ready()
			if target := h.post(asks(c.prompt)).served(t); target != c.target || !slices.Equal(h.hits(), c.hits) {
				t.Errorf("served by %s after %v, want %s after %v", target, h.hits(), c.target, c.hits)
			}
		})
	}
}

func TestAMatchThatCoolsIsPassedOver(t *testing.T) {
	o := semanticOptions(newUpstream(t, vectors(meanings...)), "")
	o.model = `,"cooldown":{"failures":1,"duration":"1m"}`
	h := gateway(t, o, append([]*upstream{newUpstream(t, status(503, "{}"))}, trio(t)[1:]...)...).ready()
	h.post(asks(likeBoth))
	if target := h.post(asks(likeBoth)).served(t); target != "b" || !slices.Equal(h.hits(), []int{1, 2, 0}) {
		t.Errorf("served by %s after %v, want b without asking a again", target, h.hits())
	}
}

func TestARequestThatIsKeptToItsMatchFailsWithIt(t *testing.T) {
	o := semanticOptions(newUpstream(t, vectors(meanings...)), `,"failover":"none","expose_scores":true`)
	h := gateway(t, o, append([]*upstream{newUpstream(t, status(503, "{}"))}, trio(t)[1:]...)...).ready()
	got := h.post(asks(likeBoth))
	if got.StatusCode != 503 || !slices.Equal(h.hits(), []int{1, 0, 0}) {
		t.Errorf("got %d after %v", got.StatusCode, h.hits())
	}
	if got.Header.Get("X-AI-Semantic-Route") != "a" || got.Header.Get("X-AI-Semantic-Scores") != "a:0.7526,b:0.6585" {
		t.Errorf("an error lacks where the prompt led: %v", got.Header)
	}
}

// nested asks the routing "outer".
func nested(body string) string { return strings.Replace(body, `"r"`, `"outer"`, 1) }

func TestATargetMayBeARouting(t *testing.T) {
	o := semanticOptions(newUpstream(t, vectors(meanings...)), "")
	o.more = map[string]string{
		"inner": `"strategy":"failover","retries":0,"targets":[{"model":"a"},{"model":"b"}]`,
		"outer": `"strategy":"semantic","retries":0,"targets":[{"model":"inner","examples":["` + exampleA + `"]},{"model":"c","catchall":true}],
			"semantic":{"embeddings":{"provider":"vectors","model":"e"},"threshold":0.5,"expose_scores":true}`,
	}
	h := gateway(t, o, append([]*upstream{newUpstream(t, status(503, "{}"))}, trio(t)[1:]...)...).ready()
	got := h.post(nested(asks(likeA)))
	if target := got.served(t); target != "b" || got.Header.Get("X-AI-Semantic-Route") != "inner" || got.Header.Get("X-AI-Semantic-Scores") != "inner:0.9939" {
		t.Errorf("served by %s with %v", target, got.Header)
	}
	if target := h.post(nested(asks(likeNone))).served(t); target != "c" {
		t.Errorf("served by %s, want the catchall", target)
	}
}

func TestAPromptIsEmbeddedOnceForAllRoutingsThatItMayComeTo(t *testing.T) {
	u := newUpstream(t, vectors(meanings...))
	o := semanticOptions(u, "")
	const alike = `"semantic":{"embeddings":{"provider":"vectors","model":"e"},"threshold":0.5,"expose_scores":true}`
	o.more = map[string]string{
		"outer": `"strategy":"semantic","targets":[{"model":"r","examples":["` + exampleA + `","` + exampleB + `"]},{"model":"c","catchall":true}],` + alike,
	}
	h := gateway(t, o, trio(t)...).ready()
	before := u.count()
	got := h.post(nested(asks(likeB)))
	if target := got.served(t); target != "b" || got.Header.Get("X-AI-Semantic-Route") != "r" || u.count() != before+1 {
		t.Errorf("served by %s with %v after %d calls, want b of r after one", target, got.Header, u.count()-before)
	}
	u.then(status(500, "{}"))
	before = u.count()
	if target := h.post(nested(asks("a prompt that cannot be embedded"))).served(t); target != "c" || u.count() != before+1 {
		t.Errorf("served by %s after %d calls, want the catchall after one", target, u.count()-before)
	}
}

func TestARequestMayHaveNestedComparisonsWithoutBeingForASemanticRouting(t *testing.T) {
	o := semanticOptions(newUpstream(t, vectors(meanings...)), "")
	o.more = map[string]string{"outer": `"strategy":"failover","targets":[{"model":"r"},{"model":"c"}]`}
	h := gateway(t, o, trio(t)...).ready()
	if target := h.post(nested(asks(likeB))).served(t); target != "b" {
		t.Errorf("served by %s, want b", target)
	}
}

func TestARequestThatDoesNotComeToASemanticRoutingSaysNothingOfIt(t *testing.T) {
	o := semanticOptions(newUpstream(t, vectors(meanings...)), "")
	o.more = map[string]string{
		"inner": `"strategy":"semantic","targets":[{"model":"a","examples":["` + exampleA + `"]},{"model":"b","catchall":true}],
			"semantic":{"embeddings":{"provider":"vectors","model":"e"},"threshold":0.5,"expose_scores":true}`,
		"outer": `"strategy":"failover","targets":[{"model":"c"},{"model":"inner"}]`,
	}
	h := gateway(t, o, trio(t)...).ready()
	got := h.post(nested(asks(likeNone)))
	if target := got.served(t); target != "c" || got.Header["X-Ai-Semantic-Route"] != nil || got.Header["X-Ai-Semantic-Scores"] != nil {
		t.Errorf("served by %s with %v", target, got.Header)
	}
	if log := h.log.String(); strings.Contains(log, "prompt is like") {
		t.Errorf("the log tells of a comparison that decided nothing: %s", log)
	}
}

// TestTheBestExampleDecides and not their mean: a has one that says the same, and two that are broader.
func TestTheBestExampleDecides(t *testing.T) {
	lines := []string{
		"same: 1 0 0", "broader: 0.5 0.8660254 0", "broadest: 0.4 0.9165151 0", "near: 0.7 0.7141428 0", "nearer: 0.7 0 0.7141428", "prompt: 1 0 0",
	}
	scores := func(t *testing.T, examples string) string {
		o := semanticOptions(newUpstream(t, vectors(lines...)), `,"expose_scores":true`)
		o.targets = []string{`,"examples":["near","nearer"]`, `,"examples":[` + examples + `]`, `,"catchall":true`}
		h := gateway(t, o, trio(t)...).ready()
		got := h.post(asks("prompt"))
		if target := got.served(t); target != "b" {
			t.Errorf("served by %s, want b, whose best example is the best", target)
		}
		return got.Header.Get("X-AI-Semantic-Scores")
	}
	with, without := scores(t, `"broadest","same","broader"`), scores(t, `"same"`)
	if with != "b:1.0000,a:0.7000" || without != with {
		t.Errorf("got %q with broader examples and %q without", with, without)
	}
}

func TestAScoreThatOnlyRoundingTookBelowTheBarClears(t *testing.T) {
	o := semanticOptions(newUpstream(t, vectors("edge: 1 0 0", "other: 0 0 1", "prompt: 0.7 0.7141428428542850 0")), "")
	o.targets = []string{`,"examples":["edge"],"threshold":0.7`, `,"examples":["other"]`, `,"catchall":true`}
	h := gateway(t, o, trio(t)...).ready()
	if target := h.post(asks("prompt")).served(t); target != "a" {
		t.Errorf("served by %s, want a, whose bar is 0.7", target)
	}
}

// TestEveryEndpointWithAPromptComparesIt and tells of failures in its own words.
func TestEveryEndpointWithAPromptComparesIt(t *testing.T) {
	for path, c := range map[string]struct{ kind, prompt, answer, refusal string }{
		"chat/completions": {"openai", `"messages":[{"role":"user","content":"` + likeB + `"}]`,
			`{"choices":[{"index":0,"message":{"role":"assistant","content":"B"},"finish_reason":"stop"}]}`, `"code":"embedding_failed"`},
		"completions": {"openai", `"prompt":"` + likeB + `"`, `{"choices":[{"index":0,"text":"B","finish_reason":"stop"}]}`, `"code":"embedding_failed"`},
		"responses": {"openai", `"input":[{"role":"user","content":[{"type":"input_text","text":"` + likeB + `"}]}]`,
			`{"id":"r","object":"response","status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"B"}]}]}`, `"code":"embedding_failed"`},
		"messages": {"anthropic", `"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"` + likeB + `"}]}]`,
			`{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"B"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`, `"type":"error"`},
	} {
		t.Run(path, func(t *testing.T) {
			u := newUpstream(t, vectors(meanings...))
			ups := []*upstream{newUpstream(t, status(200, c.answer)), newUpstream(t, status(200, c.answer)), newUpstream(t, status(200, c.answer))}
			o := semanticOptions(u, `,"on_embedding_failure":"fail"`)
			o.kinds = []string{c.kind, c.kind, c.kind}
			h := gateway(t, o, ups...).ready()
			ask := func(prompt string) reply {
				body := `{"model":"r",` + strings.Replace(c.prompt, likeB, prompt, 1) + `}`
				req, err := http.NewRequest(http.MethodPost, h.URL+"/v1/"+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				return h.do(req)
			}
			if target := ask(likeB).served(t); target != "b" {
				t.Errorf("served by %s, want b", target)
			}
			u.then(status(500, "{}"))
			if got := ask("something new"); got.StatusCode != 503 || !strings.Contains(got.body, c.refusal) {
				t.Errorf("got %d %s, want 503 with %s", got.StatusCode, got.body, c.refusal)
			}
		})
	}
}

func TestAnExplanationComparesThePrompt(t *testing.T) {
	u := newUpstream(t, vectors(meanings...))
	h := gateway(t, semanticOptions(u, ""), trio(t)...).ready()
	explain := func(prompt string) decision.Explanation {
		env, err := envelope.Parse([]byte(asks(prompt)), envelope.Chat)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := h.snapshot.Group("r")
		call := dispatch.Call{Endpoint: endpoint.Find("chat/completions"), Envelope: env, Group: g, Examples: h.collections, Revision: 7}
		return h.dispatch.Explain(t.Context(), call, &decision.Facts{})
	}
	got := explain(likeBoth)
	var order []string
	for _, s := range got.Order {
		order = append(order, s.Target)
	}
	if !slices.Equal(order, []string{"a", "b", "c"}) || got.Ranking == nil {
		t.Errorf("got %+v", got)
	}
	if got := explain(likeNone); len(got.Order) != 1 || got.Order[0].Target != "c" {
		t.Errorf("a prompt that is like nothing: %+v", got.Order)
	}
	if log := h.log.String(); strings.Contains(log, "prompt is like") {
		t.Errorf("the log tells of requests that nobody made: %s", log)
	}
}

func TestNothingOfTheCallerButTheTextReachesTheEmbeddingEndpoint(t *testing.T) {
	var seen []http.Header
	embeds := vectors(meanings...)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Clone())
		embeds(w, r)
	})
	h := gateway(t, semanticOptions(u, ""), trio(t)...).ready()
	h.with(strings.Replace(asks(likeA), "{", `{"user":"somebody","metadata":{"a":"b"},`, 1),
		"Cookie: session=secret", "X-Forwarded-For: 10.1.1.1", "OpenAI-Organization: org", "User-Agent: callers/1", "X-Request-Id: the-callers-id", "Traceparent: x").served(t)
	if len(seen) != 2 {
		t.Fatalf("%d calls, want one for the examples and one for the prompt", len(seen))
	}
	for name, values := range seen[1] {
		switch name {
		case "Accept", "Content-Length", "Content-Type":
		case "Authorization":
			if values[0] != "Bearer "+vectorsKey {
				t.Errorf("another credential than the provider's: %v", values)
			}
		case "User-Agent":
			if values[0] != "sluice/test" {
				t.Errorf("the caller's user agent: %v", values)
			}
		default:
			t.Errorf("the endpoint gets %s: %v", name, values)
		}
	}
	var members map[string]json.RawMessage
	json.Unmarshal([]byte(u.bodies[1]), &members)
	for name := range members {
		if !slices.Contains([]string{"input", "model", "encoding_format"}, name) {
			t.Errorf("the endpoint gets %q: %s", name, members[name])
		}
	}
}

// TestADeploymentOfAzureIsAskedAtItsOwnURL with its version, by its own header, and without a model in the body.
func TestADeploymentOfAzureIsAskedAtItsOwnURL(t *testing.T) {
	type call struct{ url, key, authorization string }
	var calls []call
	embeds := vectors(meanings...)
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, call{r.URL.RequestURI(), r.Header.Get("Api-Key"), r.Header.Get("Authorization")})
		embeds(w, r)
	})
	o := semanticOptions(u, "")
	o.embedder = `"kind":"azure-openai","api_version":"2024-06-01","base_url":"` + u.URL + `"`
	const path = "/openai/deployments/embed-small/embeddings?api-version=2024-10-21"
	o.routing = strings.Replace(o.routing, `"model":"e"`, `"endpoint":"`+u.URL+path+`"`, 1)
	h := gateway(t, o, trio(t)...).ready()
	if target := h.post(asks(likeB)).served(t); target != "b" {
		t.Errorf("served by %s, want b", target)
	}
	if len(calls) != 2 {
		t.Fatalf("%d calls, want one for the examples and one for the prompt", len(calls))
	}
	for i, c := range calls {
		if want := (call{path, vectorsKey, ""}); c != want {
			t.Errorf("call %d: got %+v, want %+v", i, c, want)
		}
		if got := u.call(t, i); got.Model != nil || len(got.Input) == 0 {
			t.Errorf("call %d: got model %v and %q, want no model", i, got.Model, got.Input)
		}
	}
}

func TestScoresOfManyTargetsFitIntoAHead(t *testing.T) {
	o := semanticOptions(newUpstream(t, vectors(meanings...)), "")
	o.more = map[string]string{}
	var targets []string
	for i := range 60 {
		id := fmt.Sprintf("%02d-%s", i, strings.Repeat("x", 110))
		o.more[id] = `"strategy":"failover","targets":[{"model":"a"}]`
		targets = append(targets, `{"model":"`+id+`","examples":["`+exampleA+`"]}`)
	}
	o.more["outer"] = `"strategy":"semantic","targets":[` + strings.Join(targets, ",") + `],"semantic":{"embeddings":{"provider":"vectors","model":"e"},"expose_scores":true}`
	h := gateway(t, o, trio(t)...).ready()
	got := h.post(nested(asks(likeA)))
	got.served(t)
	scores := got.Header.Get("X-AI-Semantic-Scores")
	entries := strings.Split(scores, ",")
	if len(scores) > 4<<10 || len(entries) < 30 {
		t.Errorf("%d bytes of %d targets", len(scores), len(entries))
	}
	for _, e := range entries {
		if !strings.HasSuffix(e, "x:0.9939") {
			t.Errorf("got %q", e)
		}
	}
}
