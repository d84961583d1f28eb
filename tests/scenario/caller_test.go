package scenario

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// spoken is what every good answer says.
var spoken = strings.Join(upstream.Words[:], "")

// newKey stores a caller that may use everything and returns its key.
func newKey(o *operator, id string) string {
	o.t.Helper()
	return newKeyWith(o, id, "")
}

// newKeyWith does the same with further members of the resource.
func newKeyWith(o *operator, id, members string) string {
	o.t.Helper()
	key := "sk-caller-" + rand.Text()
	sum := sha256.Sum256([]byte(key))
	o.put("api-keys/"+id, fmt.Sprintf(`{"key_sha256":%q,"allowed_models":["*"]%s}`, hex.EncodeToString(sum[:]), members))
	return key
}

// caller is a client program on the official SDK. It never retries: what fails is seen.
type caller struct{ sdk openai.Client }

func newCaller(baseURL, key string, transport http.RoundTripper) caller {
	return caller{openai.NewClient(
		option.WithBaseURL(baseURL+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(0),
		option.WithHTTPClient(&http.Client{Transport: transport}),
	)}
}

// direct returns a caller of that one proxy.
func direct(t *testing.T, p Proxy, key string) caller {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return newCaller(p.API, key, transport)
}

func params(model string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say something.")},
	}
}

// chat asks once, streaming or not, checks that one of our upstreams answered, and returns the model through which.
func (c caller) chat(ctx context.Context, model string, stream bool) (target string, err error) {
	target, got, err := c.ask(ctx, model, stream)
	if err == nil && got != spoken {
		err = fmt.Errorf("answer of %q (stream %v): got %q, want %q", model, stream, got, spoken)
	}
	return target, err
}

// ask asks once and returns the model that answered and what it said.
func (c caller) ask(ctx context.Context, model string, stream bool) (target, said string, err error) {
	var resp *http.Response
	if stream {
		said, err = c.stream(ctx, model, &resp)
	} else {
		said, err = c.whole(ctx, model, &resp)
	}
	if err != nil {
		return "", "", err
	}
	return resp.Header.Get("X-Sluice-Target"), said, nil
}

func (c caller) whole(ctx context.Context, model string, resp **http.Response) (string, error) {
	got, err := c.sdk.Chat.Completions.New(ctx, params(model), option.WithResponseInto(resp))
	if err != nil {
		return "", err
	}
	if len(got.Choices) != 1 {
		return "", fmt.Errorf("%d choices, want 1: %s", len(got.Choices), got.RawJSON())
	}
	return got.Choices[0].Message.Content, nil
}

func (c caller) stream(ctx context.Context, model string, resp **http.Response) (string, error) {
	events := c.sdk.Chat.Completions.NewStreaming(ctx, params(model), option.WithResponseInto(resp))
	defer events.Close()
	var got openai.ChatCompletionAccumulator
	for events.Next() {
		if !got.AddChunk(events.Current()) {
			return "", fmt.Errorf("a chunk does not fit: %s", events.Current().RawJSON())
		}
	}
	if err := events.Err(); err != nil {
		return "", err
	}
	if len(got.Choices) != 1 || got.Choices[0].FinishReason != "stop" {
		return "", fmt.Errorf("the stream ended early: %+v", got.Choices)
	}
	return got.Choices[0].Message.Content, nil
}

// mustChat asks once and returns the model that answered.
func (c caller) mustChat(t *testing.T, model string, stream bool) string {
	t.Helper()
	target, err := c.chat(t.Context(), model, stream)
	if err != nil {
		t.Fatalf("chat with %q, stream %v: %v", model, stream, err)
	}
	return target
}
