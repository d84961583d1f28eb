package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/admin/ask"
	"github.com/sluice-gateway/sluice/admin/catalog"
	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/schemas"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
	"github.com/sluice-gateway/sluice/store/storetest"
)

const (
	adminToken  = "admin-token-0123456789"
	viewerToken = "viewer-token-0123456789"
	maxBody     = 1 << 20
	// secretMark is in every secret that a test sends; no answer and no log line may hold it.
	secretMark = "SECRET-MARK"
)

// shared is the etcd of all tests; each has a prefix of its own in it.
var shared *embedded.Server

func TestMain(m *testing.M) { os.Exit(runMain(m)) }

func runMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "admin")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if shared, err = embedded.Start(embedded.Config{Dir: dir, UnsafeNoFsync: true}); err != nil {
		panic(err)
	}
	defer shared.Close()
	return m.Run()
}

// world is one store with an API over it.
type world struct {
	t     *testing.T
	cfg   store.Config
	store *store.Store
	api   *API
	url   string

	servers []*httptest.Server

	mu   sync.Mutex
	seen bytes.Buffer // every answer and log line
}

func newWorld(t *testing.T) *world {
	t.Helper()
	// A folder's name is a prefix that no other test has.
	return newWorldAt(t, store.Config{Endpoints: shared.Endpoints(), Prefix: t.TempDir()})
}

func newWorldAt(t *testing.T, cfg store.Config) *world {
	t.Helper()
	cfg.Keys, _ = storetest.Keyset(t)
	st, err := store.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	w := &world{t: t, cfg: cfg, store: st}
	t.Cleanup(w.checkSecrecy) // when the servers are closed
	w.url, w.api = w.replica(st)
	return w
}

// replica serves another API over the store.
func (w *world) replica(st *store.Store) (string, *API) {
	w.t.Helper()
	set, err := schemas.Load()
	if err != nil {
		w.t.Fatal(err)
	}
	api, err := New(Config{
		Catalog: catalog.New(st, set, core.Site{}), Fleet: fleet.New(st, core.Reach{}), Nodes: ask.New(st), Ping: st.Ping,
		AdminTokens: []string{adminToken}, ViewerTokens: []string{viewerToken}, MaxBody: maxBody, Version: "test",
		Logger: slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	srv := httptest.NewServer(api.Handler())
	w.servers = append(w.servers, srv)
	w.t.Cleanup(srv.Close)
	return srv.URL, api
}

// Write takes log lines.
func (w *world) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.Write(b)
}

// ended closes the servers and returns every answer and log line.
func (w *world) ended() string {
	for _, srv := range w.servers {
		srv.Close()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.String()
}

func (w *world) checkSecrecy() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for line := range strings.Lines(w.seen.String()) {
		if strings.Contains(line, secretMark) {
			w.t.Errorf("a secret is in an answer or log: %s", line)
		}
	}
}

// answer is what came back.
type answer struct {
	t      *testing.T
	asked  string
	status int
	header http.Header
	body   []byte
}

// do sends a request as the admin; headers are "Name: value".
func (w *world) do(method, path, body string, headers ...string) answer {
	w.t.Helper()
	return w.doAt(w.url, method, path, body, headers...)
}

func (w *world) doAt(url, method, path, body string, headers ...string) answer {
	w.t.Helper()
	r, err := http.NewRequest(method, url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+adminToken)
	switch method {
	case http.MethodPut:
		r.Header.Set("Content-Type", "application/json")
	case http.MethodPatch:
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	return w.send(r)
}

func (w *world) send(r *http.Request) answer {
	w.t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	fmt.Fprintf(w, "%v %s\n", resp.Header, body)
	return answer{w.t, r.Method + " " + r.URL.String(), resp.StatusCode, resp.Header, body}
}

func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: got %d, want %d: %s", a.asked, a.status, status, a.body)
	}
	return a
}

// problem decodes a problem of that status and slug.
func (a answer) problem(status int, slug string) Problem {
	a.t.Helper()
	a.want(status)
	var p Problem
	if err := json.Unmarshal(a.body, &p); err != nil {
		a.t.Fatalf("%s: not a problem: %v: %s", a.asked, err, a.body)
	}
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Errorf("%s: Content-Type %q", a.asked, got)
	}
	if p.Type != "urn:sluice:problem:"+slug || p.Status != status || p.Title == "" || p.RequestID != a.header.Get("X-Request-Id") || p.RequestID == "" {
		a.t.Errorf("%s: got problem %s, want slug %q", a.asked, a.body, slug)
	}
	return p
}

func (a answer) object() map[string]any {
	a.t.Helper()
	var o map[string]any
	if err := json.Unmarshal(a.body, &o); err != nil {
		a.t.Fatalf("%s: %v: %s", a.asked, err, a.body)
	}
	return o
}

// brief lists faults as "kind/id#pointer rule".
func brief(faults []Fault) []string {
	var out []string
	for _, f := range faults {
		s := "#" + f.Pointer + " " + f.Rule
		if f.Resource != nil {
			s = f.Resource.Kind + "/" + f.Resource.ID + s
		}
		out = append(out, s)
	}
	return out
}

const (
	providerBody = `{"kind":"openai","base_url":"https://one.example/v1","auth":{"secret":"sk-SECRET-MARK-abcd"}}`
	modelBody    = `{"provider":"p","upstream_model":"gpt"}`
	profileBody  = `{"optimize":{"cost":0.6,"health":0.4}}`
	routingBody  = `{"strategy":"failover","targets":[{"model":"m"}]}`
	apiKeyBody   = `{"key_sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","allowed_models":["*"]}`
)

// seed stores provider p, model m over it and routing r over m.
func (w *world) seed() {
	w.t.Helper()
	w.do("PUT", "/admin/v1/providers/p", providerBody).want(201)
	w.do("PUT", "/admin/v1/models/m", modelBody).want(201)
	w.do("PUT", "/admin/v1/routings/r", routingBody).want(201)
}

// limit is how long a test waits for what must come; it is never waited out when all is well.
const limit = 20 * time.Second
