package demo_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/cmd/demo"
)

const hello = `"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hello big world"}]`

func ask(t *testing.T, cfg demo.Config, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	demo.New(cfg).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return w
}

func chat(t *testing.T, body string) *httptest.ResponseRecorder {
	t.Helper()
	return ask(t, demo.Config{Name: "demo-fast"}, http.MethodPost, "/v1/chat/completions", body)
}

type completion struct {
	Object, Model string
	Choices       []struct {
		Message, Delta struct{ Role, Content string }
		FinishReason   *string `json:"finish_reason"`
	}
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		TotalTokens      int `json:"total_tokens"`
	}
}

func decode[T any](t *testing.T, raw string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func TestAnAnswerSaysWhoSpeaksAndWhatWasSaid(t *testing.T) {
	w := chat(t, `{"model":"demo-fast",`+hello+`}`)
	got := decode[completion](t, w.Body.String())
	if want := "demo-fast here. You said: hello big world"; got.Choices[0].Message.Content != want {
		t.Errorf("got %q, want %q", got.Choices[0].Message.Content, want)
	}
	if got.Object != "chat.completion" || *got.Choices[0].FinishReason != "stop" || got.Choices[0].Message.Role != "assistant" {
		t.Errorf("got %s, want a completion that stopped", w.Body)
	}
	if u := got.Usage; u.PromptTokens != 5 || u.CompletionTokens != 7 || u.TotalTokens != 12 {
		t.Errorf("got usage %+v, want 5 + 7 = 12", *u)
	}
}

func TestTextPartsAreReadAndOtherPartsLeftOut(t *testing.T) {
	w := chat(t, `{"model":"demo-fast","messages":[{"role":"user","content":[{"type":"text","text":"what is"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"this?"}]}]}`)
	got := decode[completion](t, w.Body.String()).Choices[0].Message.Content
	if want := "demo-fast here. You said: what is this?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTheAnswerEndsAtTheLimitOfTokens(t *testing.T) {
	for _, limit := range []string{`"max_tokens":3`, `"max_completion_tokens":3`, `"max_completion_tokens":3,"max_tokens":6`} {
		got := decode[completion](t, chat(t, `{"model":"demo-fast",`+limit+`,`+hello+`}`).Body.String())
		if c := got.Choices[0]; c.Message.Content != "demo-fast here. You " || *c.FinishReason != "length" || got.Usage.CompletionTokens != 3 {
			t.Errorf("%s: got %q, finish %q, %d tokens; want three words and length", limit, c.Message.Content, *c.FinishReason, got.Usage.CompletionTokens)
		}
	}
}

func TestALongMessageIsNotSaidBackWhole(t *testing.T) {
	got := decode[completion](t, chat(t, `{"model":"demo-fast","messages":[{"role":"user","content":"`+strings.Repeat("a ", 5000)+`"}]}`).Body.String())
	if got.Usage.CompletionTokens > 110 || got.Usage.PromptTokens != 5000 {
		t.Errorf("got %+v, want 5000 words in and about a hundred out", *got.Usage)
	}
}

// events returns the data of each event of a stream.
func events(t *testing.T, stream string) (out []string) {
	t.Helper()
	for e := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(e, "data: ")
		if !ok {
			t.Fatalf("got the event %q in %q", e, stream)
		}
		out = append(out, data)
	}
	return out
}

func TestAStreamSpellsTheSameAnswer(t *testing.T) {
	w := chat(t, `{"model":"demo-fast","stream":true,"stream_options":{"include_usage":true},`+hello+`}`)
	if got := w.Header().Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("got content type %q", got)
	}
	all := events(t, w.Body.String())
	if got := all[len(all)-1]; got != "[DONE]" {
		t.Errorf("got %q at the end, want [DONE]", got)
	}
	var said strings.Builder
	var finish string
	var last completion
	for _, e := range all[:len(all)-1] {
		last = decode[completion](t, e)
		for _, c := range last.Choices {
			said.WriteString(c.Delta.Content)
			if c.FinishReason != nil {
				finish += *c.FinishReason
			}
		}
	}
	if want := "demo-fast here. You said: hello big world"; said.String() != want || finish != "stop" {
		t.Errorf("got %q and finish %q, want %q and one stop", said.String(), finish, want)
	}
	if last.Usage == nil || last.Usage.TotalTokens != 12 || last.Choices == nil || len(last.Choices) != 0 {
		t.Errorf("got %+v before [DONE], want the usage and an empty list of choices", last)
	}
}

func TestUsageIsStreamedOnlyWhenAskedFor(t *testing.T) {
	if w := chat(t, `{"model":"demo-fast","stream":true,`+hello+`}`); strings.Contains(w.Body.String(), "usage") {
		t.Errorf("got usage in %s", w.Body)
	}
}

func TestAnswersKeepTheirPace(t *testing.T) {
	cfg := demo.Config{Name: "demo-fast", FirstToken: 400 * time.Millisecond, PerToken: 20 * time.Millisecond}
	for _, body := range []string{`{"model":"demo-fast","stream":true,` + hello + `}`, `{"model":"demo-fast",` + hello + `}`} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			ask(t, cfg, http.MethodPost, "/v1/chat/completions", body)
			if got, want := time.Since(start), 520*time.Millisecond; got != want {
				t.Errorf("%s: took %v, want %v", body, got, want)
			}
		})
	}
}

func TestAStreamEndsWhenItsClientIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Millisecond)
		defer cancel()
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"model":"m","stream":true,`+hello+`}`))
		demo.New(demo.Config{Name: "m", FirstToken: 50 * time.Millisecond, PerToken: 30 * time.Millisecond}).ServeHTTP(w, r)
		if got := strings.Count(w.Body.String(), "\n\n"); got != 3 {
			t.Errorf("got %d events, want the role and two words in %s", got, w.Body)
		}
	})
}

func TestWhatCannotBeAnsweredIsRefusedInTheEnvelope(t *testing.T) {
	cases := map[string]struct {
		method, path, body string
		status             int
		param              string
	}{
		"another model":      {"POST", "/v1/chat/completions", `{"model":"gpt",` + hello + `}`, 404, "model"},
		"no messages":        {"POST", "/v1/chat/completions", `{"model":"m"}`, 400, "messages"},
		"no tokens":          {"POST", "/v1/chat/completions", `{"model":"m","max_tokens":0,` + hello + `}`, 400, "max_tokens"},
		"not JSON":           {"POST", "/v1/chat/completions", `hello`, 400, ""},
		"content of a kind":  {"POST", "/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":7}]}`, 400, ""},
		"unknown path":       {"POST", "/v1/audio/speech", `{}`, 404, ""},
		"unknown model path": {"GET", "/v1/models/other", ``, 404, "model"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := ask(t, demo.Config{Name: "m"}, c.method, c.path, c.body)
			got := decode[struct {
				Error struct{ Message, Type, Param string }
			}](t, w.Body.String()).Error
			if w.Code != c.status || got.Param != c.param || got.Message == "" || got.Type == "" {
				t.Errorf("got %d %+v, want %d with param %q", w.Code, got, c.status, c.param)
			}
		})
	}
}

func TestTheOneModelIsListedAndFound(t *testing.T) {
	list := ask(t, demo.Config{Name: "m"}, http.MethodGet, "/v1/models", "")
	one := ask(t, demo.Config{Name: "m"}, http.MethodGet, "/v1/models/m", "")
	if !strings.Contains(list.Body.String(), `"object":"list","data":[{"id":"m"`) || !strings.Contains(one.Body.String(), `{"id":"m","object":"model"`) {
		t.Errorf("got %s and %s", list.Body, one.Body)
	}
}

func TestServingEndsWithItsContextAfterTheAnswersUnderWay(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- demo.New(demo.Config{Name: "m", FirstToken: 20 * time.Millisecond}).Serve(ctx, l)
	}()
	url := "http://" + l.Addr().String()
	resp, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","stream":true,`+hello+`}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	cancel()
	var body strings.Builder
	if err := resp.Write(&body); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(body.String(), "[DONE]") {
		t.Errorf("got %s, want a whole stream", body.String())
	}
	if err := <-served; err != nil {
		t.Errorf("got %v, want a clean end", err)
	}
}
