package conformance

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"
)

// chatTalk is a conversation by the OpenAI SDK's chat completions.
type chatTalk struct {
	sdk    openai.Client
	params openai.ChatCompletionNewParams
	stream bool
}

func newChatTalk(sdk openai.Client, model string, stream bool) *chatTalk {
	k := &chatTalk{sdk: sdk, stream: stream, params: openai.ChatCompletionNewParams{Model: model, MaxCompletionTokens: openai.Int(4096)}}
	if stream {
		k.params.StreamOptions.IncludeUsage = openai.Bool(true)
	}
	return k
}

func (k *chatTalk) ask(ctx context.Context, q prompt) (account, error) {
	for i, s := range q.system {
		said := openai.SystemMessage(s)
		if i > 0 {
			said = openai.DeveloperMessage(s)
		}
		k.params.Messages = append(k.params.Messages, said)
	}
	said := openai.UserMessage(q.text)
	if q.image != "" {
		said = openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
			openai.TextContentPart(q.text), openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + q.image}),
		})
	}
	k.params.Messages = append(k.params.Messages, said)
	if q.tool {
		k.params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "add", Parameters: schema(parameters)})}
	}
	if q.schema {
		k.params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "place", Schema: schema(city), Strict: openai.Bool(true)},
		}
	}
	if q.think {
		k.params.ReasoningEffort = shared.ReasoningEffortLow
	}
	return k.send(ctx)
}

func schema(text string) object {
	var s object
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		panic(err)
	}
	return s
}

func (k *chatTalk) hand(ctx context.Context, ids, results []string) (account, error) {
	for i := range ids {
		k.params.Messages = append(k.params.Messages, openai.ToolMessage(results[i], ids[i]))
	}
	return k.send(ctx)
}

// send sends the turns and keeps the answer among them.
func (k *chatTalk) send(ctx context.Context) (account, error) {
	completion, thought, err := k.complete(ctx)
	if err != nil {
		return account{}, err
	}
	choice := completion.Choices[0]
	k.params.Messages = append(k.params.Messages, choice.Message.ToParam())
	u := completion.Usage
	got := account{
		Text: choice.Message.Content, Thought: thought, Model: completion.Model, Usage: usage{u.PromptTokens, u.PromptTokensDetails.CachedTokens, u.CompletionTokens},
		Stop: map[string]string{"stop": "end", "length": "length", "tool_calls": "tools", "content_filter": "filter"}[choice.FinishReason],
	}
	for _, c := range choice.Message.ToolCalls {
		got.Calls = append(got.Calls, call{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return got, nil
}

// complete returns the answer, whole or as the SDK adds it up, and what the model thought, of which the SDK knows nothing.
func (k *chatTalk) complete(ctx context.Context) (completion *openai.ChatCompletion, thought string, err error) {
	if !k.stream {
		if completion, err = k.sdk.Chat.Completions.New(ctx, k.params); err == nil {
			err = unquote(completion.Choices[0].Message.JSON.ExtraFields["reasoning_content"].Raw(), &thought)
		}
		return completion, thought, err
	}
	stream := k.sdk.Chat.Completions.NewStreaming(ctx, k.params)
	defer stream.Close()
	var sum openai.ChatCompletionAccumulator
	for stream.Next() {
		chunk := stream.Current()
		if !sum.AddChunk(chunk) {
			return nil, "", errors.New("the SDK does not take " + chunk.RawJSON())
		}
		for _, c := range chunk.Choices {
			if err := unquote(c.Delta.JSON.ExtraFields["reasoning_content"].Raw(), &thought); err != nil {
				return nil, "", err
			}
		}
	}
	return &sum.ChatCompletion, thought, stream.Err()
}

// unquote appends the string that raw is to s; no raw is nothing.
func unquote(raw string, s *string) error {
	if raw == "" {
		return nil
	}
	var more string
	err := json.Unmarshal([]byte(raw), &more)
	*s += more
	return err
}
