package proxy_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

const key = "the-callers-key"

// fleet is an etcd with some nodes on it.
type fleet struct {
	t     *testing.T
	etcd  *embedded.Server
	store *store.Store
}

func newFleet(t *testing.T) *fleet {
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	f := &fleet{t: t, etcd: etcd}
	f.store = f.open()
	sum := sha256.Sum256([]byte(key))
	f.put(core.KindAPIKey, "k", `"key_sha256":"`+hex.EncodeToString(sum[:])+`","allowed_models":["*"]`)
	return f
}

func (f *fleet) open() *store.Store {
	s, err := store.Open(store.Config{Endpoints: f.etcd.Endpoints(), PlainSecrets: true})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { s.Close() })
	return s
}

// put writes resources given as kind, id, members and returns the revision.
func (f *fleet) put(kind core.Kind, id, members string) int64 {
	f.t.Helper()
	change := store.Change{Ref: core.Ref{Kind: kind, ID: id}, Value: []byte(`{"id":"` + id + `",` + members + `}`)}
	r, err := f.store.Update(f.t.Context(), func(store.Image) ([]store.Change, error) { return []store.Change{change}, nil })
	if err != nil {
		f.t.Fatal(err)
	}
	return r.Revision
}

// serve puts a provider and a model of that name in front of the handler.
func (f *fleet) serve(name string, h http.HandlerFunc) {
	up := httptest.NewServer(h)
	f.t.Cleanup(up.Close)
	f.put(core.KindProvider, name, `"kind":"openai","base_url":"`+up.URL+`"`)
	f.put(core.KindModel, name, `"provider":"`+name+`","upstream_model":"`+name+`"`)
}

// node is a running proxy.
type node struct {
	t           *testing.T
	api, status string
	stop        context.CancelFunc
	done        chan error
}

func (f *fleet) start(cfg proxy.Config) *node {
	f.t.Helper()
	cfg.Store = f.open()
	api, status := listen(f.t), listen(f.t)
	ctx, stop := context.WithCancel(context.Background())
	n := &node{f.t, "http://" + api.Addr().String(), "http://" + status.Addr().String(), stop, make(chan error, 1)}
	go func() { n.done <- proxy.New(cfg).Run(ctx, api, status) }()
	f.t.Cleanup(func() { n.stop(); <-n.done })
	n.await("ready", func() bool { code, _ := n.get("/readyz"); return code == 200 })
	return n
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (n *node) await(what string, ok func() bool) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			n.t.Fatalf("%s: did not happen", what)
		case <-tick.C:
		}
	}
}

func (n *node) get(path string) (int, string) {
	resp, err := http.Get(n.status + path)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b)
}

// revision returns up to which revision the node serves.
func (n *node) revision() int64 {
	_, body := n.get("/status")
	var s core.NodeStatus
	json.Unmarshal([]byte(body), &s)
	return s.Revision
}

func (n *node) request(ctx context.Context, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", n.api+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	return http.DefaultClient.Do(req)
}

func (n *node) ask(model string) (int, http.Header, string) {
	n.t.Helper()
	resp, err := n.request(n.t.Context(), `{"model":"`+model+`","messages":[]}`)
	if err != nil {
		n.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(b)
}

func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, text)
	}
}

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		http.DefaultClient.CloseIdleConnections()
	}))
}

func TestAWriteIsServedByEveryNode(t *testing.T) {
	f := newFleet(t)
	f.serve("m", says("hello"))
	a, b := f.start(proxy.Config{}), f.start(proxy.Config{})
	for _, n := range []*node{a, b} {
		if code, _, body := n.ask("m"); code != 200 || !strings.Contains(body, "hello") {
			t.Errorf("got %d %s", code, body)
		}
	}
	revision := f.put(core.KindRouting, "r", `"strategy":"failover","targets":[{"model":"m"}]`)
	for _, n := range []*node{a, b} {
		n.await("the write is served", func() bool { return n.revision() >= revision })
		if code, header, body := n.ask("r"); code != 200 || header.Get("X-Sluice-Target") != "m" {
			t.Errorf("got %d %s", code, body)
		}
	}
	nodes, err := f.store.Nodes(t.Context())
	if err != nil || len(nodes) != 2 {
		t.Errorf("nodes %v (%v), want two", nodes, err)
	}
}

func TestANodeIsReadyOnceTheFleetCanSeeIt(t *testing.T) {
	f := newFleet(t)
	for i := range 5 {
		f.start(proxy.Config{})
		nodes, err := f.store.Nodes(t.Context())
		if err != nil || len(nodes) != i+1 {
			t.Errorf("%d nodes are ready, the fleet has %d (%v)", i+1, len(nodes), err)
		}
	}
}

func TestWhatOneNodeMeasuresOrdersTargetsOnAnother(t *testing.T) {
	f := newFleet(t)
	release := make(chan struct{}, 100)
	f.serve("slow", func(w http.ResponseWriter, r *http.Request) {
		select { // slow by what it waits for, not by the clock: until the test has seen it asked
		case <-release:
		case <-r.Context().Done():
		}
		says("slow")(w, r)
	})
	f.serve("fast", says("fast"))
	f.put(core.KindRouting, "r", `"strategy":"least_latency","targets":[{"model":"slow"},{"model":"fast"}]`)
	a, b := f.start(proxy.Config{}), f.start(proxy.Config{})
	time.AfterFunc(300*time.Millisecond, func() {
		for range 50 {
			release <- struct{}{}
		}
	})
	for range 10 { // each is measured, then the fast one leads
		if code, _, body := a.ask("r"); code != 200 {
			t.Fatalf("got %d %s", code, body)
		}
	}
	b.await("b knows both", func() bool {
		_, body := b.get("/metrics")
		return strings.Contains(body, `sluice_target_latency_seconds{class="total",target="fast"}`) &&
			strings.Contains(body, `sluice_target_latency_seconds{class="total",target="slow"}`)
	})
	for range 10 {
		if _, header, _ := b.ask("r"); header.Get("X-Sluice-Target") != "fast" {
			t.Errorf("b, which has measured nothing, asked %q first", header.Get("X-Sluice-Target"))
		}
	}
}

func TestADrainingNodeFinishesWhatItHasBegun(t *testing.T) {
	f := newFleet(t)
	entered, release := make(chan struct{}), make(chan struct{})
	f.serve("m", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}`+"\n\n")
		http.NewResponseController(w).Flush()
		entered <- struct{}{}
		<-release
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	n := f.start(proxy.Config{Settle: 200 * time.Millisecond})
	resp, err := n.request(t.Context(), `{"model":"m","stream":true}`)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	<-entered
	n.stop()
	n.await("readiness goes off", func() bool { code, body := n.get("/readyz"); return code == 503 && strings.Contains(body, "draining") })
	close(release)
	b, err := io.ReadAll(resp.Body)
	if err != nil || !strings.HasSuffix(string(b), "data: [DONE]\n\n") {
		t.Errorf("the stream ended %q (%v), want its whole end", b, err)
	}
	if err := <-n.done; err != nil {
		t.Errorf("the node ended with %v", err)
	}
	n.done <- nil
	if nodes, err := f.store.Nodes(t.Context()); err != nil || len(nodes) != 0 {
		t.Errorf("nodes %v (%v) after an orderly end, want none", nodes, err)
	}
}

func TestTheDrainLimitEndsAStreamWithAnErrorEvent(t *testing.T) {
	f := newFleet(t)
	f.serve("m", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}`+"\n\n")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	n := f.start(proxy.Config{Drain: 50 * time.Millisecond})
	resp, err := n.request(t.Context(), `{"model":"m","stream":true}`)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	n.stop()
	b, err := io.ReadAll(resp.Body)
	if err != nil || strings.Count(string(b), `data: {"error":`) != 1 || strings.Contains(string(b), "[DONE]") {
		t.Errorf("the stream ended %q (%v), want one error event", b, err)
	}
}

func TestANodeServesOnWhenEtcdIsAway(t *testing.T) {
	f := newFleet(t)
	f.serve("m", says("hello"))
	n := f.start(proxy.Config{})
	f.etcd.Close()
	n.await("the node notices", func() bool { _, body := n.get("/metrics"); return strings.Contains(body, "sluice_store_connected 0") })
	for range 5 {
		if code, _, body := n.ask("m"); code != 200 {
			t.Errorf("got %d %s", code, body)
		}
	}
	if code, _ := n.get("/readyz"); code != 200 {
		t.Error("a node with a snapshot is not ready")
	}
}

func TestAChangeUnderLoadDropsNothing(t *testing.T) {
	f := newFleet(t)
	f.serve("one", says("x"))
	f.serve("two", says("x"))
	f.put(core.KindRouting, "r", `"strategy":"failover","targets":[{"model":"one"}]`)
	n := f.start(proxy.Config{})
	var asked, failed atomic.Int64
	stop := make(chan struct{})
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for {
			select {
			case <-stop:
				return
			default:
			}
			resp, err := n.request(context.Background(), `{"model":"r","messages":[]}`)
			asked.Add(1)
			if err != nil || resp.StatusCode != 200 {
				failed.Add(1)
			}
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
	}()
	var last int64
	for i := range 60 {
		last = f.put(core.KindRouting, "r", `"strategy":"failover","targets":[{"model":"`+[]string{"one", "two"}[i%2]+`"}]`)
	}
	n.await("the last change is served", func() bool { return n.revision() >= last })
	close(stop)
	<-finished
	if failed.Load() != 0 || asked.Load() == 0 {
		t.Errorf("%d of %d requests failed during 60 changes", failed.Load(), asked.Load())
	}
}

func TestASecretIsInNoMetricStatusOrLog(t *testing.T) {
	f := newFleet(t)
	const secret = "sk-very-secret-indeed"
	var log strings.Builder
	f.serve("m", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "your key "+r.Header.Get("Authorization"), 401)
	})
	f.put(core.KindProvider, "m2", `"kind":"openai","base_url":"http://127.0.0.1:1","auth":{"secret":"`+secret+`"}`)
	f.put(core.KindModel, "m2", `"provider":"m2","upstream_model":"u"`)
	f.put(core.KindRouting, "r", `"strategy":"failover","targets":[{"model":"m2"},{"model":"m"}]`)
	n := f.start(proxy.Config{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	_, _, answer := n.ask("r")
	_, status := n.get("/status")
	_, metrics := n.get("/metrics")
	n.stop()
	<-n.done
	n.done <- nil
	for name, text := range map[string]string{"answer": answer, "status": status, "metrics": metrics, "log": log.String()} {
		if strings.Contains(text, secret) || strings.Contains(text, key) {
			t.Errorf("a key is in the %s: %s", name, text)
		}
	}
}

func TestOneNodeChecksHealthAndAllNodesKnow(t *testing.T) {
	f := newFleet(t)
	var sick atomic.Bool
	var mu sync.Mutex
	asked := map[string]int{} // by the node's user agent
	f.serve("spare", says("spare"))
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			says("main")(w, r)
			return
		}
		mu.Lock()
		asked[r.UserAgent()]++
		mu.Unlock()
		if sick.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(up.Close)
	f.put(core.KindProvider, "main", `"kind":"openai","base_url":"`+up.URL+`"`)
	f.put(core.KindModel, "main", `"provider":"main","upstream_model":"u","health_check":{"path":"/health","interval":"1s","failures":1}`)
	f.put(core.KindRouting, "r", `"strategy":"failover","targets":[{"model":"main"},{"model":"spare"}]`)
	a, b := f.start(proxy.Config{Version: "a"}), f.start(proxy.Config{Version: "b"})
	both := func(target string) func() bool {
		return func() bool {
			_, x, _ := a.ask("r")
			_, y, _ := b.ask("r")
			return x.Get("X-Sluice-Target") == target && y.Get("X-Sluice-Target") == target
		}
	}
	a.await("both nodes share signals", func() bool { _, body := a.get("/metrics"); return strings.Contains(body, "sluice_fleet_peers 2") })
	sick.Store(true)
	a.await("both nodes leave the sick target", both("spare"))
	mu.Lock()
	clear(asked)
	mu.Unlock()
	sick.Store(false)
	a.await("both nodes come back", both("main"))
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 1 {
		t.Errorf("checks came from %v, want one node", asked)
	}
}
