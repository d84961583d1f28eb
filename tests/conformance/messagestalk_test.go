package conformance

import (
	"context"
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"
)

// messagesTalk is a conversation by the Anthropic SDK.
type messagesTalk struct {
	sdk    anthropic.Client
	params anthropic.MessageNewParams
	stream bool
}

func newMessagesTalk(sdk anthropic.Client, model string, stream bool) *messagesTalk {
	return &messagesTalk{sdk: sdk, stream: stream, params: anthropic.MessageNewParams{Model: anthropic.Model(model), MaxTokens: 4096}}
}

func (k *messagesTalk) ask(ctx context.Context, q prompt) (account, error) {
	for _, s := range q.system {
		k.params.System = append(k.params.System, anthropic.TextBlockParam{Text: s})
	}
	blocks := []anthropic.ContentBlockParamUnion{anthropic.NewTextBlock(q.text)}
	if q.image != "" {
		blocks = append(blocks, anthropic.NewImageBlockBase64("image/png", q.image))
	}
	k.params.Messages = append(k.params.Messages, anthropic.NewUserMessage(blocks...))
	if q.tool {
		s := schema(parameters)
		k.params.Tools = []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
			Name: "add", InputSchema: anthropic.ToolInputSchemaParam{Properties: s["properties"], Required: []string{"a", "b"}},
		}}}
	}
	if q.schema {
		k.params.OutputConfig.Format = anthropic.JSONOutputFormatParam{Schema: schema(city)}
	}
	if q.think {
		k.params.Thinking = anthropic.ThinkingConfigParamOfEnabled(1024)
	}
	return k.send(ctx)
}

func (k *messagesTalk) hand(ctx context.Context, ids, results []string) (account, error) {
	var blocks []anthropic.ContentBlockParamUnion
	for i := range ids {
		blocks = append(blocks, anthropic.NewToolResultBlock(ids[i], results[i], false))
	}
	k.params.Messages = append(k.params.Messages, anthropic.NewUserMessage(blocks...))
	return k.send(ctx)
}

// send sends the turns and keeps the answer among them.
func (k *messagesTalk) send(ctx context.Context) (account, error) {
	m, err := k.message(ctx)
	if err != nil {
		return account{}, err
	}
	k.params.Messages = append(k.params.Messages, m.ToParam())
	u := m.Usage
	got := account{
		Model: string(m.Model), Usage: usage{u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens, u.CacheReadInputTokens, u.OutputTokens},
		Stop: map[anthropic.StopReason]string{"end_turn": "end", "max_tokens": "length", "tool_use": "tools", "refusal": "filter"}[m.StopReason],
	}
	for _, b := range m.Content {
		switch b := b.AsAny().(type) {
		case anthropic.TextBlock:
			got.Text += b.Text
		case anthropic.ThinkingBlock:
			got.Thought += b.Thinking
		case anthropic.ToolUseBlock:
			input, err := json.Marshal(b.Input)
			if err != nil {
				return got, err
			}
			got.Calls = append(got.Calls, call{b.ID, b.Name, string(input)})
		}
	}
	return got, nil
}

// message returns the answer, whole or as the SDK adds it up.
func (k *messagesTalk) message(ctx context.Context) (*anthropic.Message, error) {
	if !k.stream {
		return k.sdk.Messages.New(ctx, k.params)
	}
	events := k.sdk.Messages.NewStreaming(ctx, k.params)
	defer events.Close()
	var sum anthropic.Message
	for events.Next() {
		if err := sum.Accumulate(events.Current()); err != nil {
			return nil, err
		}
	}
	return &sum, events.Err()
}
