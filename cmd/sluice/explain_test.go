package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/cmd/control"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
)

// served asks for a chat completion and returns the answer's header.
func (g *gateway) served(body string, headers ...string) http.Header {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.api+"/chat/completions", strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+g.key)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.Header
}

func TestARequestIsExplainedBeforeAndAfter(t *testing.T) {
	const prompt = "prompt-canary-4711"
	g := start(t)
	g.put("providers/nowhere", `{"kind":"openai","base_url":"http://127.0.0.1:1/v1"}`)
	g.put("models/broken", `{"provider":"nowhere","upstream_model":"x"}`)
	g.put("routings/careful", `{"strategy":"failover","targets":[{"model":"broken"},{"model":"demo-fast"}],"retries":0}`)
	out, code, said := g.run("explain", "careful", "--stream")
	if code != 0 || !regexp.MustCompile(`(?s)careful on node \w{8} at revision \d+, a stream.*strategy=failover.*TRY +TARGET.*1 +broken +ready.*2 +demo-fast +ready.*PLACE.*1 +broken`).MatchString(out) {
		t.Errorf("code %d, %q:\n%s", code, said, out)
	}
	h := g.served(`{"model":"careful","messages":[{"role":"user","content":"`+prompt+`"}]}`, "X-Request-Id: asked-1", "X-Sluice-Explain: 1")
	if got := h.Get("X-Sluice-Decision"); got != "strategy=failover; why=declared_order; order=broken,demo-fast" {
		t.Errorf("the header is %q", got)
	}
	out, code, said = g.run("explain", "--request", h.Get("X-Request-Id"))
	if code != 0 || !regexp.MustCompile(`(?s)request asked-1 of demo: careful.*ATTEMPT.*1 +broken +connect_error +- .*2 +demo-fast +ok +200.*ended with ok, status 200`).MatchString(out) {
		t.Errorf("code %d, %q:\n%s", code, said, out)
	}
	raw, code, _ := g.run("explain", "--request", "asked-1", "-o", "json")
	var d decision.Decision
	if err := json.Unmarshal([]byte(raw), &d); err != nil || code != 0 || len(d.Attempts) != 2 || d.Attempts[0].Outcome != "connect_error" || d.Attempts[1].Outcome != "ok" || d.Caller != "demo" {
		t.Errorf("code %d, %v: %s", code, err, raw)
	}
	if strings.Contains(raw+out, prompt) {
		t.Errorf("the prompt is in the decision: %s", raw)
	}
}

func TestADraftIsExplainedBeforeItIsStored(t *testing.T) {
	g := start(t)
	g.ask("demo-fast")
	g.ask("demo-slow")
	draft := filepath.Join(t.TempDir(), "draft.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(draft, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(`{"strategy":"failover","targets":[{"model":"demo"},{"model":"demo-slow"}]}`)
	if out, code, said := g.run("explain", "--routing", draft); code != 0 || !strings.Contains(out, "demo >") || !strings.Contains(out, "LEFT OUT: duplicate") {
		t.Errorf("nested: code %d, %q:\n%s", code, said, out)
	}
	write(`{"optimize":{"latency":1,"health":1}}`)
	raw, code, said := g.run("explain", "--profile", draft, "--target", "demo-slow", "--target", "demo-fast", "-o", "json")
	var e decision.Explanation
	if err := json.Unmarshal([]byte(raw), &e); err != nil || code != 0 || e.Ranking == nil {
		t.Fatalf("scored: code %d, %q, %v: %s", code, said, err, raw)
	}
	for _, c := range e.Ranking.Candidates {
		sum, weights := 0.0, 0.0
		for _, d := range c.Dimensions {
			sum += d.Contribution
			weights += d.Weight
			if !same(d.Contribution, d.Score*d.Weight) {
				t.Errorf("%s: %+v does not contribute score times weight", c.Target, d)
			}
		}
		if c.Total == nil || !same(sum, *c.Total) || !same(weights, 1) {
			t.Errorf("%s: contributions sum up to %v and weights to %v, the total is %v", c.Target, sum, weights, c.Total)
		}
	}
	if out, code, _ := g.run("explain", "--profile", draft, "--target", "demo-slow", "--target", "demo-fast"); code != 0 || !strings.Contains(out, "CONTRIBUTION") {
		t.Errorf("the table: code %d:\n%s", code, out)
	}
	write(`{"strategy":"failover","targets":[{"model":"nobody"}]}`)
	if _, code, said := g.run("explain", "--routing", draft); code != exitTrouble || !strings.Contains(said, `/routing/targets/0/model: no model or routing is called "nobody"`) {
		t.Errorf("a dangling target: code %d, %q", code, said)
	}
}

func same(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

func TestARefusedQuestionIsToldFromAServiceThatCannotBeAsked(t *testing.T) {
	for status, want := range map[int]int{400: exitTrouble, 403: exitTrouble, 404: exitTrouble, 413: exitTrouble, 422: exitTrouble, 401: exitBlind, 502: exitBlind, 503: exitBlind} {
		var got exitError
		if !errors.As(unexplained(&control.Refusal{Status: status}), &got) || got.code != want {
			t.Errorf("%d: got code %d, want %d", status, got.code, want)
		}
	}
}

func TestWhatCannotBeExplainedIsToldByTheExitCode(t *testing.T) {
	g := start(t)
	for _, c := range []struct {
		args []string
		code int
		said string
	}{
		{[]string{"explain"}, 1, "name a model"},
		{[]string{"explain", "demo", "--request", "x"}, 1, "name a model"},
		{[]string{"explain", "nobody"}, exitTrouble, "/model: no model or routing"},
		{[]string{"explain", "demo", "--tag", "m a r s"}, exitTrouble, "x-sluice-tags"},
		{[]string{"explain", "--request", "never"}, exitTrouble, "No node remembers"},
		{[]string{"explain", "demo", "--node", "n9"}, exitTrouble, "No such proxy node"},
		{[]string{"explain", "demo", "--admin", "http://127.0.0.1:1"}, exitBlind, "ask the admin service"},
		{[]string{"explain", "demo", "--routing", "/no/such/file"}, 1, "no such file"},
	} {
		if out, code, said := g.run(c.args...); code != c.code || !strings.Contains(said, c.said) {
			t.Errorf("%q: code %d, %q, want %d, %q:\n%s", c.args, code, said, c.code, c.said, out)
		}
	}
	g.join(core.NodeStatus{ID: "old", Cell: "default"})
	if _, code, said := g.run("explain", "demo", "--node", "old"); code != exitBlind || !strings.Contains(said, "does not say where it can be reached") {
		t.Errorf("a node without an address: code %d, %q", code, said)
	}
}
