package inspect_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/calibrate"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/budget"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/inspect"
	"github.com/sluice-gateway/sluice/proxy/journal"
	"github.com/sluice-gateway/sluice/proxy/live"
	"github.com/sluice-gateway/sluice/store"
)

const token = "token-of-the-node"

// node is what answers questions on a node, with everything behind it but etcd.
type node struct {
	t *testing.T
	*httptest.Server
	board  *signal.Board
	ranker *rank.Ranker
	cool   *cooldown.Table
	dialed atomic.Int64
	// embedded counts the texts that were embedded; a mute endpoint fails.
	embedded atomic.Int64
	mute     atomic.Bool
	held     chan chan struct{} // each call gives its own, and waits for that to be closed; nil: none does
	examples *embed.Examples
	log      strings.Builder
	holder   *live.Holder
}

// embeddings go by a few words that they know.
const embeddings = `"semantic":{"embeddings":{"provider":"e","model":"words"},"threshold":0.9},`

// embedder serves them.
func (n *node) embedder(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || n.mute.Load() {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	if n.held != nil {
		on := make(chan struct{})
		n.held <- on
		<-on
	}
	n.embedded.Add(int64(len(asked.Input)))
	type entry struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	var out struct {
		Data []entry `json:"data"`
	}
	for i, text := range asked.Input {
		v := []float64{0.01}
		for _, word := range []string{"code", "go", "translate", "poem"} {
			v = append(v, float64(strings.Count(text, word)))
		}
		out.Data = append(out.Data, entry{i, v})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(out)
}

// resources are models a, b and c of one provider, and routings over them.
var resources = map[string]string{
	"provider/p":      `"kind":"openai","base_url":"http://127.0.0.1:1/v1"`,
	"model/a":         `"provider":"p","upstream_model":"a","capabilities":["vision"]`,
	"model/b":         `"provider":"p","upstream_model":"b","capabilities":[]`,
	"model/c":         `"provider":"p","upstream_model":"c"`,
	"model/priced":    `"provider":"p","upstream_model":"d","context_window":8192,"cost":{"input_per_1m":3,"output_per_1m":6}`,
	"routing/narrow":  `"strategy":"failover","targets":[{"model":"priced"}]`,
	"routing/ring":    `"strategy":"round_robin","targets":[{"model":"a"},{"model":"b"},{"model":"c"}]`,
	"routing/fast":    `"strategy":"least_latency","sticky_on":{"source":"header","name":"x-session"},"targets":[{"model":"a"},{"model":"b"},{"model":"c"}]`,
	"routing/sharded": `"strategy":"consistent_hash","hash_on":{"source":"api_key"},"targets":[{"model":"a"},{"model":"b"},{"model":"c"}]`,
	"provider/e":      `"kind":"openai","base_url":"EMBEDDINGS/v1"`,
	"routing/meaning": `"strategy":"semantic",` + embeddings + `"targets":[{"model":"a","examples":["code code","code go"]},{"model":"b","examples":["translate"]},{"model":"c","catchall":true}]`,
	"routing/tagged":  `"strategy":"failover","targets":[{"model":"a","tags":["eu"]},{"model":"fast","tags":["us"]}]`,
}

func newNode(t *testing.T) *node {
	t.Helper()
	n := &node{t: t, board: signal.NewBoard(), ranker: rank.NewRanker()}
	n.cool = cooldown.New(n.board)
	logger := slog.New(slog.NewTextHandler(&n.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	endpoint := httptest.NewServer(http.HandlerFunc(n.embedder))
	t.Cleanup(endpoint.Close)
	pools := dispatch.NewPools(func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == strings.TrimPrefix(endpoint.URL, "http://") {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		n.dialed.Add(1)
		return nil, io.ErrClosedPipe
	})
	t.Cleanup(pools.Close)
	embedder := embed.New(embed.Config{Transport: pools.Transport, Logger: logger})
	t.Cleanup(embedder.Close)
	n.examples = embed.NewExamples(embed.ExamplesConfig{Embedder: embedder, Logger: logger})
	published := make(chan struct{})
	n.holder = live.New(core.Site{}, slog.New(slog.DiscardHandler), n.prepare, func(*live.State) { close(published) })
	items := map[core.Ref]store.Item{}
	for name, members := range resources {
		kind, id, _ := strings.Cut(name, "/")
		members = strings.ReplaceAll(members, "EMBEDDINGS", endpoint.URL)
		items[core.Ref{Kind: core.Kind(kind), ID: id}] = store.Item{Value: []byte(`{"id":"` + id + `",` + members + `}`), Modified: 7}
	}
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go n.holder.Run(ctx)
	n.holder.Offer(store.Image{Items: items, Revision: 7})
	<-published
	d := dispatch.New(dispatch.Config{
		Board: n.board, Ranker: n.ranker, Cooldowns: n.cool, Transport: pools.Transport, Examples: n.examples, Lag: func() time.Duration { return time.Second },
		Owner: func(signal.Key, time.Time) bool { return true }, Cooled: func() {}, Logger: logger, Budget: budget.New(1 << 20), MaxAnswer: 1 << 20, MaxEvent: 1 << 20,
	})
	j := journal.New("n1", 10)
	j.Begin(&decision.Decision{RequestID: "served"}, nil, nil, time.Now())
	n.Server = httptest.NewServer(inspect.New(inspect.Config{
		Token: token, Node: "n1", Find: j.Find, State: n.holder.Load, Suppose: n.holder.Suppose, Examples: n.examples, Explain: d.Explain,
	}))
	t.Cleanup(n.Close)
	return n
}

// prepare gives the served routings their vectors at once.
func (n *node) prepare(s *core.Snapshot) embed.Collections {
	all, err := embed.Collect(s)
	for _, c := range all.List() {
		if err == nil {
			err = n.examples.Fill(n.t.Context(), c)
		}
	}
	if err != nil {
		n.t.Error(err)
	}
	return all
}

func (n *node) ask(method, path, body, token string) (int, string) {
	n.t.Helper()
	req, err := http.NewRequestWithContext(n.t.Context(), method, n.URL+path, strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := n.Client().Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func (n *node) explain(question string) decision.Explanation {
	n.t.Helper()
	status, body := n.ask("POST", "/explain", question, token)
	var e decision.Explanation
	if err := json.Unmarshal([]byte(body), &e); status != 200 || err != nil {
		n.t.Fatalf("%s: got %d %s, %v", question, status, body, err)
	}
	return e
}

func order(p decision.Plan) string {
	var names []string
	for _, s := range p.Order {
		names = append(names, s.Target)
	}
	return strings.Join(names, " ")
}

func TestNobodyIsAnsweredWithoutTheToken(t *testing.T) {
	n := newNode(t)
	for _, path := range []string{"/decisions/served", "/explain", "/calibrate", "/elsewhere"} {
		for _, shown := range []string{"", "another", token + "x", token[:5]} {
			for _, method := range []string{"GET", "POST"} {
				if status, body := n.ask(method, path, `{"model":"ring"}`, shown); status != http.StatusUnauthorized || strings.Contains(body, "served") {
					t.Errorf("%s %s with %q: got %d %s, want 401", method, path, shown, status, body)
				}
			}
		}
	}
	without := httptest.NewServer(inspect.New(inspect.Config{}))
	defer without.Close()
	n.Server.URL = without.URL
	if status, _ := n.ask("GET", "/decisions/served", "", ""); status != http.StatusUnauthorized {
		t.Errorf("a node without a token: got %d, want 401", status)
	}
}

func TestADecisionIsFoundByItsRequest(t *testing.T) {
	n := newNode(t)
	if status, body := n.ask("GET", "/decisions/served", "", token); status != 200 || !strings.Contains(body, `"request_id":"served"`) || !strings.Contains(body, `"node":"n1"`) {
		t.Errorf("got %d %s", status, body)
	}
	if status, body := n.ask("GET", "/decisions/other", "", token); status != 404 {
		t.Errorf("got %d %s, want 404", status, body)
	}
}

func TestAnExplanationIsWhatTheNextRequestWouldMeet(t *testing.T) {
	n := newNode(t)
	for _, c := range []struct{ name, question, order, refused string }{
		{"a model", `{"model":"b"}`, "b", ""},
		{"turns", `{"model":"ring"}`, "a b c", ""},
		{"a capability by fact", `{"model":"ring","facts":{"capabilities":["vision"]}}`, "a c", ""},
		{"a capability by body", `{"model":"ring","request":{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}}`, "a c", ""},
		{"another model in the body", `{"model":"ring","request":{"model":"zzz","messages":[]}}`, "a b c", ""},
		{"a tag", `{"model":"tagged","facts":{"tags":["eu"]}}`, "a", ""},
		{"no such tag", `{"model":"tagged","facts":{"tags":["mars"]}}`, "", "refused"},
		{"an inline routing", `{"routing":{"strategy":"failover","targets":[{"model":"c"},{"model":"ring"}]}}`, "c a b", ""},
		{"an inline routing in place of a stored one", `{"routing":{"id":"fast","strategy":"failover","targets":[{"model":"c"},{"model":"b"}]}}`, "c b", ""},
	} {
		e := n.explain(c.question)
		refused := ""
		if e.Refused != nil {
			refused = e.Refused.Reason
		}
		if order(e.Plan) != c.order || refused != c.refused || e.Ranking == nil || e.Node != "n1" || e.Revision != 7 {
			t.Errorf("%s: got %q, refused %q, %+v", c.name, order(e.Plan), refused, e)
		}
	}
	if e := n.explain(`{"model":"ring","request":{"stream":true,"messages":[]}}`); !e.Stream || e.Ranking.Time != "ttft" {
		t.Errorf("a stream: got %+v", e)
	}
	if e := n.explain(`{"model":"fast","facts":{"stream":true}}`); !e.Stream || e.Ranking.Time != "ttft" || e.Ranking.Tiers[0].Latency == nil {
		t.Errorf("a stream by fact: got %+v", e)
	}
	first := map[string]bool{}
	for _, key := range []string{"k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8"} {
		question := `{"model":"sharded","facts":{"hash":"` + key + `"}}`
		e := n.explain(question)
		first[e.Order[0].Target] = true
		if again := n.explain(question); order(again.Plan) != order(e.Plan) {
			t.Errorf("%s: got %s, then %s", key, order(e.Plan), order(again.Plan))
		}
	}
	if len(first) < 2 {
		t.Errorf("eight keys all belong to %v", first)
	}
}

func TestATargetThatCoolsStandsBehindTheOthers(t *testing.T) {
	n := newNode(t)
	g, _ := n.holder.Load().Group("a")
	n.cool.Fail(g.Members[0].Target, cooldown.Fault{AtOnce: true}, time.Now(), time.Now())
	e := n.explain(`{"routing":{"strategy":"failover","targets":[{"model":"a"},{"model":"b"}]}}`)
	if order(e.Plan) != "b a" || e.Order[1].Cooling <= 0 {
		t.Errorf("got %+v", e.Order)
	}
	if e.Ranking.Candidates[0].Target != "a" || e.Ranking.Candidates[0].Position != 1 {
		t.Errorf("the ranking is as if nothing cooled: got %+v", e.Ranking.Candidates[0])
	}
}

// state is everything that a question could change.
func (n *node) state() map[string]any {
	out := map[string]any{"dialed": n.dialed.Load()}
	for _, name := range []string{"a", "b", "c"} {
		g, _ := n.holder.Load().Group(name)
		target := g.Members[0].Target
		now := time.Unix(1_000_000, 0)
		e := n.board.Estimate(target.Signal, signal.Total, now)
		if math.IsInf(e.ElasticityError, 1) {
			e.ElasticityError = 0
		}
		out[name] = []any{n.board.Claimed(target.Signal), e.Inflight, e.Attempts, e.Tried, n.cool.Standing(target, now)}
	}
	return out
}

func TestAQuestionChangesNothing(t *testing.T) {
	n := newNode(t)
	for _, name := range []string{"a", "b"} { // c stays unmeasured, and is to be probed
		g, _ := n.holder.Load().Group(name)
		for range 20 {
			n.board.Succeed(g.Members[0].Target.Signal, signal.Total, 100*time.Millisecond, 0, time.Now())
		}
	}
	before, served := n.state(), n.holder.Load()
	for _, question := range []string{
		`{"model":"ring"}`, `{"model":"fast","facts":{"session":"s"}}`, `{"model":"tagged","facts":{"tags":["us"]}}`,
		`{"routing":{"id":"ring","strategy":"round_robin","targets":[{"model":"c"},{"model":"b","weight":3}]}}`,
	} {
		first := n.explain(question)
		for range 3 {
			again := n.explain(question)
			if order(again.Plan) != order(first.Plan) {
				t.Errorf("%s: got %s, then %s", question, order(first.Plan), order(again.Plan))
			}
		}
	}
	if e := n.explain(`{"model":"fast"}`); !e.Order[0].Probe || e.Order[0].Target != "c" {
		t.Errorf("got %+v, want the probe that the next request would be", e.Order)
	}
	if diff := cmp.Diff(before, n.state()); diff != "" {
		t.Errorf("something has changed (-before +after):\n%s", diff)
	}
	if n.holder.Load() != served {
		t.Error("something was published")
	}
	g, _ := served.Group("ring")
	if first := n.ranker.Order(nil, g, rank.View{Board: n.board, Now: time.Now()})[0].Target.Model; first != "a" {
		t.Errorf("the wheel has turned: the first request goes to %s", first)
	}
}

func TestAPromptIsComparedWithExamplesThatAreServedOrTried(t *testing.T) {
	n := newNode(t)
	before := n.embedded.Load()
	e := n.explain(`{"model":"meaning","facts":{"prompt":"some code"}}`)
	if order(e.Plan) != "a c" || e.Ranking.Tiers[0].Semantic == nil || e.Ranking.Tiers[0].Semantic.State != rank.MeaningScored || *e.Ranking.Candidates[0].Semantic.Score < 0.99 {
		t.Errorf("served: got %s, %+v", order(e.Plan), e.Ranking.Candidates)
	}
	if e := n.explain(`{"model":"meaning","request":{"messages":[{"role":"user","content":"a poem"}]}}`); order(e.Plan) != "c" || !e.Ranking.Tiers[0].Semantic.Fallback {
		t.Errorf("like nothing: got %s", order(e.Plan))
	}
	if got := n.embedded.Load() - before; got != 2 {
		t.Errorf("%d texts were embedded, want both prompts", got)
	}
	inline := `{"routing":{"strategy":"semantic",` + embeddings + `"targets":[{"model":"a","catchall":true},{"model":"b","examples":["poem"]}]},"facts":{"prompt":"write a poem"}}`
	if e := n.explain(inline); order(e.Plan) != "b a" || e.Ranking.Tiers[0].Semantic.State != rank.MeaningScored {
		t.Errorf("tried: got %s, %+v", order(e.Plan), e.Ranking.Tiers)
	}
	n.mute.Store(true)
	status, body := n.ask("POST", "/explain", strings.Replace(inline, `["poem"]`, `["another poem"]`, 1), token)
	if status != 422 || !strings.Contains(body, "/routing/semantic/embeddings") {
		t.Errorf("without an endpoint: got %d %s", status, body)
	}
	if e := n.explain(`{"model":"meaning","facts":{"prompt":"new code"}}`); order(e.Plan) != "c" || e.Ranking.Tiers[0].Semantic.State != rank.MeaningFailed {
		t.Errorf("served without an endpoint: got %s", order(e.Plan))
	}
}

func TestARoutingIsCalibratedByLabelledPrompts(t *testing.T) {
	n := newNode(t)
	question := `{"routing":"meaning","close":0.6,"prompts":[
		{"text":"code","target":"a"},{"text":"code and go","target":"a"},{"text":"translate","target":"b"},{"text":"translate my code","target":"b"},
		{"text":"a poem","target":"c"},{"text":"  ","target":"c"},{"text":"canary-prompt translate","target":"c"}]}`
	status, body := n.ask("POST", "/calibrate", question, token)
	var r calibrate.Result
	if err := json.Unmarshal([]byte(body), &r); err != nil || status != 200 {
		t.Fatalf("got %d %s, %v", status, body, err)
	}
	if r.Node != "n1" || r.Routing != "meaning" || r.Prompts != 7 || r.Criterion != "youden" || len(r.Targets) != 3 {
		t.Errorf("got %+v", r)
	}
	got := map[string]int{}
	for _, c := range r.Confusion {
		got[c.Belongs+">"+c.Goes] = c.Prompts
	}
	if diff := cmp.Diff(map[string]int{"a>a": 2, "b>b": 1, "b>c": 1, "c>c": 2, "c>b": 1}, got); diff != "" {
		t.Errorf("confusion (-want +got):\n%s", diff)
	}
	if math.Abs(r.Accuracy-5.0/7) > 1e-9 || r.Targets[0].Suggested == nil || *r.Targets[0].Threshold != 0.9 || !r.Targets[2].Fallback {
		t.Errorf("got %+v", r)
	}
	if len(r.Wrong) != 2 || r.Wrong[0].Prompt != 3 || r.Wrong[1].Prompt != 6 {
		t.Errorf("wrong: got %+v", r.Wrong)
	}
	if strings.Contains(body+n.log.String(), "canary-prompt") {
		t.Errorf("a prompt is in the answer or in the log: %s", body)
	}
	for _, c := range []struct{ question, pointer string }{
		{`{"routing":"ring","prompts":[]}`, "/routing"},
		{`{"routing":"nobody","prompts":[]}`, "/routing"},
		{`{"routing":"meaning","prompts":[{"text":"x","target":"a"},{"text":"x","target":"z"}]}`, "/prompts/1/target"},
		{`{"routing":"meaning","prompt":[]}`, ""},
	} {
		status, body := n.ask("POST", "/calibrate", c.question, token)
		var got decision.Complaint
		if err := json.Unmarshal([]byte(body), &got); err != nil || status != 422 || len(got.Faults) != 1 || got.Faults[0].Pointer != c.pointer {
			t.Errorf("%s: got %d %s", c.question, status, body)
		}
	}
	n.mute.Store(true)
	if status, body := n.ask("POST", "/calibrate", question, token); status != 503 || !strings.Contains(body, "status") {
		t.Errorf("without an endpoint: got %d %s", status, body)
	}
}

func TestExplanationsDoNotWaitForCalibrations(t *testing.T) {
	n := newNode(t)
	n.held = make(chan chan struct{})
	n.Client().Timeout = 5 * time.Second
	const calibrations = 3
	var asked sync.WaitGroup
	for range calibrations {
		asked.Go(func() {
			if status, body := n.ask("POST", "/calibrate", `{"routing":"meaning","prompts":[{"text":"code","target":"a"}]}`, token); status != 200 {
				t.Errorf("got %d %s", status, body)
			}
		})
	}
	first, second := <-n.held, <-n.held // two calls are under way
	n.explain(`{"model":"ring"}`)
	close(first)
	close(<-n.held)
	close(second)
	asked.Wait()
}

func TestTheModelOfABodyDoesNotMatterAndMarkupIsNoLongerThanInARequest(t *testing.T) {
	n := newNode(t)
	for _, model := range []string{"", `"model":"nobody",`, `"model":"",`, `"model":7,`, `"model":null,`} {
		question := `{"model":"narrow","request":{` + model + `"messages":[{"role":"user","content":"` + strings.Repeat("<", 12<<10) + `"}]}}`
		if e := n.explain(question); order(e.Plan) != "priced" || e.Model != "narrow" {
			t.Errorf("with %s: got %s, %+v", model, order(e.Plan), e.Refused)
		}
	}
	if e := n.explain(`{"model":"narrow","facts":{"prompt":"` + strings.Repeat("<", 12<<10) + `"}}`); order(e.Plan) != "priced" {
		t.Errorf("by facts: got %s, %+v", order(e.Plan), e.Refused)
	}
}

func TestAQuestionThatCannotBeAnsweredSaysWhereItIsWrong(t *testing.T) {
	n := newNode(t)
	for _, c := range []struct{ question, pointer, rule string }{
		{`{}`, "", "one-of"},
		{`{"model":"a","routing":{"strategy":"failover","targets":[{"model":"a"}]}}`, "", "one-of"},
		{`{"model":"nobody"}`, "/model", "reference"},
		{`{"model":"a","targets":[{"model":"a"}]}`, "/targets", "profile"},
		{`{"model":"a","extra":1}`, "", "json"},
		{`{"model":"a"} x`, "", "json"},
		{`no json`, "", "json"},
		{`{"routing":{"strategy":"failover","targets":[{"model":"a"},{"model":"nobody"}]}}`, "/routing/targets/1/model", "reference"},
		{`{"routing":{"id":"a","strategy":"failover","targets":[{"model":"b"}]}}`, "/routing/id", "unique"},
		{`{"routing":{"strategy":"luck","targets":[{"model":"b"}]}}`, "/routing/strategy", "enum"},
		{`{"routing":{"id":"ring","strategy":"failover","targets":[{"model":"tagged"},{"model":"ring"}]}}`, "/routing/targets/1/model", "cycle"},
		{`{"model":"a","facts":{"stream":true},"request":{"messages":[]}}`, "/facts/stream", "exclusive"},
		{`{"model":"a","facts":{"capabilities":["telepathy"]}}`, "/facts/capabilities/0", "enum"},
		{`{"model":"a","facts":{"max_tokens":-1}}`, "/facts/max_tokens", "minimum"},
		{`{"model":"a","request":[]}`, "/request", "type"},
		{`{"model":"a","request":{"messages":[],"stream":"yes"}}`, "/request/stream", "request"},
	} {
		status, body := n.ask("POST", "/explain", c.question, token)
		var got decision.Complaint
		if err := json.Unmarshal([]byte(body), &got); status != 422 || err != nil || got.Message == "" {
			t.Errorf("%s: got %d %s", c.question, status, body)
			continue
		}
		if len(got.Faults) == 0 || got.Faults[0].Pointer != c.pointer || got.Faults[0].Rule != c.rule || got.Faults[0].Message == "" || got.Faults[0].Ref != (core.Ref{}) {
			t.Errorf("%s: got %+v, want %s at %q", c.question, got.Faults, c.rule, c.pointer)
		}
	}
}

func TestPromptsAreInNoAnswerAndInNoLog(t *testing.T) {
	const prompt = "prompt-canary-4711"
	n := newNode(t)
	for _, question := range []string{
		`{"model":"ring","facts":{"prompt":"` + prompt + `"}}`,
		`{"model":"ring","request":{"messages":[{"role":"user","content":"` + prompt + `"}]}}`,
		`{"model":"tagged","facts":{"prompt":"` + prompt + `","tags":["mars"]}}`,
		`{"model":"nobody","request":{"messages":[{"role":"user","content":"` + prompt + `"}]}}`,
		`{"model":"ring","request":{"messages":[{"role":"user","content":"` + prompt + `"}],"stream":"x"}}`,
		`{"model":"ring","request":{"messages":"` + prompt + `","messages":1}}`,
	} {
		if _, body := n.ask("POST", "/explain", question, token); strings.Contains(body, prompt) {
			t.Errorf("%s: the answer holds the prompt: %s", question, body)
		}
	}
	if strings.Contains(n.log.String(), prompt) {
		t.Errorf("the log holds the prompt: %s", n.log.String())
	}
}
