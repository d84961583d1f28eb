package serve_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/budget"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/live"
	"github.com/sluice-gateway/sluice/proxy/serve"
)

// dispatcher answers with what it was asked, or as its test says.
type dispatcher struct {
	serve func(w http.ResponseWriter, r *http.Request, call dispatch.Call) dispatch.Result
	// rest is what is left of a stream for that request.
	rest func(r *http.Request) dispatch.Rest
}

func (d *dispatcher) Serve(w http.ResponseWriter, r *http.Request, call dispatch.Call) (dispatch.Result, dispatch.Rest) {
	if d.serve != nil {
		return d.serve(w, r, call), nil
	}
	if call.Envelope.Stream && d.rest != nil {
		return dispatch.Result{}, d.rest(r)
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"served":%q}`, call.Envelope.Model)
	return dispatch.Result{Status: 200, Outcome: "ok"}, nil
}

type observer struct {
	mu   sync.Mutex
	done []serve.Request
}

func (o *observer) Began() {}
func (o *observer) Ended(r serve.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = append(o.done, r)
}

type edge struct {
	*httptest.Server
	t          *testing.T
	dispatcher dispatcher
	observer   observer
	state      *live.State
	edge       *serve.Edge
	streams    *serve.Streams
	attached   bool // streams do not wait until they have left their handlers
}

func newEdge(t *testing.T) *edge {
	doc := core.NewDocument()
	doc.Set(&core.Provider{ID: "p", Kind: core.ProviderOpenAI, BaseURL: "http://upstream/v1"})
	for _, id := range []string{"smart", "hidden", "b-model", "a-model"} {
		doc.Set(&core.Model{ID: id, Provider: "p", UpstreamModel: "u"})
	}
	past := time.Now().Add(-time.Hour)
	doc.Set(key("good", "KEY"))
	doc.Set(key("odd", "KEY with Bearer inside"))
	doc.Set(key("empty", ""))
	disabled := key("disabled", "DISABLED")
	disabled.Disabled = true
	doc.Set(disabled)
	expired := key("expired", "EXPIRED")
	expired.ExpiresAt = &past
	doc.Set(expired)
	snapshot, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	e := &edge{t: t, state: &live.State{Snapshot: snapshot, Revision: 3}, streams: serve.NewStreams(time.Millisecond, time.Minute)}
	e.edge = serve.New(serve.Config{
		State: func() *live.State { return e.state }, Dispatcher: &e.dispatcher, Observer: &e.observer,
		Logger: slog.New(slog.DiscardHandler), MaxBody: 1000, Budget: budget.New(2500), Streams: e.streams,
	})
	e.Server = httptest.NewUnstartedServer(e.edge)
	e.Server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	e.Server.Listener = serve.NewListener(e.Server.Listener)
	e.Start()
	go e.Config.Serve(e.streams)
	t.Cleanup(func() {
		e.streams.Abort()
		e.Close()
	})
	return e
}

// key is a caller who may use some of the models.
func key(id, secret string) *core.APIKey {
	sum := sha256.Sum256([]byte(secret))
	return &core.APIKey{ID: id, KeySHA256: hex.EncodeToString(sum[:]), AllowedModels: []string{"smart", "?-model"}}
}

// send makes a request with the headers given as name, value pairs and returns the answer with its body.
func (e *edge) send(method, path, body string, headers ...string) (*http.Response, string) {
	e.t.Helper()
	req, err := http.NewRequest(method, e.URL+path, strings.NewReader(body))
	if err != nil {
		e.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	return e.do(req)
}

func (e *edge) do(req *http.Request) (*http.Response, string) {
	e.t.Helper()
	resp, err := e.Client().Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return resp, string(b)
}

const auth, bearer = "Authorization", "Bearer KEY"

// checkError holds what is true of every error: the OpenAI envelope, its types, and a request id.
func checkError(t *testing.T, resp *http.Response, body string, status int, code any) {
	t.Helper()
	var e struct {
		Error map[string]any `json:"error"`
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil || len(e.Error) != 4 {
		t.Fatalf("%d %q is no OpenAI error", resp.StatusCode, body)
	}
	if resp.StatusCode != status || e.Error["code"] != code {
		t.Errorf("got %d %v, want %d with code %v", resp.StatusCode, e.Error, status, code)
	}
	if resp.Header.Get("Content-Type") != "application/json" || resp.Header.Get("X-Request-Id") == "" {
		t.Errorf("headers %v", resp.Header)
	}
}

func TestOneCredentialOpensTheDoor(t *testing.T) {
	e := newEdge(t)
	for name, c := range map[string]struct {
		headers []string
		ok      bool
	}{
		"bearer":                    {[]string{auth, "Bearer KEY"}, true},
		"lower case":                {[]string{auth, "bearer KEY"}, true},
		"two blanks":                {[]string{auth, "Bearer  KEY"}, true},
		"x-api-key":                 {[]string{"X-Api-Key", "KEY"}, true},
		"api-key":                   {[]string{"Api-Key", "KEY"}, true},
		"the same key twice":        {[]string{auth, "Bearer KEY", "X-Api-Key", "KEY"}, true},
		"a key that holds 'Bearer'": {[]string{auth, "Bearer KEY with Bearer inside"}, true},
		"none":                      {nil, false},
		"empty bearer":              {[]string{auth, "Bearer "}, false},
		"empty x-api-key":           {[]string{"X-Api-Key", ""}, false},
		"basic":                     {[]string{auth, "Basic KEY"}, false},
		"no scheme":                 {[]string{auth, "KEY"}, false},
		"unknown":                   {[]string{auth, "Bearer NOPE"}, false},
		"disabled":                  {[]string{auth, "Bearer DISABLED"}, false},
		"expired":                   {[]string{auth, "Bearer EXPIRED"}, false},
		"two different":             {[]string{auth, "Bearer KEY", "X-Api-Key", "OTHER"}, false},
		"two Authorization headers": {[]string{auth, "Bearer KEY", auth, "Bearer OTHER"}, false},
		"prefix of a key":           {[]string{auth, "Bearer KE"}, false},
		"another case of the key":   {[]string{auth, "Bearer key"}, false},
	} {
		resp, body := e.send("POST", "/v1/chat/completions", `{"model":"smart"}`, c.headers...)
		if c.ok {
			if resp.StatusCode != 200 {
				t.Errorf("%s: %d %s", name, resp.StatusCode, body)
			}
			continue
		}
		checkError(t, resp, body, 401, "invalid_api_key")
		if resp.Header.Get("Www-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", name)
		}
	}
}

func TestEveryRefusalIsAnOpenAIError(t *testing.T) {
	e := newEdge(t)
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
		code               any
	}{
		"unknown path":              {"POST", "/v1/nothing", `{}`, nil, 404, "unknown_url"},
		"root":                      {"GET", "/", ``, nil, 404, "unknown_url"},
		"wrong method":              {"GET", "/v1/chat/completions", ``, nil, 405, "method_not_allowed"},
		"wrong method for models":   {"DELETE", "/v1/models", ``, nil, 405, "method_not_allowed"},
		"unknown model":             {"POST", "/v1/chat/completions", `{"model":"nope"}`, nil, 404, "model_not_found"},
		"forbidden model":           {"POST", "/v1/chat/completions", `{"model":"hidden"}`, nil, 404, "model_not_found"},
		"not JSON":                  {"POST", "/v1/chat/completions", `{"model"`, nil, 400, nil},
		"not an object":             {"POST", "/v1/chat/completions", `[]`, nil, 400, nil},
		"empty":                     {"POST", "/v1/chat/completions", ``, nil, 400, nil},
		"trailing data":             {"POST", "/v1/chat/completions", `{"model":"smart"}{}`, nil, 400, nil},
		"no model":                  {"POST", "/v1/chat/completions", `{"messages":[]}`, nil, 400, nil},
		"model twice":               {"POST", "/v1/chat/completions", `{"model":"smart","model":"hidden"}`, nil, 400, nil},
		"model twice, once escaped": {"POST", "/v1/chat/completions", `{"model":"smart","mod\u0065l":"hidden"}`, nil, 400, nil},
		"stream twice":              {"POST", "/v1/chat/completions", `{"model":"smart","stream":true,"stream":false}`, nil, 400, nil},
		"stream not a bool":         {"POST", "/v1/chat/completions", `{"model":"smart","stream":"yes"}`, nil, 400, nil},
		"invalid UTF-8":             {"POST", "/v1/chat/completions", "{\"model\":\"smart\",\"x\":\"\xff\"}", nil, 400, nil},
		"too large":                 {"POST", "/v1/chat/completions", `{"model":"` + strings.Repeat("a", 1000) + `"}`, nil, 413, "request_too_large"},
		"compressed":                {"POST", "/v1/chat/completions", `x`, []string{"Content-Encoding", "gzip"}, 415, "unsupported_media_type"},
		"a loop":                    {"POST", "/v1/chat/completions", `{"model":"smart"}`, []string{"Via", "1.1 sluice, 1.1 sluice, 1.1 sluice, 1.1 sluice, 1.1 sluice"}, 508, "loop_detected"},
		"unknown model by id":       {"GET", "/v1/models/nope", ``, nil, 404, "model_not_found"},
		"forbidden model by id":     {"GET", "/v1/models/hidden", ``, nil, 404, "model_not_found"},
		"id with a slash":           {"GET", "/v1/models/a/b", ``, nil, 404, "model_not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := e.send(c.method, c.path, c.body, append([]string{auth, bearer}, c.headers...)...)
			checkError(t, resp, body, c.status, c.code)
		})
	}
}

// unsized hides a body's length, so that it is sent in chunks.
type unsized struct{ io.Reader }

func TestBytesAreCountedAsTheyAreRead(t *testing.T) {
	e := newEdge(t)
	post := func(n int) (*http.Response, string) {
		body := `{"model":"smart","x":"` + strings.Repeat("a", n) + `"}`
		req, _ := http.NewRequest("POST", e.URL+"/v1/chat/completions", unsized{strings.NewReader(body)})
		req.Header.Set(auth, bearer)
		return e.do(req)
	}
	if resp, body := post(900); resp.StatusCode != 200 {
		t.Errorf("900 bytes in chunks: %d %s", resp.StatusCode, body)
	}
	resp, body := post(1 << 20)
	checkError(t, resp, body, 413, "request_too_large")
}

func TestTheSumOfBodiesIsBounded(t *testing.T) {
	e := newEdge(t)
	entered, release := make(chan struct{}, 10), make(chan struct{})
	e.dispatcher.serve = func(w http.ResponseWriter, r *http.Request, call dispatch.Call) dispatch.Result {
		entered <- struct{}{}
		<-release
		return dispatch.Result{Status: 200, Outcome: "ok"}
	}
	body := `{"model":"smart","x":"` + strings.Repeat("a", 900) + `"}`
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { e.send("POST", "/v1/chat/completions", body, auth, bearer) })
		<-entered
	}
	resp, text := e.send("POST", "/v1/chat/completions", body, auth, bearer)
	checkError(t, resp, text, 503, "unavailable")
	if resp.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	close(release)
	wg.Wait()
	for range 5 { // the room is given back, refusals included
		if resp, text := e.send("POST", "/v1/chat/completions", body, auth, bearer); resp.StatusCode != 200 {
			t.Fatalf("afterwards: %d %s", resp.StatusCode, text)
		}
	}
}

func TestModelsAreTheNamesThatTheKeyMayUse(t *testing.T) {
	e := newEdge(t)
	_, first := e.send("GET", "/v1/models", "", auth, bearer)
	want := `{"object":"list","data":[` +
		`{"id":"a-model","object":"model","created":0,"owned_by":"sluice"},` +
		`{"id":"b-model","object":"model","created":0,"owned_by":"sluice"},` +
		`{"id":"smart","object":"model","created":0,"owned_by":"sluice"}]}` + "\n"
	if first != want {
		t.Errorf("got %s, want %s", first, want)
	}
	if _, again := e.send("GET", "/v1/models", "", auth, bearer); again != first {
		t.Errorf("a second time %s", again)
	}
	if resp, one := e.send("GET", "/v1/models/smart", "", auth, bearer); resp.StatusCode != 200 || !strings.Contains(one, `"id":"smart"`) {
		t.Errorf("by id: %d %s", resp.StatusCode, one)
	}
	resp, body := e.send("GET", "/v1/models", "")
	checkError(t, resp, body, 401, "invalid_api_key")
}

func TestRequestIDs(t *testing.T) {
	e := newEdge(t)
	for given, kept := range map[string]bool{
		"abc-1.2_3":              true,
		strings.Repeat("a", 128): true,
		strings.Repeat("a", 129): false,
		"with blank":             false,
		".":                      false,
		"..":                     false,
		"\x1b[31m":               false,
		"a\r\nb":                 false,
		"":                       false,
	} {
		r, w := httptest.NewRequest("GET", "/nowhere", nil), httptest.NewRecorder()
		r.Header.Set("X-Request-Id", given)
		e.edge.ServeHTTP(w, r)
		got := w.Header().Get("X-Request-Id")
		if kept != (got == given) || got == "" {
			t.Errorf("given %q, got %q", given, got)
		}
	}
	resp, _ := e.send("GET", "/nowhere", "", "X-Request-Id", "one", "X-Request-Id", "two")
	if got := resp.Header.Get("X-Request-Id"); got == "one" || got == "two" {
		t.Errorf("one of two ids was taken: %q", got)
	}
}

func TestAPanicIsAnsweredAsFarAsItCan(t *testing.T) {
	t.Run("before the head", func(t *testing.T) {
		e := newEdge(t)
		e.dispatcher.serve = func(http.ResponseWriter, *http.Request, dispatch.Call) dispatch.Result { panic("boom") }
		resp, body := e.send("POST", "/v1/chat/completions", `{"model":"smart"}`, auth, bearer)
		checkError(t, resp, body, 500, "internal_error")
		if strings.Contains(body, "boom") {
			t.Error("the panic's text reached the client")
		}
	})
	t.Run("inside a stream", func(t *testing.T) {
		e := newEdge(t)
		e.dispatcher.serve = func(w http.ResponseWriter, _ *http.Request, _ dispatch.Call) dispatch.Result {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {}\n\n")
			http.NewResponseController(w).Flush()
			panic("boom")
		}
		req, _ := http.NewRequest("POST", e.URL+"/v1/chat/completions", strings.NewReader(`{"model":"smart"}`))
		req.Header.Set(auth, bearer)
		resp, err := e.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if !bytes.HasPrefix(b, []byte("data: {}\n\ndata: {\"error\":")) || bytes.Contains(b, []byte("[DONE]")) || err == nil {
			t.Errorf("client got %q (%v), want one error event and a broken connection", b, err)
		}
	})
	t.Run("http.ErrAbortHandler", func(t *testing.T) {
		e := newEdge(t)
		e.dispatcher.serve = func(http.ResponseWriter, *http.Request, dispatch.Call) dispatch.Result { panic(http.ErrAbortHandler) }
		req, _ := http.NewRequest("POST", e.URL+"/v1/chat/completions", strings.NewReader(`{"model":"smart"}`))
		req.Header.Set(auth, bearer)
		if resp, err := e.Client().Do(req); err == nil {
			t.Errorf("client got %d", resp.StatusCode)
		}
		if resp, _ := e.send("GET", "/v1/models", "", auth, bearer); resp.StatusCode != 200 {
			t.Errorf("afterwards: %d", resp.StatusCode)
		}
	})
}

func TestWithoutAConfigurationTheAnswerIsUnavailable(t *testing.T) {
	e := newEdge(t)
	e.state = nil
	resp, body := e.send("POST", "/v1/chat/completions", `{"model":"smart"}`, auth, bearer)
	checkError(t, resp, body, 503, "unavailable")
}

func TestADrainingEdgeSendsItsClientsElsewhere(t *testing.T) {
	e := newEdge(t)
	e.edge.Drain()
	resp, _ := e.send("POST", "/v1/chat/completions", `{"model":"smart"}`, auth, bearer)
	if resp.StatusCode != 200 || !resp.Close {
		t.Errorf("status %d, close %v, want an answer and a closed connection", resp.StatusCode, resp.Close)
	}
}

func TestOnlyConfiguredNamesReachTheObserver(t *testing.T) {
	e := newEdge(t)
	e.send("POST", "/v1/chat/completions", `{"model":"made-up-by-a-client"}`, auth, bearer)
	e.send("GET", "/made/up", "", auth, bearer)
	for _, r := range e.observer.done {
		if r.Model != "" || (r.Endpoint != "chat/completions" && r.Endpoint != "unknown") {
			t.Errorf("observed %+v", r)
		}
	}
}

func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	e := newEdge(t)
	for path, status := range map[string]int{"/v1/chat/completions": 401, "/nowhere": 404, "/v1/models": 405} {
		body, rest := io.Pipe() // of which nothing ever comes
		defer rest.Close()
		req, _ := http.NewRequest("POST", e.URL+path, body)
		req.ContentLength = 100
		resp, err := e.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status || !resp.Close {
			t.Errorf("%s: %d, close %v; want %d and a closed connection", path, resp.StatusCode, resp.Close, status)
		}
	}
}
