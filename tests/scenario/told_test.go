package scenario

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core/calibrate"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/tests/upstream"
)

// semanticRoutingsAreExplained before a request, after it, and to those who ask with it.
func semanticRoutingsAreExplained(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "told")
	c := newComparing(t, env, o, "told")
	o.written(http.MethodPut, "models/"+c.code, fmt.Sprintf(`{"provider":%q,"upstream_model":"m","cooldown":{"duration":"0s"}}`, c.code))

	c.explainsWithoutAsking(o)
	for _, p := range env.Proxies() {
		c.turnsNoWheel(o, p, key)
	}
	c.coder.Behave(upstream.Behaviour{Status: http.StatusServiceUnavailable, Message: "down"})
	for i, p := range env.Proxies() {
		id := fmt.Sprint("told-", i)
		program(t, p, key).says(c.routing, codePrompt, "X-Request-Id", id).servedBy(t, c.chat, "the match is down")
		c.remembers(o, id)
	}
	c.tellsThoseWhoMay(o, program(t, env.Proxies()[0], key))
	c.calibrates(o)
	o.as(env.Admin().ViewerToken).must(http.StatusForbidden, "POST", "/admin/v1/routings/"+c.routing+":calibrate", `{"prompts":[{"text":"x","target":"y"}]}`)
}

// explainsWithoutAsking explains a stored routing and two that are not, on every node that answers.
func (c comparing) explainsWithoutAsking(o *operator) {
	c.t.Helper()
	request := `"request":{"messages":[{"role":"user","content":` + quoted(codePrompt) + `}]}`
	inline := fmt.Sprintf(`{"strategy":"semantic","targets":[{"model":%q,"examples":["Recommend a film"]},{"model":%q,"examples":["Write a function"]}],"semantic":%s}`, c.translate, c.chat, c.semantic(""))
	before := c.hits()
	for question, want := range map[string]string{
		fmt.Sprintf(`{"model":%q,%s}`, c.routing, request):                                                                                           c.code,
		fmt.Sprintf(`{"model":%q,"facts":{"prompt":%q}}`, c.routing, translatePrompt):                                                                c.translate,
		fmt.Sprintf(`{"routing":%s,%s}`, inline, request):                                                                                            c.chat,
		fmt.Sprintf(`{"profile":{"optimize":{"priority":1}},"targets":[{"model":%q},{"model":%q}],"facts":{"input_tokens":9}}`, c.translate, c.code): c.translate,
	} {
		for range 3 {
			e := o.explained(question)
			if len(e.Order) == 0 || e.Order[0].Target != want {
				c.t.Errorf("%s: the order is %+v, want %q first", question, e.Order, want)
			}
			if strings.Contains(mustJSON(c.t, e), codePrompt) {
				c.t.Errorf("%s: the explanation repeats the prompt", question)
			}
		}
	}
	if after := c.hits(); after != before {
		c.t.Errorf("explanations have asked targets: %v requests, then %v", before, after)
	}
	if got := o.must(http.StatusOK, "GET", "/admin/v1/routings", ""); strings.Contains(got.Body, "Recommend a film") {
		c.t.Errorf("an explanation has stored its routing: %s", got.Body)
	}
}

// turnsNoWheel explains, again and again, what the next request then meets.
func (c comparing) turnsNoWheel(o *operator, p Proxy, key string) {
	c.t.Helper()
	o.put("routings/told-turns", fmt.Sprintf(`{"strategy":"round_robin","targets":[{"model":%q},{"model":%q}]}`, c.translate, c.chat))
	id, met := idOf(c.t, p), map[string]bool{}
	for range 2 {
		var first string
		for range 3 {
			a := o.must(http.StatusOK, "POST", "/admin/v1/explain?node="+id, `{"model":"told-turns"}`)
			var e decision.Explanation
			if err := json.Unmarshal([]byte(a.Body), &e); err != nil || len(e.Order) != 2 || first != "" && e.Order[0].Target != first {
				c.t.Fatalf("explained %v after %q: %s", err, first, a.Body)
			}
			first = e.Order[0].Target
		}
		program(c.t, p, key).says("told-turns", codePrompt).servedBy(c.t, first, "what was explained")
		met[first] = true
	}
	if len(met) != 2 {
		c.t.Errorf("two requests met %v, want both in turn", met)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// remembers looks at the decision about a request whose match was down.
func (c comparing) remembers(o *operator, id string) {
	c.t.Helper()
	a := o.must(http.StatusOK, "GET", "/admin/v1/decisions/"+id, "")
	var d decision.Decision
	if err := json.Unmarshal([]byte(a.Body), &d); err != nil {
		c.t.Fatal(err)
	}
	if len(d.Attempts) != 2 || d.Attempts[0].Target != c.code || d.Attempts[0].Status != http.StatusServiceUnavailable || d.Attempts[1].Target != c.chat || d.Attempts[1].Outcome != "ok" || d.Outcome != "ok" {
		c.t.Errorf("%s: the attempts are %+v with the outcome %q", id, d.Attempts, d.Outcome)
	}
	for _, x := range d.Ranking.Candidates {
		if s := x.Semantic; x.Target == c.code && (s == nil || s.Score == nil || !s.Cleared || *s.Score < 0.25) || x.Target == c.translate && (s == nil || s.Cleared) {
			c.t.Errorf("%s: of %s it is remembered that %s", id, x.Target, mustJSON(c.t, x))
		}
	}
	if strings.Contains(a.Body, codePrompt) {
		c.t.Errorf("%s: the decision repeats the prompt", id)
	}
}

// tellsThoseWhoMay asks with a key that allows it, on an answer, on an error and on a refusal; client's key does not.
func (c comparing) tellsThoseWhoMay(o *operator, client *operator) {
	c.t.Helper()
	const ask, told = "X-Sluice-Explain", "X-Sluice-Decision"
	curious := client.as(newKeyWith(o, "told-why", `,"explain":true`))
	want := "order=" + c.code + "," + c.chat
	if got := curious.says(c.routing, codePrompt, ask, "1").Header.Get(told); !strings.Contains(got, "strategy=semantic") || !strings.Contains(got, want) {
		c.t.Errorf("an answer tells %q, want %q in it", got, want)
	}
	if got := curious.says(c.code, codePrompt, ask, "1"); got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Header.Get(told), "order="+c.code) {
		c.t.Errorf("an error tells %d %q", got.Status, got.Header.Get(told))
	}
	if got := curious.says(c.routing, codePrompt, ask, "1", "X-Sluice-Tags", "mars"); got.Status != http.StatusBadRequest || !strings.Contains(got.Header.Get(told), "refused=refused") {
		c.t.Errorf("a refusal tells %d %q", got.Status, got.Header.Get(told))
	}
	for name, a := range map[string]answer{
		"a key that does not allow it": client.says(c.routing, codePrompt, ask, "1"), "a caller who does not ask": curious.says(c.routing, codePrompt),
	} {
		if got := a.Header.Get(told); got != "" {
			c.t.Errorf("%s is told %q", name, got)
		}
	}
}

// calibrates with prompts of which one belongs elsewhere than it goes.
func (c comparing) calibrates(o *operator) {
	c.t.Helper()
	question := fmt.Sprintf(`{"prompts":[{"text":%q,"target":%q},{"text":%q,"target":%q},{"text":%q,"target":%q},{"text":%q,"target":%q}]}`,
		codePrompt, c.code, translatePrompt, c.translate, neitherPrompt, c.chat, "Fix the bug in this code", c.translate)
	path := "/admin/v1/routings/" + c.routing + ":calibrate"
	a := o.must(http.StatusOK, "POST", path, question)
	var r calibrate.Result
	if err := json.Unmarshal([]byte(a.Body), &r); err != nil {
		c.t.Fatal(err)
	}
	if r.Prompts != 4 || r.Accuracy != 0.75 || len(r.Wrong) != 1 || r.Wrong[0].Prompt != 3 || r.Wrong[0].Belongs != c.translate || r.Wrong[0].Goes != c.code || len(r.Targets) != 3 || r.Targets[0].Suggested == nil {
		c.t.Errorf("calibrated to %s", a.Body)
	}
}
