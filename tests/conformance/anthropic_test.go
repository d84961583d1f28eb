package conformance

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

func (n *node) anthropic(options ...option.RequestOption) anthropic.Client {
	transport := &http.Transport{}
	n.t.Cleanup(transport.CloseIdleConnections)
	return anthropic.NewClient(append([]option.RequestOption{
		option.WithBaseURL(n.url), option.WithAPIKey(callerKey), option.WithMaxRetries(0), option.WithHTTPClient(&http.Client{Transport: transport}),
	}, options...)...)
}

func turn(model string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{Model: anthropic.Model(model), MaxTokens: 9, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Say hello."))}}
}

// stream asks for a message in events and returns what they add up to.
func stream(t *testing.T, sdk anthropic.Client, model string) (anthropic.Message, error) {
	t.Helper()
	events := sdk.Messages.NewStreaming(t.Context(), turn(model))
	defer events.Close()
	var got anthropic.Message
	for events.Next() {
		if err := got.Accumulate(events.Current()); err != nil {
			t.Errorf("%s: %v", model, err)
		}
	}
	return got, events.Err()
}

func TestTheAnthropicSDKDoesNotNoticeTheGateway(t *testing.T) {
	n := newNode(t)
	n.serve("anthropic", "plain", speak(anthropicAPI...))
	n.serve("anthropic", "falls", refuse(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), speak(anthropicAPI...))
	n.serve("anthropic", "late", speak(cut(anthropicAPI, 3)...), speak(anthropicAPI...))
	sdk := n.anthropic()
	for _, model := range []string{"plain", "falls", "late"} {
		whole, err := sdk.Messages.New(t.Context(), turn(model))
		if err != nil || len(whole.Content) != 1 || whole.Content[0].Text != "hello" || whole.StopReason != "end_turn" || whole.Usage.InputTokens != 3 {
			t.Errorf("%s: %+v, %v", model, whole, err)
		}
		streamed, err := stream(t, sdk, model)
		if err != nil || len(streamed.Content) != 1 || streamed.Content[0].Text != "hello" || streamed.StopReason != "end_turn" || streamed.Usage.OutputTokens != 2 {
			t.Errorf("%s: streamed %+v, %v", model, streamed, err)
		}
		counted, err := sdk.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: anthropic.Model(model), Messages: turn(model).Messages})
		if err != nil || counted.InputTokens != 2095 {
			t.Errorf("%s: counted %+v, %v", model, counted, err)
		}
	}
	models, err := sdk.Models.List(t.Context(), anthropic.ModelListParams{})
	if err != nil || len(models.Data) != 8 || models.Data[0].ID != "falls" || models.Data[0].DisplayName != "falls" || models.HasMore {
		t.Errorf("models: %+v, %v", models, err)
	}
	if one, err := sdk.Models.Get(t.Context(), "plain", anthropic.ModelGetParams{}); err != nil || one.ID != "plain" || one.CreatedAt.Unix() != 0 {
		t.Errorf("model: %+v, %v", one, err)
	}
}

func TestTheAnthropicSDKGetsTypedErrors(t *testing.T) {
	n := newNode(t)
	n.serve("anthropic", "refused", refuse(400, `{"type":"error","error":{"type":"invalid_request_error","message":"no such thing"},"request_id":"req_theirs"}`))
	n.serve("anthropic", "limited", refuse(429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, "Retry-After", "7"))
	n.serve("anthropic", "busy", refuse(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
	n.serve("anthropic", "broken", speak(cut(anthropicAPI, 4)...))
	sdk := n.anthropic()
	check := func(model string, err error, status int, kind, message string) {
		t.Helper()
		told, ok := errors.AsType[*anthropic.Error](err)
		if !ok || told.StatusCode != status || string(told.Type()) != kind || told.RequestID == "" || told.RequestID == "req_theirs" || !strings.Contains(told.RawJSON(), message) {
			t.Errorf("%s: got %v, want %d %s", model, err, status, kind)
		}
	}
	for model, want := range map[string]struct {
		status        int
		kind, message string
	}{
		"refused": {400, "invalid_request_error", "no such thing"}, "limited": {429, "rate_limit_error", "slow down"}, "busy": {529, "overloaded_error", "Overloaded"},
		"none": {404, "not_found_error", "none"},
	} {
		check(model, second(sdk.Messages.New(t.Context(), turn(model))), want.status, want.kind, want.message)
		check(model, second(stream(t, sdk, model)), want.status, want.kind, want.message)
	}
	strangers := n.anthropic(option.WithAPIKey("sk-wrong"))
	check("a stranger", second(strangers.Messages.New(t.Context(), turn("refused"))), 401, "authentication_error", "API key")
	got, err := stream(t, sdk, "broken")
	if len(got.Content) != 1 || got.Content[0].Text != "hel" {
		t.Errorf("a broken stream said %+v", got.Content)
	}
	check("broken", err, 200, "api_error", "ended the stream before")
}

// TestTheAnthropicSDKTriesAgainWhenItIsTold: a limit's Retry-After reaches it, and an answer ends its trials.
func TestTheAnthropicSDKTriesAgainWhenItIsTold(t *testing.T) {
	n := newNode(t)
	asked := make(chan struct{}, 10)
	good := speak(anthropicAPI...)
	n.serve("anthropic", "limited", func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		if len(asked) == 1 {
			refuse(429, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, "Retry-After-Ms", "10", "Retry-After", "1")(w, r)
			return
		}
		good(w, r)
	})
	sdk := n.anthropic(option.WithMaxRetries(1))
	if got, err := sdk.Messages.New(t.Context(), turn("limited")); err != nil || got.Content[0].Text != "hello" || len(asked) != 2 {
		t.Errorf("got %+v, %v after %d requests", got, err, len(asked))
	}
}
