package conformance

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

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
		return failure{e.StatusCode, string(e.Type()), e.RawJSON(), e.RequestID != "" && e.RequestID != "req_theirs", e.Response.Header.Get("Retry-After")}
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

// Targets that are set aside by one failure; a routing over several answers 503 then.
const (
	cools   = `,"cooldown":{"failures":1,"duration":"2s"}`
	refuses = `,"when_all_unavailable":"fail"`
)

// TestAnSDKComesBackWhenTheGatewayTellsItTo: our own 503 is typed and says how long everything is set aside; the SDK waits
// for that long, and is answered.
func TestAnSDKComesBackWhenTheGatewayTellsItTo(t *testing.T) {
	n := newNode(t)
	talks, insistent := n.talks(), n.insistent()
	for _, kind := range kinds {
		for sdk := range talks {
			name := sdk + "-" + kind
			v := &vendor{t: t, kind: kind, replies: []reply{{text: "Hello.", stop: "end"}}}
			var asked atomic.Int64
			ill := refuse(500, `{}`)
			n.serveWith(cools, refuses, kind, name, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					ill(w, r)
					return
				}
				v.ServeHTTP(w, r)
			}, ill)
			t.Run(name, func(t *testing.T) {
				t.Parallel() // for they wait
				hi := prompt{text: "Hi."}
				if _, err := talks[sdk](name, false).ask(t.Context(), hi); typed(t, err).status != 500 {
					t.Fatalf("got %v, want the failures that set the targets aside", err)
				}
				_, err := talks[sdk](name, true).ask(t.Context(), hi)
				want := failure{503, map[string]string{"chat": "server_error", "messages": "overloaded_error"}[sdk], "", true, "2"}
				got := typed(t, err)
				if got.message = ""; got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
				answer, err := insistent[sdk](name, sdk == "chat").ask(t.Context(), hi)
				if err != nil || answer.Text != "Hello." { // too soon is another 503
					t.Errorf("got %+v, %v", answer, err)
				}
			})
		}
	}
}
