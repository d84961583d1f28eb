package dispatch_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
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

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/budget"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/journal"
	"github.com/sluice-gateway/sluice/proxy/live"
	"github.com/sluice-gateway/sluice/proxy/serve"
)

const callerKey = "caller-key-that-must-not-leave"

// upstream is a real HTTP server that does what its script says: one entry a request, the last for ever.
type upstream struct {
	*httptest.Server
	mu     sync.Mutex
	script []http.HandlerFunc
	hits   int
	bodies []string
	asked  []*http.Request // without their bodies
	// gone gets an element for each request whose connection was closed under its handler.
	gone chan struct{}
}

func newUpstream(t *testing.T, script ...http.HandlerFunc) *upstream {
	u := &upstream{script: script, gone: make(chan struct{}, 1000)}
	u.Server = httptest.NewServer(u)
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	u.mu.Lock()
	step := u.script[min(u.hits, len(u.script)-1)]
	u.hits++
	u.bodies = append(u.bodies, string(body))
	u.asked = append(u.asked, r.Clone(context.Background()))
	u.mu.Unlock()
	defer func() {
		if r.Context().Err() != nil {
			u.gone <- struct{}{}
		}
	}()
	step(w, r)
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.hits
}

// What upstreams do.

func answer(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`, text)
	}
}

func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// reset closes the connection without an answer.
func reset(w http.ResponseWriter, r *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	conn.(*net.TCPConn).SetLinger(0)
	conn.Close()
}

// hang answers nothing until its client leaves.
func hang(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// events writes each part as it is and flushes after it; a nil handler after it ends the body properly.
func events(parts ...string) http.HandlerFunc { return eventsThen(nil, parts...) }

func eventsThen(then http.HandlerFunc, parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		flush := http.NewResponseController(w).Flush
		flush()
		for _, p := range parts {
			io.WriteString(w, p)
			flush()
		}
		if then != nil {
			then(w, r)
		}
	}
}

const (
	role   = `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	stop   = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	done   = "data: [DONE]\n\n"
	failed = `data: {"error":{"message":"overloaded","type":"server_error","code":503}}` + "\n\n"
)

func token(s string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + s + `"},"finish_reason":null}]}` + "\n\n"
}

// harness is a gateway in front of upstreams a, b, c … as targets of the routing "r".
type harness struct {
	*httptest.Server
	t      *testing.T
	client *http.Client
	// Of a gateway in a bubble: its connections, and what makes every client leave.
	open    *atomic.Int64
	leaving context.Context
	stop    context.CancelFunc

	upstreams   []*upstream
	board       *signal.Board
	cooldowns   *cooldown.Table
	budget      *budget.Budget
	snapshot    *core.Snapshot
	edge        *serve.Edge
	streams     *serve.Streams // nil: streams stay with their handlers
	log         *lockedBuffer
	attempts    *recorder
	journal     *journal.Journal
	ranker      *rank.Ranker
	dispatch    *dispatch.Dispatcher
	examples    *embed.Examples
	collections embed.Collections
}

type recorder struct {
	mu   sync.Mutex
	list []dispatch.Attempt
	done []serve.Request
	open atomic.Int64
}

func (r *recorder) Attempt(a dispatch.Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, a)
}
func (r *recorder) Began() { r.open.Add(1) }
func (r *recorder) Ended(q serve.Request) {
	r.open.Add(-1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = append(r.done, q)
}

func (r *recorder) requests() []serve.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]serve.Request(nil), r.done...)
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// options are JSON members that go into the routing, each model and each provider. The strategy is
// failover unless it says otherwise; weights are those of the targets, 1 unless given. targets and models are
// members of each target and model by itself.
type options struct {
	routing, model, provider string
	targets, models          []string
	kinds                    []string // of the providers; openai unless given
	strategy                 string
	failedStatus             int
	weights                  []int
	key                      string // further members of the API key
	profile                  string // members of the profile "p"; empty: there is none
	// vectors is the endpoint of the provider "vectors"; nil: there is none. embedder is that provider, where it is no
	// usual one. more are further routings, by id.
	vectors  *upstream
	embedder string
	more     map[string]string
}

// gateway serves on a real port in front of upstreams on real ports.
func gateway(t *testing.T, o options, ups ...*upstream) *harness {
	t.Helper()
	streams := serve.NewStreams(time.Millisecond, time.Minute)
	h := assemble(t, o, (&net.Dialer{}).DialContext, streams, ups...)
	h.Server = httptest.NewServer(h.edge)
	go h.Server.Config.Serve(streams)
	t.Cleanup(func() {
		streams.Abort()
		h.Close()
	})
	h.client = h.Server.Client()
	return h
}

// assemble builds the gateway without a server. dial reaches the upstreams; without streams none leaves its handler.
func assemble(t *testing.T, o options, dial dialer, streams *serve.Streams, ups ...*upstream) *harness {
	t.Helper()
	doc := core.NewDocument()
	var targets []string
	set := func(kind core.Kind, id, members string) {
		r, faults := core.Decode(core.Ref{Kind: kind, ID: id}, []byte(`{"id":"`+id+`",`+members+`}`))
		if len(faults) > 0 {
			t.Fatalf("%s %s: %v", kind, id, faults)
		}
		doc.Set(r)
	}
	for i, u := range ups {
		id := string(rune('a' + i))
		set(core.KindProvider, "p-"+id, place(cmp.Or(nth(o.kinds, i), "openai"), u.URL)+o.provider)
		set(core.KindModel, id, `"provider":"p-`+id+`","upstream_model":"up-`+id+`"`+o.model+nth(o.models, i))
		weight := 1
		if o.weights != nil {
			weight = o.weights[i]
		}
		targets = append(targets, fmt.Sprintf(`{"model":%q,"weight":%d%s}`, id, weight, nth(o.targets, i)))
	}
	if o.vectors != nil {
		set(core.KindProvider, "vectors", cmp.Or(o.embedder, `"kind":"openai","base_url":"`+o.vectors.URL+`/v1"`)+`,"auth":{"secret":"`+vectorsKey+`"}`)
	}
	if o.profile != "" {
		set(core.KindProfile, "p", o.profile)
	}
	for id, members := range o.more {
		set(core.KindRouting, id, members)
	}
	set(core.KindRouting, "r", `"strategy":"`+cmp.Or(o.strategy, "failover")+`","targets":[`+strings.Join(targets, ",")+`]`+o.routing)
	sum := sha256.Sum256([]byte(callerKey))
	set(core.KindAPIKey, "k", `"key_sha256":"`+hex.EncodeToString(sum[:])+`","allowed_models":["*"]`+o.key)
	snapshot, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	h := &harness{t: t, upstreams: ups, board: signal.NewBoard(), snapshot: snapshot, streams: streams, log: &lockedBuffer{}, attempts: &recorder{}}
	h.cooldowns = cooldown.New(h.board)
	h.budget = budget.New(4 << 20)
	pools := dispatch.NewPools(dial)
	t.Cleanup(pools.Close)
	logger := slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h.journal, h.ranker = journal.New("n1", 100), rank.NewRanker()
	h.collections = h.embeds(pools.Transport, logger)
	h.dispatch = dispatch.New(dispatch.Config{
		Examples: h.examples, Board: h.board, Ranker: h.ranker, Cooldowns: h.cooldowns, Transport: pools.Transport,
		Lag:   func() time.Duration { return 0 }, // it is alone
		Owner: func(signal.Key, time.Time) bool { return true }, Cooled: func() {}, Observer: h.attempts, Journal: h.journal, Logger: logger,
		Budget: h.budget, FailedStatus: o.failedStatus, MaxAnswer: 1 << 20, MaxEvent: 1 << 20,
	})
	state := &live.State{Snapshot: snapshot, Revision: 7, Examples: h.collections}
	h.edge = serve.New(serve.Config{
		State: func() *live.State { return state }, Observer: h.attempts, Logger: logger, MaxBody: 1 << 20, Budget: h.budget, Streams: streams,
		Dispatcher: h.dispatch,
	})
	return h
}

// place is where a provider of that kind is, in its own words.
func place(kind, url string) string {
	if kind == "azure-openai" {
		return `"kind":"azure-openai","api_version":"2024-10-21","base_url":"` + url + `"`
	}
	return `"kind":"` + kind + `","base_url":"` + url + `/v1"`
}

// nth returns the i-th of some members, none if there are fewer.
func nth(members []string, i int) string {
	if i < len(members) {
		return members[i]
	}
	return ""
}

// dialer opens connections to upstreams.
type dialer = func(ctx context.Context, network, address string) (net.Conn, error)

// reply is what the client got.
type reply struct {
	*http.Response
	body string
	err  error // reading the body
}

const question = `{"model":"r","messages":[{"role":"user","content":"hi"}]}`
const streamed = `{"model":"r","stream":true,"messages":[{"role":"user","content":"hi"}]}`

// Client returns the client that reaches the gateway.
func (h *harness) Client() *http.Client { return h.client }

func (h *harness) post(body string) reply {
	h.t.Helper()
	req, err := http.NewRequest(http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	return h.do(req)
}

// with asks with headers, each spelled "Name: value".
func (h *harness) with(body string, headers ...string) reply {
	h.t.Helper()
	req, err := http.NewRequest(http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		req.Header.Add(name, value)
	}
	return h.do(req)
}

// served is the target that answered; it fails the test when none did.
func (r reply) served(t *testing.T) string {
	t.Helper()
	if r.StatusCode != http.StatusOK {
		t.Fatalf("got %d %s, want an answer", r.StatusCode, r.body)
	}
	return r.Header.Get("X-Sluice-Target")
}

func (h *harness) do(req *http.Request) reply {
	h.t.Helper()
	req.Header.Set("Authorization", "Bearer "+callerKey)
	resp, err := h.Client().Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return reply{resp, string(b), err}
}

func (h *harness) target(id string) *core.Target {
	for _, t := range h.snapshot.Targets() {
		if t.Model == id {
			return t
		}
	}
	h.t.Fatalf("no target %q", id)
	return nil
}

func (h *harness) hits() []int {
	var out []int
	for _, u := range h.upstreams {
		out = append(out, u.count())
	}
	return out
}

// message returns the OpenAI error's message, code and type; it fails the test when there is no such error.
func (r reply) apiError(t *testing.T) (message, code, kind string) {
	t.Helper()
	var e struct {
		Error *struct {
			Message, Type string
			Code          *string
			Param         *string
		}
	}
	if err := json.Unmarshal([]byte(r.body), &e); err != nil || e.Error == nil {
		t.Fatalf("status %d, body %q is no OpenAI error (%v)", r.StatusCode, r.body, err)
	}
	if e.Error.Code != nil {
		code = *e.Error.Code
	}
	return e.Error.Message, code, e.Error.Type
}

// gzipped makes an upstream compress although nobody asked for it.
func gzipped(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		plain := httptest.NewRecorder()
		h(plain, r)
		for name, values := range plain.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Del("Content-Length")
		z := gzip.NewWriter(w)
		z.Write(plain.Body.Bytes())
		z.Close()
	}
}
