package dispatch_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core/decision"
)

// decision returns what the node remembers of a request.
func (h *harness) decision(id string) decision.Decision {
	h.t.Helper()
	raw, err := h.journal.Find(id)
	if err != nil || raw == nil {
		h.t.Fatalf("no decision of %s: %s, %v", id, raw, err)
	}
	var d decision.Decision
	if err := json.Unmarshal(raw, &d); err != nil {
		h.t.Fatal(err)
	}
	return d
}

func TestTheDecisionOfARequestThatFailedOverHasBothAttempts(t *testing.T) {
	for name, body := range map[string]string{"whole": question, "stream": streamed} {
		good := answer("hello")
		if body == streamed {
			good = events(role, token("hello"), stop, done)
		}
		h := gateway(t, options{routing: `,"retries":0`}, newUpstream(t, status(503, "{}")), newUpstream(t, good))
		got := h.with(body, "X-Request-Id: first-1")
		if got.StatusCode != http.StatusOK {
			t.Fatalf("%s: got %d %s", name, got.StatusCode, got.body)
		}
		d := h.decision("first-1")
		if d.Node != "n1" || d.Model != "r" || d.Caller != "k" || d.Revision != 7 || d.Endpoint != "chat/completions" || d.Stream != (body == streamed) || d.Time.IsZero() {
			t.Errorf("%s: got %+v", name, d)
		}
		if len(d.Order) != 2 || d.Order[0].Target != "a" || d.Order[1].Target != "b" || d.Ranking == nil || len(d.Ranking.Candidates) != 2 {
			t.Errorf("%s: got order %+v, ranking %+v", name, d.Order, d.Ranking)
		}
		if len(d.Attempts) != 2 {
			t.Fatalf("%s: got attempts %+v, want two", name, d.Attempts)
		}
		a, b := d.Attempts[0], d.Attempts[1]
		if a.Target != "a" || a.Outcome != "upstream_status" || a.Status != 503 || a.Elapsed <= 0 || b.Target != "b" || b.Outcome != "ok" || b.Status != 200 {
			t.Errorf("%s: got attempts %+v", name, d.Attempts)
		}
		if (b.FirstToken > 0) != (body == streamed) || d.Outcome != "ok" || d.Status != 200 || d.Elapsed < a.Elapsed+b.Elapsed {
			t.Errorf("%s: got %+v", name, d)
		}
	}
}

func TestTheDecisionOfARefusedRequestSaysWhy(t *testing.T) {
	h := gateway(t, options{targets: []string{`,"tags":["eu"]`}}, newUpstream(t, answer("hello")))
	h.with(question, "X-Request-Id: x", "X-Sluice-Tags: us")
	d := h.decision("x")
	if d.Refused == nil || d.Refused.Reason != "refused" || d.Refused.Status != 400 || d.Outcome != "refused" || d.Status != 400 || len(d.Attempts)+len(d.Order) > 0 {
		t.Errorf("got %+v", d)
	}
	if d.Ranking == nil || d.Ranking.Candidates[0].Excluded != "tag" {
		t.Errorf("got %+v, want what the tags left out", d.Ranking)
	}
	if raw, err := h.journal.Find("y"); raw != nil || err != nil {
		t.Errorf("a request that was not made: got %s, %v", raw, err)
	}
}

func TestOnlyACallerWhoseKeyAllowsItIsToldTheDecision(t *testing.T) {
	const header = "X-Sluice-Decision"
	ups := func() []*upstream {
		return []*upstream{newUpstream(t, status(503, "{}"), answer("x")), newUpstream(t, answer("x"))}
	}
	for _, c := range []struct {
		name, key, ask string
		told           bool
	}{
		{"asks and may", `,"explain":true`, "1", true},
		{"asks and may not", "", "1", false},
		{"may and does not ask", `,"explain":true`, "", false},
		{"may and asks for something else", `,"explain":true`, "yes", false},
	} {
		h := gateway(t, options{key: c.key, routing: `,"retries":0`}, ups()...)
		got := h.with(question, "X-Sluice-Explain: "+c.ask).Header.Get(header)
		if want := "strategy=failover; why=declared_order; order=a,b"; c.told && got != want || !c.told && got != "" {
			t.Errorf("%s: got %q", c.name, got)
		}
	}
	h := gateway(t, options{key: `,"explain":true`, routing: `,"retries":0`}, newUpstream(t, status(503, "{}")))
	if got := h.with(question, "X-Sluice-Explain: 1"); got.StatusCode != 503 || got.Header.Get(header) == "" {
		t.Errorf("on an error: got %d, %q", got.StatusCode, got.Header.Get(header))
	}
	h = gateway(t, options{key: `,"explain":true`, targets: []string{`,"tags":["eu"]`}}, newUpstream(t, answer("x")))
	if got := h.with(question, "X-Sluice-Explain: 1", "X-Sluice-Tags: us"); got.StatusCode != 400 || !strings.Contains(got.Header.Get(header), "refused=refused; excluded=a:tag") {
		t.Errorf("refused: got %d, %q", got.StatusCode, got.Header.Get(header))
	}
	var seen http.Header
	h = gateway(t, options{key: `,"explain":true`}, newUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		w.Header().Set(header, "forged")
		answer("x")(w, r)
	}))
	if got := h.with(question); got.StatusCode != 200 || got.Header.Get(header) != "" {
		t.Errorf("the upstream's own header passes: %q", got.Header.Get(header))
	}
	h.with(question, "X-Sluice-Explain: 1")
	for name := range seen {
		if strings.HasPrefix(name, "X-Sluice") {
			t.Errorf("%s goes to the upstream", name)
		}
	}
}
