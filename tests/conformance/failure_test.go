package conformance

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
)

// failure is an error as an SDK types it.
type failure struct {
	status        int
	kind, message string
	identified    bool // it bears the id of the request
	retryAfter    string
}

// typed reads the typed error of either SDK.
func typed(t *testing.T, err error) failure {
	t.Helper()
	if e, ok := errors.AsType[*openai.Error](err); ok {
		return failure{e.StatusCode, e.Type, e.Message, e.Response.Header.Get("X-Request-Id") != "", e.Response.Header.Get("Retry-After")}
	}
	if e, ok := errors.AsType[*anthropic.Error](err); ok {
		return failure{e.StatusCode, string(e.Type()), e.RawJSON(), strings.HasPrefix(e.RequestID, "req") || e.RequestID != "", e.Response.Header.Get("Retry-After")}
	}
	t.Errorf("%v is no error of the SDK's", err)
	return failure{}
}

// refusals are an upstream's refusals, and what the gateway's caller is told of them: its status, the type in the words of
// each dialect, and whether the upstream's own message comes with it.
var refusals = []struct {
	status, told    int
	chat, messages  string
	silent          bool
	upstream, other string // types in the words of the OpenAI and the Anthropic API
}{
	{status: 400, told: 400, chat: "invalid_request_error", messages: "invalid_request_error", upstream: "invalid_request_error", other: "invalid_request_error"},
	// The gateway's own credential is nothing that a caller could mend.
	{status: 401, told: 502, chat: "server_error", messages: "api_error", silent: true, upstream: "invalid_request_error", other: "authentication_error"},
	{status: 404, told: 404, chat: "invalid_request_error", messages: "not_found_error", upstream: "invalid_request_error", other: "not_found_error"},
	{status: 413, told: 413, chat: "invalid_request_error", messages: "request_too_large", upstream: "invalid_request_error", other: "request_too_large"},
	{status: 429, told: 429, chat: "rate_limit_error", messages: "rate_limit_error", upstream: "rate_limit_error", other: "rate_limit_error"},
	{status: 500, told: 500, chat: "server_error", messages: "api_error", upstream: "server_error", other: "api_error"},
	{status: 529, told: 529, chat: "server_error", messages: "overloaded_error", upstream: "server_error", other: "overloaded_error"},
}

// TestRefusalsAreTypedInTheWordsOfTheSDK, whoever the upstream is, and whether a stream was asked for.
func TestRefusalsAreTypedInTheWordsOfTheSDK(t *testing.T) {
	n := newNode(t)
	talks := n.talks()
	for _, kind := range kinds {
		for _, r := range refusals {
			body := `{"error":{"message":"no such thing","type":"` + r.upstream + `","param":null,"code":null}}`
			if kind == "anthropic" {
				body = `{"type":"error","error":{"type":"` + r.other + `","message":"no such thing"},"request_id":"req_theirs"}`
			}
			name := kind + strconv.Itoa(r.status)
			n.serve(kind, name, refuse(r.status, body, "Retry-After", "7", "Request-Id", "req_theirs"))
			for sdk, begin := range talks {
				for _, stream := range []bool{false, true} {
					_, err := begin(name, stream).ask(t.Context(), prompt{text: "Hi."})
					got := typed(t, err)
					want := map[string]string{"chat": r.chat, "messages": r.messages}[sdk]
					if got.status != r.told || got.kind != want || !got.identified || strings.Contains(got.message, "no such thing") == r.silent || strings.Contains(got.message, "req_theirs") {
						t.Errorf("%s of %s, stream %t: %d is told as %+v, want %d %s", sdk, kind, stream, r.status, got, r.told, want)
					}
					if r.status == 429 && got.retryAfter != "7" {
						t.Errorf("%s of %s: the wait is %q", sdk, kind, got.retryAfter)
					}
				}
			}
		}
	}
}

// talks begin conversations by each SDK, which tries nothing again.
func (n *node) talks() map[string]func(model string, stream bool) talk {
	openAI, anthropic := n.openAI(), n.anthropic()
	return map[string]func(string, bool) talk{
		"chat":     func(model string, stream bool) talk { return newChatTalk(openAI, model, stream) },
		"messages": func(model string, stream bool) talk { return newMessagesTalk(anthropic, model, stream) },
	}
}

// insistent begin conversations by each SDK, which tries once more.
func (n *node) insistent() map[string]func(model string, stream bool) talk {
	openAI, anthropic := n.openAI(openaioption.WithMaxRetries(1)), n.anthropic(anthropicoption.WithMaxRetries(1))
	return map[string]func(string, bool) talk{
		"chat":     func(model string, stream bool) talk { return newChatTalk(openAI, model, stream) },
		"messages": func(model string, stream bool) talk { return newMessagesTalk(anthropic, model, stream) },
	}
}

// TestAnSDKComesBackWhenTheGatewayTellsItTo: our own 503 says how long the last target is set aside, the SDK waits for
// that long, and then the target is tried again.
func TestAnSDKComesBackWhenTheGatewayTellsItTo(t *testing.T) {
	n := newNode(t)
	type trial struct {
		name string
		talk talk
	}
	var trials []trial
	for _, kind := range kinds {
		for sdk, begin := range n.insistent() {
			name := sdk + "-" + kind
			v := &vendor{t: t, kind: kind, replies: []reply{{text: "Hello.", stop: "end"}}}
			var asked atomic.Int64
			ill := refuse(500, `{}`)
			n.serve(kind, name, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					ill(w, r)
					return
				}
				v.ServeHTTP(w, r)
			})
			n.coolFor(name, "1s")
			if _, err := n.talks()[sdk](name, false).ask(t.Context(), prompt{text: "Hi."}); typed(t, err).status != 500 {
				t.Fatalf("%s: got %v, want the failure that sets the target aside", name, err)
			}
			trials = append(trials, trial{name, begin(name, sdk == "chat")})
		}
	}
	for _, c := range trials { // all at once: they wait
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			got, err := c.talk.ask(t.Context(), prompt{text: "Hi."})
			if err != nil || got.Text != "Hello." {
				t.Errorf("got %+v, %v", got, err)
			}
			if waited := time.Since(start); waited < 500*time.Millisecond {
				t.Errorf("it came back after %v", waited)
			}
		})
	}
}

// TestTheGatewaysOwn503IsTyped: everything is set aside.
func TestTheGatewaysOwn503IsTyped(t *testing.T) {
	n := newNode(t)
	for _, kind := range kinds {
		for sdk, begin := range n.talks() {
			name := sdk + "-" + kind
			n.serve(kind, name, refuse(500, `{}`), refuse(500, `{}`))
			n.coolFor(name, "1m")
			for range 2 {
				_, err := begin(name, false).ask(t.Context(), prompt{text: "Hi."})
				typed(t, err)
			}
			want := map[string]string{"chat": "server_error", "messages": "overloaded_error"}[sdk]
			_, err := begin(name, true).ask(t.Context(), prompt{text: "Hi."})
			if got := typed(t, err); got.status != 503 || got.kind != want || got.retryAfter == "" || !got.identified {
				t.Errorf("%s: got %+v, want 503 %s", name, got, want)
			}
		}
	}
}
