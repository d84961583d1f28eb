package dispatch_test

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/proxy/embed"
)

// secrets are what no log may repeat: of the endpoint's body, and of the prompt.
const (
	saidByEndpoint = "BODY-OF-THE-ENDPOINT"
	saidByCaller   = "PROMPT-OF-THE-CALLER"
)

// data is an answer of an embedding endpoint with these entries.
func data(entries string) http.HandlerFunc {
	return status(200, `{"note":"`+saidByEndpoint+`","object":"list","data":[`+entries+`]}`)
}

// embeddingFailures are the ways in which the embedding of a prompt fails, what the log says of each, and the status
// of the endpoint's answer, 0 where there is none.
var embeddingFailures = []struct {
	name   string
	does   http.HandlerFunc
	cause  embed.Cause
	status string
}{
	{"unreachable", reset, embed.Unreachable, "0"},
	{"timeout", hang, embed.TimedOut, "0"},
	{"status 500", status(500, saidByEndpoint), embed.BadStatus, "500"},
	{"status 429", status(429, saidByEndpoint, "Retry-After", "7"), embed.BadStatus, "429"},
	{"status 401", status(401, saidByEndpoint), embed.BadStatus, "401"},
	{"status 400", status(400, saidByEndpoint), embed.BadStatus, "400"},
	{"a redirect", status(307, saidByEndpoint, "Location", "http://elsewhere.example/"), embed.BadStatus, "307"},
	{"not JSON", status(200, "<html>"+saidByEndpoint), embed.NotJSON, "200"},
	{"JSON that breaks off", status(200, `{"data":[{"index":0,"embedding":[1,0`), embed.NotJSON, "200"},
	{"no list", status(200, `{"error":"`+saidByEndpoint+`"}`), embed.NoList, "200"},
	{"a null vector", data(`{"index":0,"embedding":null}`), embed.NullVector, "200"},
	{"a vector that is not numeric", data(`{"index":0,"embedding":["1","0","0"]}`), embed.NotNumeric, "200"},
	{"a number that is null", data(`{"index":0,"embedding":[1,null,0]}`), embed.NotNumeric, "200"},
	{"a missing index", data(`{"embedding":[1,0,0]}`), embed.MissingIndex, "200"},
	{"an index of no text", data(`{"index":1,"embedding":[1,0,0]}`), embed.BadIndex, "200"},
	{"too many vectors", data(`{"index":0,"embedding":[1,0,0]},{"index":1,"embedding":[1,0,0]}`), embed.WrongCount, "200"},
	{"no vector", data(``), embed.WrongCount, "200"},
	{"another dimension", data(`{"index":0,"embedding":[1,0]}`), embed.WrongDimension, "0"},
	{"zero norm", data(`{"index":0,"embedding":[0,0,0]}`), embed.ZeroNorm, "200"},
}

func TestARequestIsServedByTheFallbackWhereItsPromptCannotBeEmbedded(t *testing.T) {
	for _, c := range embeddingFailures {
		t.Run(c.name, func(t *testing.T) {
			h := failing(t, c.does, "")
			got := h.post(asks(saidByCaller))
			if target := got.served(t); target != "c" || !slices.Equal(h.hits(), []int{0, 0, 1}) {
				t.Errorf("served by %s after %v, want the catchall alone", target, h.hits())
			}
			if got.Header.Get("X-AI-Semantic-Route") != "fallback" || got.Header["X-Ai-Semantic-Scores"] != nil {
				t.Errorf("got %v", got.Header)
			}
			h.tells(t, c.cause, c.status, "false")
		})
	}
}

func TestARequestFailsWhereItsPromptCannotBeEmbeddedIfTheRoutingSaysSo(t *testing.T) {
	for _, c := range embeddingFailures {
		t.Run(c.name, func(t *testing.T) {
			h := failing(t, c.does, `,"on_embedding_failure":"fail"`)
			got := h.post(asks(saidByCaller))
			message, code, kind := got.apiError(t)
			if got.StatusCode != 503 || code != "embedding_failed" || kind != "server_error" || !slices.Equal(h.hits(), []int{0, 0, 0}) {
				t.Errorf("got %d %s %s after %v", got.StatusCode, code, kind, h.hits())
			}
			if strings.Contains(message, saidByEndpoint) || strings.Contains(message, saidByCaller) {
				t.Errorf("the client is told %q", message)
			}
			if got.Header["X-Ai-Semantic-Route"] != nil || got.Header["X-Ai-Semantic-Scores"] != nil {
				t.Errorf("got %v", got.Header)
			}
			if after := got.Header.Get("Retry-After"); (after == "7") != (c.name == "status 429") {
				t.Errorf("Retry-After: %q", after)
			}
			h.tells(t, c.cause, c.status, "true")
			if r := h.attempts.requests(); len(r) != 1 || r[0].Result.Outcome != "embedding_failed" || r[0].Result.Attempts != 0 {
				t.Errorf("reported as %+v", r)
			}
		})
	}
}

// failing is a gateway whose examples have been embedded, and whose endpoint does that from then on.
func failing(t *testing.T, does http.HandlerFunc, settings string) *harness {
	t.Helper()
	u := newUpstream(t, vectors(meanings...))
	o := semanticOptions(u, `,"expose_scores":true`+settings)
	o.routing = strings.Replace(o.routing, `"model":"e"`, `"model":"e","timeout":"100ms"`, 1)
	h := gateway(t, o, trio(t)...).ready()
	u.then(does)
	return h
}

// tells fails unless the log has that cause, once, and nothing that it must not repeat.
func (h *harness) tells(t *testing.T, cause embed.Cause, status, refused string) {
	t.Helper()
	log := h.log.String()
	var line string
	for l := range strings.Lines(log) {
		if strings.Contains(l, `"prompt not compared"`) {
			line += l
		}
	}
	for _, want := range []string{`"level":"WARN"`, `"routing":"r"`, `"provider":"vectors"`, `"cause":"` + string(cause) + `"`, `"status":` + status + `,`, `"refused":` + refused} {
		if strings.Count(line, want) != 1 {
			t.Errorf("got %q, want %s in it, once", line, want)
		}
	}
	if len(line) > 600 || strings.Contains(log, saidByEndpoint) || strings.Contains(log, saidByCaller) || strings.Contains(log, vectorsKey) {
		t.Errorf("the log says too much: %s", log)
	}
}

func TestARoutingWhoseExamplesAreNotEmbeddedYetServesItsFallback(t *testing.T) {
	for settings, code := range map[string]int{"": 200, `,"on_embedding_failure":"fail"`: 503} {
		u := newUpstream(t, status(500, "{}"))
		h := gateway(t, semanticOptions(u, settings), trio(t)...)
		got := h.post(asks(likeA))
		if got.StatusCode != code || code == 200 && got.served(t) != "c" {
			t.Errorf("%s: got %d %s", settings, got.StatusCode, got.body)
		}
		u.mu.Lock()
		for _, body := range u.bodies {
			if strings.Contains(body, likeA) {
				t.Error("a prompt was sent that could be compared with nothing")
			}
		}
		u.mu.Unlock()
		if !strings.Contains(h.log.String(), `"cause":"not_ready"`) {
			t.Errorf("the log does not say so: %s", h.log)
		}
	}
}

func TestWithoutACatchallTheFirstTargetIsTheFallback(t *testing.T) {
	u := newUpstream(t, vectors(meanings...))
	o := semanticOptions(u, "")
	o.targets = []string{`,"examples":["` + exampleA + `"]`, `,"examples":["` + exampleB + `"]`, `,"examples":["` + likeA + `"]`}
	h := gateway(t, o, trio(t)...).ready()
	u.then(status(500, "{}"))
	if target := h.post(asks("something new")).served(t); target != "a" {
		t.Errorf("served by %s, want the first", target)
	}
}

// inFakeTime is a gateway in a bubble, whose endpoint does that once the examples are embedded.
func inFakeTime(t *testing.T, n *network, does http.HandlerFunc, change func(*options)) *harness {
	u := n.upstream("vectors", vectors(meanings...))
	o := semanticOptions(u, "")
	change(&o)
	h := n.gateway(t, o, n.upstream("a.example", answer("A")), n.upstream("b.example", answer("B")), n.upstream("c.example", answer("C"))).ready()
	u.then(does)
	h.upstreams = append(h.upstreams, u)
	return h
}

func TestADeadEndpointCostsNoTimeOnceItIsLeftAlone(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := inFakeTime(t, n, hang, func(o *options) {
			o.routing = strings.Replace(o.routing, `"threshold"`, `"on_embedding_failure":"fail","threshold"`, 1)
		})
		wait := func() (time.Duration, reply) {
			start := time.Now()
			got := h.post(asks(likeA))
			return time.Since(start), got
		}
		for i := range 5 {
			if took, got := wait(); took != 3*time.Second || got.StatusCode != 503 {
				t.Fatalf("request %d: %d after %v, want 503 after the timeout of 3 s", i, got.StatusCode, took)
			}
		}
		for range 20 {
			took, got := wait()
			if took > time.Millisecond || got.StatusCode != 503 || got.Header.Get("Retry-After") != "10" {
				t.Fatalf("left alone: %d after %v, Retry-After %q", got.StatusCode, took, got.Header.Get("Retry-After"))
			}
		}
		if calls := h.upstreams[3].count(); calls != 6 {
			t.Errorf("%d calls, want one for the examples and five for prompts", calls)
		}
		if strings.Count(h.log.String(), `"prompt not compared"`) != 25 || strings.Count(h.log.String(), `"level":"WARN","msg":"prompt not compared"`) != 5 {
			t.Errorf("an endpoint that is left alone is warned of at every request")
		}
	})
}

func TestAClientThatLeavesWhileItsPromptIsEmbeddedEndsThat(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := inFakeTime(t, n, hang, func(*options) {})
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, err := h.ask(ctx, asks(likeA)); err == nil {
			t.Fatal("the client got an answer")
		}
		<-h.upstreams[3].gone
		synctest.Wait()
		r := h.attempts.requests()
		if len(r) != 1 || r[0].Result.Status != 499 || r[0].Result.Outcome != "client_gone" || r[0].Elapsed > 1100*time.Millisecond {
			t.Errorf("reported as %+v", r)
		}
		if got := h.hits()[:3]; !slices.Equal(got, []int{0, 0, 0}) {
			t.Errorf("targets were asked: %v", got)
		}
		if log := h.log.String(); strings.Contains(log, "prompt not compared") {
			t.Errorf("that a client left is held against the endpoint: %s", log)
		}
	})
}

func TestTheDeadlineOfARequestCoversTheEmbedding(t *testing.T) {
	for _, settings := range []string{"", `"on_embedding_failure":"fail",`} {
		bubble(t, func(t *testing.T, n *network) {
			h := inFakeTime(t, n, hang, func(o *options) {
				o.routing = strings.Replace(o.routing, `"threshold"`, settings+`"threshold"`, 1) + `,"deadline":"2s"`
			})
			start := time.Now()
			got := h.post(asks(likeA))
			if took := time.Since(start); got.StatusCode != http.StatusGatewayTimeout || took != 2*time.Second {
				t.Errorf("%sgot %d after %v, want 504 after 2 s", settings, got.StatusCode, took)
			}
			if got := h.hits()[:3]; !slices.Equal(got, []int{0, 0, 0}) {
				t.Errorf("%stargets were asked: %v", settings, got)
			}
		})
	}
}

func TestATargetThatIsBackOnceThePromptIsEmbeddedIsAsked(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		slow := vectors(meanings...)
		u := n.upstream("vectors", vectors(meanings...))
		o := semanticOptions(u, "")
		o.model = `,"cooldown":{"failures":1,"duration":"1s"}`
		a := n.upstream("a.example", status(503, "{}"), answer("A"))
		h := n.gateway(t, o, a, n.upstream("b.example", answer("B")), n.upstream("c.example", answer("C"))).ready()
		if target := h.post(asks(likeA)).served(t); target != "c" {
			t.Fatalf("served by %s, want the catchall", target)
		}
		u.then(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(2 * time.Second)
			slow(w, r)
		})
		if target := h.post(asks(likeA)).served(t); target != "c" { // the prompt is known, and a cools
			t.Fatalf("served by %s, want the catchall", target)
		}
		if target := h.post(asks(likeBoth)).served(t); target != "a" {
			t.Errorf("served by %s, want a, whose cooldown has ended meanwhile", target)
		}
	})
}

func TestWhatTheEmbeddingTakesIsNotTheTargetsTime(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		slow := vectors(meanings...)
		h := inFakeTime(t, n, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			time.Sleep(2 * time.Second)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			slow(w, r)
		}, func(o *options) { o.model = `,"timeouts":{"attempt":"1s"}` })
		if target := h.post(asks(likeA)).served(t); target != "a" {
			t.Errorf("served by %s", target)
		}
		h.attempts.mu.Lock()
		defer h.attempts.mu.Unlock()
		if len(h.attempts.list) != 1 || h.attempts.list[0].Elapsed > time.Second {
			t.Errorf("attempts: %+v", h.attempts.list)
		}
	})
}
