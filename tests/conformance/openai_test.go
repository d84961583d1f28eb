package conformance

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

func (n *node) openAI(options ...option.RequestOption) openai.Client {
	transport := &http.Transport{}
	n.t.Cleanup(transport.CloseIdleConnections)
	return openai.NewClient(append([]option.RequestOption{
		option.WithBaseURL(n.url + "/v1"), option.WithAPIKey(callerKey), option.WithMaxRetries(0), option.WithHTTPClient(&http.Client{Transport: transport}),
	}, options...)...)
}

func question(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")}}
}

func TestTheOpenAISDKDoesNotNoticeTheGateway(t *testing.T) {
	n := newNode(t)
	kinds := []string{"openai", "azure-openai"}
	for _, kind := range kinds {
		n.serve(kind, kind, speak(openAI...))
	}
	sdk := n.openAI()
	for _, model := range kinds {
		ctx := t.Context()
		whole, err := sdk.Chat.Completions.New(ctx, question(model))
		if err != nil || whole.Choices[0].Message.Content != "hello" || whole.Usage.TotalTokens != 5 {
			t.Errorf("%s: chat: %+v, %v", model, whole, err)
		}
		var said openai.ChatCompletionAccumulator
		stream := sdk.Chat.Completions.NewStreaming(ctx, question(model))
		for stream.Next() {
			said.AddChunk(stream.Current())
		}
		if err := stream.Err(); err != nil || len(said.Choices) != 1 || said.Choices[0].Message.Content != "hello" || said.Choices[0].FinishReason != "stop" {
			t.Errorf("%s: streamed chat: %+v, %v", model, said, err)
		}
		legacy, err := sdk.Completions.New(ctx, openai.CompletionNewParams{Model: openai.CompletionNewParamsModel(model), Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("Say hello.")}})
		if err != nil || legacy.Choices[0].Text != "hello" {
			t.Errorf("%s: completion: %+v, %v", model, legacy, err)
		}
		embedded, err := sdk.Embeddings.New(ctx, openai.EmbeddingNewParams{Model: model, Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("a")}})
		if err != nil || len(embedded.Data) != 1 || len(embedded.Data[0].Embedding) != 2 || embedded.Data[0].Embedding[1] != -1e-7 {
			t.Errorf("%s: embedding: %+v, %v", model, embedded, err)
		}
		painted, err := sdk.Images.Generate(ctx, openai.ImageGenerateParams{Model: model, Prompt: "a cat"})
		if err != nil || painted.Data[0].B64JSON != "AAAA" {
			t.Errorf("%s: image: %+v, %v", model, painted, err)
		}
	}
	judged, err := sdk.Moderations.New(t.Context(), openai.ModerationNewParams{Model: "openai", Input: openai.ModerationNewParamsInputUnion{OfString: openai.String("a")}})
	if err != nil || !judged.Results[0].Flagged {
		t.Errorf("moderation: %+v, %v", judged, err)
	}
	if models, err := sdk.Models.List(t.Context()); err != nil || len(models.Data) != 4 {
		t.Errorf("models: %+v, %v", models, err)
	}
}

func ask(model string) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: model, Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Say hello.")}}
}

// respond streams a response and returns what it said and its last event.
func respond(t *testing.T, sdk openai.Client, model string) (said string, last responses.ResponseStreamEventUnion) {
	t.Helper()
	stream := sdk.Responses.NewStreaming(t.Context(), ask(model))
	for stream.Next() {
		last = stream.Current()
		if last.Type == "response.output_text.delta" {
			said += last.Delta
		}
	}
	if err := stream.Err(); err != nil {
		t.Errorf("%s: %v", model, err)
	}
	return said, last
}

func TestTheOpenAISDKTakesResponses(t *testing.T) {
	n := newNode(t)
	n.serve("openai", "plain", speak(openAI...))
	n.serve("azure-openai", "azure", speak(openAI...))
	n.serve("openai", "broken", speak(cut(openAI, 2)...), speak(openAI...))
	n.serve("openai", "late", speak(cut(openAI, 1)...), speak(openAI...))
	sdk := n.openAI()
	for _, model := range []string{"plain", "azure", "late"} {
		whole, err := sdk.Responses.New(t.Context(), ask(model))
		if err != nil || whole.OutputText() != "hello" || whole.Usage.OutputTokens != 2 {
			t.Errorf("%s: %+v, %v", model, whole, err)
		}
		if said, last := respond(t, sdk, model); said != "hello" || last.Type != "response.completed" || last.Response.OutputText() != "hello" {
			t.Errorf("%s: streamed %q, then %s", model, said, last.RawJSON())
		}
	}
	if said, last := respond(t, sdk, "broken"); said != "hel" || last.Type != "error" || last.Message == "" || last.SequenceNumber != 2 {
		t.Errorf("a broken stream said %q, then %s", said, last.RawJSON())
	}
}

func TestTheOpenAISDKGetsTypedErrors(t *testing.T) {
	n := newNode(t)
	const refused = `{"error":{"message":"no such thing","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`
	n.serve("openai", "refused", refuse(400, refused))
	n.serve("openai", "limited", refuse(429, `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`, "Retry-After", "7"))
	n.serve("openai", "falls", refuse(503, "busy"), speak(openAI...))
	n.serve("openai", "broken", speak(cut(openAI, 3)...))
	n.serve("anthropic", "other", speak(anthropicAPI...))
	sdk := n.openAI()
	for model, want := range map[string]struct {
		status        int
		code, message string
	}{
		"refused": {400, "unsupported_value", "no such thing"}, "limited": {429, "rate_limit_exceeded", "slow down"}, "none": {404, "model_not_found", "none"},
	} {
		_, err := sdk.Chat.Completions.New(t.Context(), question(model))
		told, ok := errors.AsType[*openai.Error](err)
		if !ok || told.StatusCode != want.status || told.Code != want.code || !strings.Contains(told.Message, want.message) || told.Response.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: got %v, want %d %s", model, err, want.status, want.code)
		}
		if model == "limited" && told.Response.Header.Get("Retry-After") != "7" {
			t.Errorf("limited: got %v", told.Response.Header)
		}
	}
	_, err := sdk.Completions.New(t.Context(), legacy("other"))
	if told, ok := errors.AsType[*openai.Error](err); !ok || told.StatusCode != 404 || told.Code != "endpoint_not_served" || !strings.Contains(told.Message, "/v1/completions") {
		t.Errorf("other: got %v", err)
	}
	strangers := n.openAI(option.WithAPIKey("sk-wrong"))
	if told, ok := errors.AsType[*openai.Error](second(strangers.Models.List(t.Context()))); !ok || told.StatusCode != 401 || told.Code != "invalid_api_key" {
		t.Errorf("a stranger is told %v", told)
	}
	if got, err := sdk.Chat.Completions.New(t.Context(), question("falls")); err != nil || got.Choices[0].Message.Content != "hello" {
		t.Errorf("falls: %+v, %v", got, err)
	}
	stream := sdk.Chat.Completions.NewStreaming(t.Context(), question("broken"))
	for stream.Next() {
	}
	if err := stream.Err(); err == nil || !strings.Contains(err.Error(), "ended the stream before") {
		t.Errorf("a broken stream ends in %v", err)
	}
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }
