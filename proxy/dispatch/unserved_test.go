package dispatch_test

import (
	"strings"
	"testing"
)

// TestWhatLeavesNoTargetIsNamed: each filter of its own kind has words of its own, and nothing is sent.
func TestWhatLeavesNoTargetIsNamed(t *testing.T) {
	long := `{"model":"r","max_tokens":100,"messages":[{"role":"user","content":"` + strings.Repeat("word ", 200) + `"}]}`
	for _, c := range []struct {
		name, body, model, profile string
		status                     int
		code                       string
	}{
		{"the context window", long, `,"context_window":250`, ``, 400, "context_length_exceeded"},
		{"the price", question, `,"cost":{"input_per_1m":1e6,"output_per_1m":1e6}`, `"limits":{"max_cost_usd":0.000001}`, 400, "cost_limit_exceeded"},
		{"an unknown price", question, ``, `"optimize":{"cost":1},"missing":{"cost":"exclude"}`, 503, "no_target_within_limits"},
		{"a window that the profile requires", question, `,"context_window":250`, `"require":{"context_window":300}`, 503, "no_target_within_limits"},
		{"a capability that the profile requires", question, ``, `"require":{"capabilities":["tools"]}`, 503, "no_target_within_limits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				o := options{targets: []string{"", ""}, models: []string{c.model, c.model}}
				if c.profile != "" {
					o.strategy, o.profile, o.routing = "scored", c.profile, `,"profile":"p","retries":0`
				}
				hits, r := n.ranksOf(t, o, c.body)
				if _, code, _ := r.apiError(t); r.StatusCode != c.status || code != c.code || hits != "" {
					t.Errorf("got %d %s after hits on %q, want %d %s and no hit", r.StatusCode, r.body, hits, c.status, c.code)
				}
			})
		})
	}
}

// TestWhatMayPassIsNotHeldAgainstTheRequest: where one target may serve it later, a client is not told that none ever will.
func TestWhatMayPassIsNotHeldAgainstTheRequest(t *testing.T) {
	for name, c := range map[string]struct{ model, body string }{
		"the other is too dear":        {`,"cost":{"input_per_1m":1e6,"output_per_1m":1e6}`, question},
		"the other's window":           {`,"context_window":1,"cost":{"input_per_1m":1,"output_per_1m":1}`, question},
		"the other lacks a capability": {`,"capabilities":[]`, strings.Replace(question, `{`, `{"tools":[{}],`, 1)},
	} {
		bubble(t, func(t *testing.T, n *network) {
			o := options{targets: []string{"", ""}, models: []string{c.model, ``}, strategy: "scored", routing: `,"profile":"p","retries":0`}
			o.profile = `"optimize":{"cost":1},"missing":{"cost":"exclude"},"limits":{"max_cost_usd":0.001}`
			hits, r := n.ranksOf(t, o, c.body)
			if _, code, _ := r.apiError(t); r.StatusCode != 503 || code != "no_target_within_limits" || hits != "" {
				t.Errorf("%s: got %d %s after hits on %q, want 503 no_target_within_limits", name, r.StatusCode, r.body, hits)
			}
		})
	}
}

// TestTheContextWindowChoosesTheTarget: what does not fit goes where it does, and what fits stays.
func TestTheContextWindowChoosesTheTarget(t *testing.T) {
	long := `{"model":"r","messages":[{"role":"user","content":"` + strings.Repeat("word ", 200) + `"}]}`
	for _, c := range []struct{ body, windows, want string }{
		{question, `,"context_window":100`, "a"},
		{long, `,"context_window":100`, "b"},
		{strings.Replace(question, `{`, `{"max_tokens":101,`, 1), `,"context_window":100`, "b"},
		{long, ``, "a"},
	} {
		bubble(t, func(t *testing.T, n *network) {
			ups := []*upstream{n.upstream("a", answer("ok")), n.upstream("b", answer("ok"))}
			h := n.gateway(t, options{models: []string{c.windows, ``}}, ups...)
			if got := h.post(c.body).served(t); got != c.want {
				t.Errorf("%.40s with window %q: served by %s, want %s", c.body, c.windows, got, c.want)
			}
		})
	}
}

// TestAModelThatIsNamedDirectlyDecidesItself: its upstream counts better than the gateway estimates.
func TestAModelThatIsNamedDirectlyDecidesItself(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{models: []string{`,"context_window":1`}}, n.upstream("a", answer("ok")))
		if got := h.post(strings.Replace(question, `"r"`, `"a"`, 1)).served(t); got != "a" {
			t.Errorf("served by %s", got)
		}
	})
}
