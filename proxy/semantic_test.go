package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy"
)

// vectors is an embedding endpoint: a text is along the axis of its first letter.
type vectors struct {
	mu   sync.Mutex
	sent []string
	// wait, if there is one, is where calls wait until it is closed.
	wait chan struct{}
}

func (v *vectors) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		panic(err)
	}
	v.mu.Lock()
	v.sent = append(v.sent, in.Input...)
	wait := v.wait
	v.mu.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-r.Context().Done():
			return
		}
	}
	var data []string
	for i, text := range in.Input {
		axis := [4]string{"0", "0", "0", "0"}
		axis[strings.IndexByte("abcd", text[0])] = "1"
		data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%s]}`, i, strings.Join(axis[:], ",")))
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"data":[`+strings.Join(data, ",")+`]}`)
}

func (v *vectors) hold() (release func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	wait := make(chan struct{})
	v.wait = wait
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.wait = nil
		close(wait)
	}
}

// all returns every text that has been sent, sorted.
func (v *vectors) all() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(slices.Values(v.sent))
}

// compare puts a semantic routing r over a and b, with c as its catchall.
func (f *fleet) compare(v http.Handler) {
	up := httptest.NewServer(v)
	f.t.Cleanup(up.Close)
	f.put(core.KindProvider, "vectors", `"kind":"openai","base_url":"`+up.URL+`"`)
	for _, name := range []string{"a", "b", "c"} {
		f.serve(name, says(name))
	}
	f.examples("a one", "b one")
}

// examples writes the routing with that example of a, and that of b.
func (f *fleet) examples(a, b string) int64 {
	return f.put(core.KindRouting, "r", fmt.Sprintf(`"strategy":"semantic","targets":[{"model":"a","examples":[%q]},{"model":"b","examples":[%q]},{"model":"c","catchall":true}],
		"semantic":{"embeddings":{"provider":"vectors","model":"e"},"threshold":0.5}`, a, b))
}

// semantic returns what the node's status says of the routing.
func (n *node) semantic() (s struct {
	Routing, Provider, Failure    string
	Ready                         bool
	Dimensions, Examples, Missing int
}) {
	_, body := n.get("/status")
	var all struct{ Semantic []json.RawMessage }
	json.Unmarshal([]byte(body), &all)
	if len(all.Semantic) > 0 {
		json.Unmarshal(all.Semantic[0], &s)
	}
	return s
}

func (n *node) compares() *node {
	n.t.Helper()
	n.await("the examples are embedded", func() bool { return n.semantic().Ready })
	return n
}

// prompt returns the target that answers a prompt; empty: none did.
func (n *node) prompt(text string) string {
	n.t.Helper()
	resp, err := n.request(n.t.Context(), `{"model":"r","messages":[{"role":"user","content":"`+text+`"}]}`)
	if err != nil {
		n.t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusOK {
		return ""
	}
	return resp.Header.Get("X-Sluice-Target")
}

func TestAFleetHasEachExampleEmbeddedOnceAndNotAgainAtAStart(t *testing.T) {
	f, v := newFleet(t), &vectors{}
	f.compare(v)
	first := f.start(proxy.Config{}).compares()
	second := f.start(proxy.Config{}).compares()
	if got := v.all(); !slices.Equal(got, []string{"a one", "b one"}) {
		t.Errorf("two nodes sent %q", got)
	}
	for _, n := range []*node{first, second} { // who embeds is agreed on by those who know each other
		n.await("both are known", func() bool { _, body := n.get("/status"); return strings.Contains(body, `"peers": 2`) })
	}
	revision := f.examples("a two", "b one")
	for _, n := range []*node{first, second} {
		n.await("the change is served", func() bool { return n.revision() >= revision })
		n.compares()
	}
	want := []string{"a one", "a two", "b one"}
	if got := v.all(); !slices.Equal(got, want) {
		t.Errorf("after a change of one example: %q", got)
	}
	for _, n := range []*node{first, second} {
		n.stop()
		n.done <- <-n.done
	}
	third := f.start(proxy.Config{}).compares()
	if got := v.all(); !slices.Equal(got, want) {
		t.Errorf("after a restart: %q", got)
	}
	if got := third.semantic(); got.Routing != "r" || got.Provider != "vectors" || got.Dimensions != 4 || got.Examples != 2 || got.Missing != 0 || got.Failure != "" {
		t.Errorf("status: %+v", got)
	}
	if stored, err := f.store.StoredVectors(t.Context()); err != nil || len(stored) != 3 {
		t.Errorf("%d vectors in etcd, error %v", len(stored), err)
	}
	f.holdsNoVectorsOutside(t)
}

// holdsNoVectorsOutside fails if the document has more in it than what was put.
func (f *fleet) holdsNoVectorsOutside(t *testing.T) {
	t.Helper()
	image, err := f.store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for ref := range image.Items {
		if !ref.Kind.Known() {
			t.Errorf("%s in the document", ref)
		}
	}
}

func TestAChangeOfConfigurationSwapsVectorsWhole(t *testing.T) {
	f, v := newFleet(t), &vectors{}
	f.compare(v)
	n := f.start(proxy.Config{}).compares()
	if a, b := n.prompt("a prompt"), n.prompt("b prompt"); a != "a" || b != "b" {
		t.Fatalf("served by %q and %q", a, b)
	}
	// What concerns no example takes no vector away, not for a moment.
	for i := range 20 {
		f.put(core.KindModel, "other", fmt.Sprintf(`"provider":"a","upstream_model":"u%d"`, i))
		if got := n.prompt("a prompt"); got != "a" {
			t.Fatalf("change %d: served by %q", i, got)
		}
	}
	// a and b change places. Until both are embedded neither is compared with.
	release := v.hold()
	revision := f.examples("b two", "a one")
	n.await("the change is served", func() bool { return n.revision() >= revision })
	for range 5 {
		if a, b := n.prompt("a prompt"), n.prompt("b prompt"); a != "c" || b != "c" {
			t.Fatalf("with half of the vectors: served by %q and %q, want the catchall", a, b)
		}
	}
	if s := n.semantic(); s.Ready || s.Missing == 0 {
		t.Errorf("status: %+v", s)
	}
	release()
	n.compares()
	if a, b := n.prompt("a prompt"), n.prompt("b prompt"); a != "b" || b != "a" {
		t.Errorf("served by %q and %q, want them to have changed places", a, b)
	}
}

func TestWhatEmbeddingCostsIsMeasured(t *testing.T) {
	f, v := newFleet(t), &vectors{}
	f.compare(v)
	n := f.start(proxy.Config{}).compares()
	for range 3 {
		n.prompt("a prompt")
	}
	_, body := n.get("/metrics")
	for _, want := range []string{
		`sluice_embedding_calls_total{outcome="ok",provider="vectors"} 2`, `sluice_embedding_call_duration_seconds_count{provider="vectors"} 2`,
		`sluice_embedding_prompts_total{outcome="sent",provider="vectors"} 1`, `sluice_embedding_prompts_total{outcome="known",provider="vectors"} 2`,
		`sluice_embedding_left_alone{provider="vectors"} 0`, `sluice_semantic_examples{model="r"} 2`, `sluice_semantic_vectors{model="r"} 2`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	revision := f.put(core.KindRouting, "r", `"strategy":"failover","targets":[{"model":"a"}]`)
	n.await("the change is served", func() bool { return n.revision() >= revision })
	if _, body := n.get("/metrics"); strings.Contains(body, `"vectors"`) || strings.Contains(body, "sluice_semantic_") {
		t.Error("series of what does not embed any more are left")
	}
}

// TestAnEmbeddingEndpointIsReachedByTheRulesOfUpstreams: its name says nothing; the address that it stands for decides.
func TestAnEmbeddingEndpointIsReachedByTheRulesOfUpstreams(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Skip("there is no second loopback address:", err)
	}
	f, v := newFleet(t), &vectors{}
	f.compare(v)
	allowed := httptest.NewUnstartedServer(says("c"))
	allowed.Listener.Close()
	allowed.Listener = l
	allowed.Start()
	t.Cleanup(allowed.Close)
	for _, name := range []string{"a", "b", "c"} {
		f.put(core.KindProvider, name, `"kind":"openai","base_url":"`+allowed.URL+`"`)
	}
	image, err := f.store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var p core.Provider
	json.Unmarshal(image.Items[core.Ref{Kind: core.KindProvider, ID: "vectors"}].Value, &p)
	f.put(core.KindProvider, "vectors", `"kind":"openai","base_url":"`+strings.Replace(p.BaseURL, "127.0.0.1", "localhost", 1)+`"`)
	reach, err := core.ParseReach([]string{"127.0.0.2/32"})
	if err != nil {
		t.Fatal(err)
	}
	n := f.start(proxy.Config{Reach: reach, Logger: slog.New(slog.DiscardHandler)})
	n.await("a call has failed", func() bool { return strings.Contains(n.semantic().Failure, "not on the operator's list") })
	if got := n.prompt("a prompt"); got != "c" || len(v.all()) != 0 {
		t.Errorf("served by %q, and %q was sent", got, v.all())
	}
}
