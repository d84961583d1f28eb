package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/calibrate"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/store"
)

// oracle is a live node that answers questions by a script.
type oracle struct {
	*httptest.Server
	w     *world
	token string

	mu    sync.Mutex
	asked []string
}

// promptMark is in every question; no answer and no log line may hold it.
const promptMark = "PROMPT-MARK"

// newOracle joins a node whose status listener answers as serve does; address is what it advertises, its own if empty.
func (w *world) newOracle(name, address string, serve http.HandlerFunc) *oracle {
	w.t.Helper()
	o := &oracle{w: w, token: "token-" + secretMark + "-" + name}
	o.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		o.mu.Lock()
		o.asked = append(o.asked, r.Method+" "+r.URL.Path+" "+string(body))
		o.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+o.token {
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		serve(rw, r)
	}))
	w.t.Cleanup(o.Close)
	if address == "" {
		address = strings.TrimPrefix(o.URL, "http://")
	}
	m := w.store.Join(store.MemberConfig{Node: name, Cell: "cell", Token: o.token})
	value, err := json.Marshal(core.NodeStatus{ID: name, Cell: "cell", Address: address})
	if err != nil {
		w.t.Fatal(err)
	}
	m.SetStatus(value)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	w.t.Cleanup(func() {
		stop()
		<-done
	})
	<-m.Announced()
	return o
}

func (o *oracle) questions() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.asked)
}

// says answers with v as JSON.
func says(status int, v any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(v)
	}
}

const asJSON = "Content-Type: application/json"

func TestAnExplanationComesFromTheNodeThatIsAsked(t *testing.T) {
	w := newWorld(t)
	answer := func(node string) decision.Explanation {
		return decision.Explanation{Node: node, Model: "r", Plan: decision.Plan{Order: []decision.Step{{Target: "m"}}}}
	}
	w.newOracle("n1", "", says(200, answer("n1")))
	n2 := w.newOracle("n2", "", says(200, answer("n2")))
	question := `{"model":"r","facts":{"prompt":"` + promptMark + `"}}`
	var got decision.Explanation
	if err := json.Unmarshal(w.do("POST", "/admin/v1/explain?node=n2", question, asJSON).want(200).body, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(answer("n2"), got); diff != "" {
		t.Errorf("explanation (-want +got):\n%s", diff)
	}
	if want := []string{"POST /explain " + question}; !slices.Equal(n2.questions(), want) {
		t.Errorf("the node was asked %q, want %q", n2.questions(), want)
	}
	w.do("POST", "/admin/v1/explain", question, asJSON, "Authorization: Bearer "+viewerToken).want(200)
	w.do("POST", "/admin/v1/explain?node=n3", question, asJSON).problem(404, "node-not-found")
	w.do("POST", "/admin/v1/explain?node=../n1", question, asJSON).problem(400, "bad-request")
	w.do("POST", "/admin/v1/explain", question, asJSON, "Authorization: Bearer x").problem(401, "unauthenticated")
	if strings.Contains(w.ended(), promptMark) {
		t.Error("a prompt is in an answer or in the log")
	}
}

func TestAViewerHasNoTextsEmbeddedButThePrompt(t *testing.T) {
	w := newWorld(t)
	node := w.newOracle("n1", "", says(200, decision.Explanation{}))
	const semantic = `{"routing":{"strategy":"semantic","semantic":{"embeddings":{"provider":"p","model":"e"}},"targets":[{"model":"a","examples":["x"]},{"model":"b","catchall":true}]}}`
	viewer := "Authorization: Bearer " + viewerToken
	w.do("POST", "/admin/v1/explain", semantic, asJSON, viewer).problem(403, "forbidden")
	if asked := node.questions(); len(asked) > 0 {
		t.Errorf("the node was asked %q", asked)
	}
	w.do("POST", "/admin/v1/explain", semantic, asJSON).want(200)
	w.do("POST", "/admin/v1/explain", `{"routing":{"strategy":"failover","targets":[{"model":"a"}]}}`, asJSON, viewer).want(200)
}

func TestAQuestionThatIsWrongIsToldSo(t *testing.T) {
	w := newWorld(t)
	w.do("POST", "/admin/v1/explain", `{"model":"r"}`, asJSON).problem(404, "node-not-found")
	node := w.newOracle("n1", "", says(422, decision.Complaint{Message: "no", Faults: []core.Fault{
		decision.Wrong("/model", "reference", "no such model"), {Ref: core.Ref{Kind: core.KindRouting, ID: "x"}, Pointer: "/targets", Rule: "leaves", Message: "too many"},
	}}))
	p := w.do("POST", "/admin/v1/explain", `{"model":"r"}`, asJSON).problem(422, "unclear")
	if got, want := brief(p.Errors), []string{"#/model reference", "routing/x#/targets leaves"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	asked := len(node.questions())
	for question, want := range map[string]string{
		`{}`:                         "# one-of",
		`{"model":1}`:                "# json",
		`{"model":"r","who":"x"}`:    "# json",
		`[]`:                         "# type",
		`{"routing":[]}`:             "#/routing type",
		`{"routing":{"targets":[]}}`: "#/routing/strategy required",
		`{"profile":{"exploration":9},"targets":[{"model":"m"}]}`:                         "#/profile/exploration maximum",
		`{"routing":{"strategy":"failover","targets":[{"model":"m"}],"retries":-1}}`:      "#/routing/retries minimum",
		`{"model":"r","request":{"messages":[]},"facts":{"prompt":"` + promptMark + `"}}`: "#/facts/prompt exclusive",
	} {
		p := w.do("POST", "/admin/v1/explain", question, asJSON).problem(422, "unclear")
		if got := brief(p.Errors); !slices.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", question, got, want)
		}
	}
	w.do("POST", "/admin/v1/explain", `{"model":"r","model":"s"}`, asJSON).problem(400, "not-json")
	w.do("POST", "/admin/v1/explain", `{"model":"r"}`).problem(415, "unsupported-media-type")
	if len(node.questions()) != asked {
		t.Errorf("the node was asked what is wrong at first sight: %q", node.questions()[asked:])
	}
}

func TestANodeThatCannotBeAskedIsNamed(t *testing.T) {
	w := newWorld(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	w.newOracle("away", strings.TrimPrefix(gone.URL, "http://"), says(200, nil))
	w.newOracle("old", "nowhere", says(200, nil))
	w.newOracle("forged", "169.254.169.254:80", says(200, nil))
	w.newOracle("foreign", "", func(rw http.ResponseWriter, _ *http.Request) { io.WriteString(rw, "<html>") })
	w.newOracle("elsewhere", "", func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, "http://example.com", http.StatusFound)
	})
	stranger := w.newOracle("stranger", "", says(200, nil))
	stranger.token = "another"
	for name, reason := range map[string]string{
		"away": "connection refused", "old": "does not say where", "forged": "link-local", "foreign": "is not understood", "elsewhere": "it answers 302", "stranger": "does not accept the token",
	} {
		p := w.do("POST", "/admin/v1/explain?node="+name, `{"model":"r"}`, asJSON).problem(502, "node-unreachable")
		if !strings.Contains(p.Detail, "node "+name+": ") || !strings.Contains(p.Detail, reason) {
			t.Errorf("%s: got %q, want %q", name, p.Detail, reason)
		}
	}
	p := w.do("GET", "/admin/v1/decisions/x", "").problem(404, "decision-not-found")
	for _, name := range []string{"6 nodes asked", "forged (", "away (", "old (", "foreign (", "elsewhere (", "stranger ("} {
		if !strings.Contains(p.Detail, name) {
			t.Errorf("got %q, want %q in it", p.Detail, name)
		}
	}
	w.newOracle("well", "", says(503, decision.Complaint{Message: "the node has no configuration yet"}))
	w.do("POST", "/admin/v1/explain?node=well", `{"model":"r"}`, asJSON).problem(503, "node-not-ready")
}

func TestTheDecisionIsFoundOnTheNodeThatMadeIt(t *testing.T) {
	w := newWorld(t)
	none := says(404, decision.Complaint{Message: "not remembered"})
	at := time.Unix(1_000_000, 0).UTC()
	made := decision.Decision{RequestID: "x.1", Node: "n2", Time: at, Attempts: []decision.Attempt{{Target: "m", Outcome: "ok"}}, Plan: decision.Plan{Order: []decision.Step{{Target: "m"}}}}
	earlier := made
	earlier.Node, earlier.Time = "n3", at.Add(-time.Minute)
	w.newOracle("n1", "", none)
	n2 := w.newOracle("n2", "", says(200, made))
	w.newOracle("n3", "", says(200, earlier))
	get := func(path string) (d decision.Decision) {
		t.Helper()
		if err := json.Unmarshal(w.do("GET", path, "", "Authorization: Bearer "+viewerToken).want(200).body, &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	if diff := cmp.Diff(made, get("/admin/v1/decisions/x.1")); diff != "" {
		t.Errorf("the latest of both (-want +got):\n%s", diff)
	}
	if want := []string{"GET /decisions/x.1 "}; !slices.Equal(n2.questions(), want) {
		t.Errorf("asked %q, want %q", n2.questions(), want)
	}
	if got := get("/admin/v1/decisions/x.1?node=n3"); got.Node != "n3" {
		t.Errorf("of the node that is named: got %+v", got)
	}
	p := w.do("GET", "/admin/v1/decisions/x.1?node=n1", "").problem(404, "decision-not-found")
	if strings.Contains(p.Detail, "could not be asked") {
		t.Errorf("got %q", p.Detail)
	}
	w.do("GET", "/admin/v1/decisions/x.1?node=n9", "").problem(404, "node-not-found")
	w.do("GET", "/admin/v1/decisions/a%20b", "").problem(400, "bad-request")
	w.do("GET", "/admin/v1/decisions/%2E%2E", "").problem(400, "bad-request")
	w.do("GET", "/admin/v1/decisions/"+strings.Repeat("a", 129), "").problem(400, "bad-request")
}

func TestAnExplanationIsAskedOfAnotherNodeWhenOneIsAway(t *testing.T) {
	w := newWorld(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	w.newOracle("away", strings.TrimPrefix(gone.URL, "http://"), says(200, nil))
	w.newOracle("there", "", says(200, decision.Explanation{Node: "there"}))
	for range 8 { // in random order
		if got := w.do("POST", "/admin/v1/explain", `{"model":"r"}`, asJSON).want(200).object(); got["node"] != "there" {
			t.Errorf("got %v", got)
		}
	}
}

func TestNodesThatDoNotSayWhereTheyAreDoNotHideTheOneThatDoes(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"old-1", "old-2", "old-3", "old-4", "old-5", "old-6"} { // as in a rolling update
		w.newOracle(name, "unsaid", says(200, nil))
	}
	w.newOracle("there", "", says(200, decision.Explanation{Node: "there"}))
	for range 8 { // in random order
		w.do("POST", "/admin/v1/explain", `{"model":"r"}`, asJSON).want(200)
	}
}

func TestTheAddressOfANodeIsNoMoreThanHostAndPort(t *testing.T) {
	w := newWorld(t)
	there := w.newOracle("there", "", says(200, decision.Explanation{}))
	address := strings.TrimPrefix(there.URL, "http://")
	host, port, _ := strings.Cut(address, ":")
	for i, forged := range []string{address + "/elsewhere?x=:80", "user:secret@" + address, "user@" + address, host + "/x:" + port, ":" + port, host + ":", "#:" + port} {
		name := fmt.Sprint("forged-", i)
		w.newOracle(name, forged, says(200, nil))
		p := w.do("POST", "/admin/v1/explain?node="+name, `{"model":"r"}`, asJSON).problem(502, "node-unreachable")
		if !strings.Contains(p.Detail, "does not say where") {
			t.Errorf("%q: got %q", forged, p.Detail)
		}
	}
	if asked := there.questions(); len(asked) > 0 {
		t.Errorf("asked %q", asked)
	}
}

func TestAQuestionFullOfMarkupDoesNotGrowOnItsWay(t *testing.T) {
	w := newWorld(t)
	node := w.newOracle("n1", "", says(200, decision.Explanation{}))
	question := `{"model":"r","request":{"messages":[{"role":"user","content":"` + strings.Repeat("<&>", 300<<10) + `"}]}}`
	w.do("POST", "/admin/v1/explain", question, asJSON).want(200)
	if got := node.questions()[0]; len(got) > len(question)+100 {
		t.Errorf("%d bytes became %d", len(question), len(got))
	}
}

func TestACalibrationIsAskedOfANode(t *testing.T) {
	w := newWorld(t)
	want := calibrate.Result{Node: "n1", Routing: "r", Accuracy: 0.5, Targets: []calibrate.Target{}, Confusion: []calibrate.Cell{}, Wrong: []calibrate.Wrong{}, ClosePairs: []calibrate.Pair{}}
	node := w.newOracle("n1", "", says(200, want))
	const path, question = "/admin/v1/routings/r:calibrate", `{"prompts":[{"text":"` + promptMark + `","target":"m"}]}`
	for _, spelled := range []string{path, "/admin/v1/routings/r%3Acalibrate"} {
		var got calibrate.Result
		if err := json.Unmarshal(w.do("POST", spelled, question, asJSON).want(200).body, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spelled, diff)
		}
	}
	if got := node.questions()[0]; got != `POST /calibrate {"routing":"r","prompts":[{"text":"`+promptMark+`","target":"m"}]}` {
		t.Errorf("the node was asked %s", got)
	}
	asked := len(node.questions())
	w.do("POST", path, question, asJSON, "Authorization: Bearer "+viewerToken).problem(403, "forbidden")
	for body, want := range map[string]string{
		`{}`: "#/prompts count", `{"prompts":[]}`: "#/prompts count", `{"prompts":[{"text":"x"}]}`: "#/prompts/0/target required",
		`{"prompts":[{"text":"x","target":"m"}],"close":2}`: "#/close range", `{"prompts":[{"text":"x","target":"m"}],"routing":"s"}`: "#/routing id",
		`{"prompts":1}`: "# json",
	} {
		if got := brief(w.do("POST", path, body, asJSON).problem(422, "unclear").Errors); !slices.Contains(got, want) {
			t.Errorf("%.60s: got %q, want %q", body, got, want)
		}
	}
	many := `{"prompts":[` + strings.Repeat(`{"text":"x","target":"m"},`, calibrate.MaxPrompts)
	w.do("POST", path, many+`{"text":"x","target":"m"}]}`, asJSON).problem(400, "not-json") // no list is that long
	w.do("POST", path, strings.TrimSuffix(many, ",")+"]}", asJSON).want(200)
	asked++
	w.do("POST", "/admin/v1/routings/-r:calibrate", question, asJSON).problem(400, "bad-request")
	w.do("POST", "/admin/v1/routings/r:explode", question, asJSON).problem(405, "method-not-allowed")
	if len(node.questions()) != asked {
		t.Error("the node was asked what is wrong at first sight")
	}
	if strings.Contains(w.ended(), promptMark) {
		t.Error("a prompt is in an answer or in the log")
	}
}
