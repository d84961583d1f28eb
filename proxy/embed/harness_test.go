package embed_test

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/vector"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// upstream returns a provider as the node would compile it.
func upstream(tb testing.TB, p core.Provider) *core.Upstream {
	tb.Helper()
	p.ID, p.Kind = "vectors", core.ProviderOpenAI
	if p.BaseURL == "" {
		p.BaseURL = "http://vectors.example/v1"
	}
	doc := core.NewDocument()
	doc.Set(&p)
	doc.Set(&core.Model{ID: "m", Provider: "vectors", UpstreamModel: "u"})
	snapshot, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		tb.Fatalf("compile %+v: %v", p, faults)
	}
	return snapshot.Targets()[0].Upstream
}

// endpoint returns one of a provider without a credential. Settings that are not given are the usual ones.
func endpoint(tb testing.TB, s core.EmbeddingPolicy) *embed.Endpoint {
	tb.Helper()
	if s.Upstream == nil {
		s.Upstream = upstream(tb, core.Provider{})
	}
	if s.Model == "" {
		s.Model = "e"
	}
	e, err := embed.NewEndpoint(s)
	if err != nil {
		tb.Fatalf("%+v: %v", s, err)
	}
	return e
}

// server is an embedding endpoint. It is reached through a connection, as an http.Handler, or without one, as an
// http.RoundTripper, which is what a test with a clock of its own needs.
type server struct {
	mu    sync.Mutex
	calls []call
	// dimension of the vectors.
	dimension int
	// instead, if set, answers and reports whether it did.
	instead func(w http.ResponseWriter, r *http.Request, c call) bool
}

type call struct {
	Input          []string `json:"input"`
	Model          *string  `json:"model"`
	Dimensions     *int     `json:"dimensions"`
	EncodingFormat string   `json:"encoding_format"`

	method, url string
	header      http.Header
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := call{method: r.Method, url: r.URL.RequestURI(), header: r.Header.Clone()}
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &c); err != nil {
		panic(err)
	}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	dimension, instead := s.dimension, s.instead
	s.mu.Unlock()
	if instead == nil || !instead(w, r, c) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer(c.Input, dimension))
	}
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return w.Result(), nil
}

func (s *server) set(change func(*server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// count returns the number of calls so far.
func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// sent returns every text that has been sent, as often as it was, sorted.
func (s *server) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, c := range s.calls {
		out = append(out, c.Input...)
	}
	slices.Sort(out)
	return out
}

type entry struct {
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

// answer embeds texts, in an order of the server's own.
func answer(texts []string, dimension int) map[string]any {
	var data []entry
	for i, text := range texts {
		data = append(data, entry{i, values(text, dimension)})
	}
	slices.Reverse(data)
	return map[string]any{"object": "list", "data": data, "model": "e", "usage": map[string]int{"prompt_tokens": 3}}
}

// values are what the server makes of a text.
func values(text string, dimension int) []float32 {
	out, sum := make([]float32, dimension), sha256.Sum256([]byte(text))
	for i := range out {
		out[i] = float32(int8(sum[i%len(sum)])) + 0.5
	}
	return out
}

func unit(tb testing.TB, text string, dimension int) vector.Unit {
	tb.Helper()
	u, err := vector.Normalise(values(text, dimension))
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

func same(a, b vector.Unit) bool { return slices.Equal(a.Values(), b.Values()) }

// embedder returns one over a transport.
func embedder(tb testing.TB, transport http.RoundTripper, o embed.Observer) *embed.Embedder {
	tb.Helper()
	m := embed.New(embed.Config{
		Transport: func(*core.Upstream) http.RoundTripper { return transport },
		UserAgent: "sluice/test", Observer: o, Logger: slog.New(slog.DiscardHandler),
	})
	tb.Cleanup(m.Close)
	return m
}

// listen puts the server behind a real connection and returns its URL and a transport to it.
func listen(tb testing.TB, s *server) (string, *http.Transport) {
	tb.Helper()
	up := httptest.NewServer(s)
	transport := &http.Transport{DisableCompression: true}
	tb.Cleanup(func() {
		transport.CloseIdleConnections()
		up.CloseClientConnections()
		up.Close()
	})
	return up.URL, transport
}

// counts counts what an Observer is told.
type counts struct {
	mu       sync.Mutex
	calls    map[embed.Cause]int
	outcomes map[embed.Outcome]int
	alone    bool
	changes  int
}

func newCounts() *counts {
	return &counts{calls: map[embed.Cause]int{}, outcomes: map[embed.Outcome]int{}}
}

func (c *counts) EmbeddingCalled(_ string, cause embed.Cause, _ time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[cause]++
}

func (c *counts) PromptLooked(_ string, o embed.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.outcomes[o]++
}

func (c *counts) EndpointLeft(_ string, alone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alone, c.changes = alone, c.changes+1
}

func (c *counts) outcome(o embed.Outcome) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.outcomes[o]
}

func (c *counts) left() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alone
}
