package metrics_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/budget"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/live"
	"github.com/sluice-gateway/sluice/proxy/metrics"
	"github.com/sluice-gateway/sluice/proxy/serve"
)

// snapshot serves models of these names, at 2 and 8 dollars a million tokens.
func snapshot(t *testing.T, models ...string) *core.Snapshot {
	t.Helper()
	doc := core.NewDocument()
	doc.Set(&core.Provider{ID: "p", Kind: core.ProviderOpenAI, BaseURL: "http://upstream/v1"})
	for _, id := range models {
		doc.Set(&core.Model{ID: id, Provider: "p", UpstreamModel: "u", Cost: &core.Cost{InputPer1M: 2, OutputPer1M: 8}})
	}
	s, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s
}

func target(s *core.Snapshot, model string) *core.Target {
	for _, t := range s.Targets() {
		if t.Model == model {
			return t
		}
	}
	return nil
}

// series returns every series as "name{label=value,…}" with its value, that of a histogram being its count.
func series(t *testing.T, r prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			name := f.GetName() + "{" + strings.Join(labels, ",") + "}"
			out[name] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return out
}

func naming(all map[string]float64, name string) []string {
	var out []string
	for s := range all {
		if strings.Contains(s, "="+name+",") || strings.Contains(s, "="+name+"}") {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// served answers every request that gets as far as a model.
type served struct{}

func (served) Serve(http.ResponseWriter, *http.Request, dispatch.Call) (dispatch.Result, dispatch.Rest) {
	return dispatch.Result{Status: 200, Outcome: "ok"}, nil
}

func TestNoClientCanAddASeries(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := metrics.New(registry)
	state := &live.State{Snapshot: snapshot(t, "known")}
	m.Keep(state.Snapshot)
	edge := serve.New(serve.Config{
		State: func() *live.State { return state }, Dispatcher: served{}, Observer: m, Logger: slog.New(slog.DiscardHandler), MaxBody: 1 << 10, Budget: budget.New(1 << 20),
	})
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("w%x", random.Uint64()) }
	methods := []string{"GET", "POST", "PUT", "DELETE", "OPTIONS", "BREW"}
	ask := func() {
		for _, path := range []string{"/v1/chat/completions", "/v1/models/" + word(), "/v1/" + word(), "/" + word()} {
			method := methods[random.IntN(len(methods))]
			r := httptest.NewRequest(method, path, strings.NewReader(`{"model":"`+word()+`","stream":true}`))
			r.Header.Set("Authorization", "Bearer "+word())
			r.Header.Set("User-Agent", word())
			edge.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	for range 100 {
		ask()
	}
	before := series(t, registry)
	for range 2500 {
		ask()
	}
	after := series(t, registry)
	if len(after) != len(before) {
		t.Errorf("10,000 requests with words of their own made %d series of %d", len(after), len(before))
	}
	for s := range after {
		if strings.Contains(s, "=w") {
			t.Errorf("a client's word is in %s", s)
		}
	}
}

func request(model string) serve.Request {
	return serve.Request{Endpoint: "chat/completions", Model: model, Stream: true, Elapsed: time.Second, Result: dispatch.Result{Status: 200, Outcome: "ok", Target: model, Attempts: 1}}
}

func attempt(s *core.Snapshot, model string) dispatch.Attempt {
	return dispatch.Attempt{Target: target(s, model), Outcome: "ok", Elapsed: time.Second, FirstToken: time.Millisecond, Usage: dispatch.Usage{Prompt: 1_000_000, Completion: 500_000}}
}

func TestTheSeriesOfADeletedModelGo(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := metrics.New(registry)
	both, one := snapshot(t, "kept", "gone"), snapshot(t, "kept")
	m.Keep(both)
	for _, model := range []string{"kept", "gone"} {
		m.Began()
		m.Attempt(attempt(both, model))
		m.Ended(request(model))
	}
	before := series(t, registry)
	if len(naming(before, "gone")) != 9 || len(naming(before, "kept")) != 9 {
		t.Fatalf("series %v, want 9 of each model", before)
	}
	m.Keep(one)
	after := series(t, registry)
	if got := naming(after, "gone"); len(got) != 0 {
		t.Errorf("left of the deleted model: %v", got)
	}
	if got, want := naming(after, "kept"), naming(before, "kept"); !slices.Equal(got, want) {
		t.Errorf("of the other: got %v, want %v", got, want)
	}
	// What was under way is counted, though not under a name that nobody would ever drop again.
	m.Attempt(attempt(both, "gone"))
	m.Ended(request("gone"))
	late := series(t, registry)
	if got := naming(late, "gone"); len(got) != 0 {
		t.Errorf("an attempt that ended after its model was deleted made %v", got)
	}
	if late[`sluice_tokens_total{direction=prompt,target=unknown}`] != 1_000_000 {
		t.Errorf("its tokens are lost: %v", late)
	}
}

func TestADeletedModelLeavesNoSeriesWhateverEndsMeanwhile(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := metrics.New(registry)
	both, one := snapshot(t, "kept", "gone"), snapshot(t, "kept")
	a, r := attempt(both, "gone"), request("gone")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				m.Attempt(a)
				m.Ended(r)
			}
		})
	}
	for range 200 {
		m.Keep(both)
		m.Keep(one)
	}
	wg.Wait()
	if got := naming(series(t, registry), "gone"); len(got) != 0 {
		t.Errorf("left of the deleted model: %v", got)
	}
}

func TestWhatARequestAndItsAttemptsCount(t *testing.T) {
	registry := prometheus.NewRegistry()
	m := metrics.New(registry)
	s := snapshot(t, "a", "b")
	m.Keep(s)
	m.Began()
	if got := series(t, registry)[`sluice_requests_in_flight{}`]; got != 1 {
		t.Errorf("in flight: %v, want 1", got)
	}
	m.Attempt(dispatch.Attempt{Target: target(s, "a"), Outcome: "timeout", Elapsed: time.Second})
	m.Attempt(attempt(s, "b"))
	m.Ended(request("b"))
	got := series(t, registry)
	for name, want := range map[string]float64{
		`sluice_requests_in_flight{}`: 0,
		`sluice_requests_total{code=200,endpoint=chat/completions,model=b,outcome=ok,stream=true}`: 1,
		`sluice_request_duration_seconds{endpoint=chat/completions,model=b,stream=true}`:           1,
		`sluice_answers_total{model=b,target=b}`:                                                   1,
		`sluice_attempts_total{outcome=timeout,target=a}`:                                          1,
		`sluice_attempts_total{outcome=ok,target=b}`:                                               1,
		`sluice_attempt_duration_seconds{target=a}`:                                                1,
		`sluice_time_to_first_token_seconds{target=b}`:                                             1,
		`sluice_tokens_total{direction=prompt,target=b}`:                                           1_000_000,
		`sluice_tokens_total{direction=completion,target=b}`:                                       500_000,
		`sluice_cost_usd_total{target=b}`:                                                          6,
	} {
		if got[name] != want {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
	for _, s := range naming(got, "a") {
		if strings.Contains(s, "tokens") || strings.Contains(s, "cost") || strings.Contains(s, "first_token") {
			t.Errorf("an attempt without an answer made %s", s)
		}
	}
}

func TestOfSemanticRoutingsOnlyConfiguredProvidersHaveSeries(t *testing.T) {
	compiled := func(embeds bool) *core.Snapshot {
		doc := core.NewDocument()
		doc.Set(&core.Provider{ID: "p", Kind: core.ProviderOpenAI, BaseURL: "http://upstream/v1"})
		doc.Set(&core.Model{ID: "m", Provider: "p", UpstreamModel: "u"})
		if embeds {
			doc.Set(&core.Routing{
				ID: "r", Strategy: core.StrategySemantic, Targets: []core.RoutingTarget{{Model: "m", Examples: []string{"x"}}},
				Semantic: &core.Semantic{Embeddings: &core.Embeddings{Provider: "p", Model: "e"}},
			})
		}
		s, faults := core.Compile(doc, core.Site{})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		return s
	}
	registry := prometheus.NewRegistry()
	m := metrics.New(registry)
	m.Keep(compiled(true))
	m.EmbeddingCalled("p", "", time.Second)
	m.EmbeddingCalled("p", embed.TimedOut, time.Second)
	m.EmbeddingCalled("gone", embed.TimedOut, time.Second)
	m.PromptLooked("p", embed.Skipped)
	got := series(t, registry)
	for _, want := range []string{
		"sluice_embedding_calls_total{outcome=ok,provider=p}", "sluice_embedding_calls_total{outcome=timeout,provider=p}",
		"sluice_embedding_calls_total{outcome=timeout,provider=unknown}", "sluice_embedding_prompts_total{outcome=skipped,provider=p}",
	} {
		if got[want] != 1 {
			t.Errorf("%s is %v, want 1", want, got[want])
		}
	}
	if n := got["sluice_embedding_call_duration_seconds{provider=p}"]; n != 2 {
		t.Errorf("%v durations, want 2", n)
	}
	m.Keep(compiled(false))
	if left := naming(series(t, registry), "p"); len(left) > 0 {
		t.Errorf("left of a provider that embeds no more: %v", left)
	}
}

func TestAnEndpointThatIsLeftAloneShowsWhicheverRoutingItFails(t *testing.T) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.NewCollector(func(time.Time) metrics.Reading {
		return metrics.Reading{Semantic: []embed.State{
			{Name: "r1", Upstream: "p", Texts: 3, Ready: true}, {Name: "r2", Upstream: "p", Texts: 2, Missing: 1, Alone: true}, {Name: "r3", Upstream: "q", Texts: 1, Ready: true},
		}}
	}))
	got := series(t, registry)
	for name, want := range map[string]float64{
		"sluice_embedding_left_alone{provider=p}": 1, "sluice_embedding_left_alone{provider=q}": 0,
		"sluice_semantic_examples{model=r2}": 2, "sluice_semantic_vectors{model=r2}": 0, "sluice_semantic_vectors{model=r1}": 3,
	} {
		if value, there := got[name]; !there || value != want {
			t.Errorf("%s is %v (%t), want %v", name, value, there, want)
		}
	}
}
