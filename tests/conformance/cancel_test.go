package conformance

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
)

// TestAProgramThatLeavesAStreamEndsItUpstream, and leaves nothing in the node.
func TestAProgramThatLeavesAStreamEndsItUpstream(t *testing.T) {
	n := newNode(t)
	said := reply{text: "Hello, you.", stop: "end"}
	for _, kind := range kinds {
		gone := make(chan struct{}, 10)
		events := said.chatEvents(false)
		if kind == "anthropic" {
			events = said.messageEvents()
		}
		n.serve(kind, kind, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			for _, e := range events {
				io.WriteString(w, e)
				http.NewResponseController(w).Flush()
				if strings.Contains(e, `"Hello`) {
					break
				}
			}
			<-r.Context().Done()
			gone <- struct{}{}
		})
		for sdk, leave := range map[string]func(context.Context, context.CancelFunc, string) error{"chat": n.leaveChat, "messages": n.leaveMessages} {
			ctx, cancel := context.WithCancel(t.Context())
			if err := leave(ctx, cancel, kind); !errors.Is(err, context.Canceled) {
				t.Errorf("%s of %s: the program is told %v", sdk, kind, err)
			}
			select {
			case <-gone:
			case <-time.After(10 * time.Second):
				t.Fatalf("%s of %s: the upstream goes on", sdk, kind)
			}
		}
	}
	n.awaitIdle()
}

// leaveChat reads a stream to its first words and leaves.
func (n *node) leaveChat(ctx context.Context, cancel context.CancelFunc, model string) error {
	sdk := n.openAI()
	stream := sdk.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: model, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hi.")}})
	defer stream.Close()
	for stream.Next() {
		if c := stream.Current().Choices; len(c) > 0 && c[0].Delta.Content != "" {
			cancel()
		}
	}
	cancel()
	return stream.Err()
}

// leaveMessages is leaveChat for the Anthropic SDK.
func (n *node) leaveMessages(ctx context.Context, cancel context.CancelFunc, model string) error {
	sdk := n.anthropic()
	events := sdk.Messages.NewStreaming(ctx, turn(model))
	defer events.Close()
	for events.Next() {
		if events.Current().Delta.Text != "" {
			cancel()
		}
	}
	cancel()
	return events.Err()
}

// awaitIdle waits until no request is under way in the node.
func (n *node) awaitIdle() {
	n.t.Helper()
	page := ""
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		resp, err := http.Get(n.status + "/metrics")
		if err != nil {
			n.t.Fatal(err)
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if page = string(text); strings.Contains(page, "\nsluice_requests_in_flight 0\n") {
			return
		}
	}
	n.t.Errorf("requests are under way still:\n%s", page)
}
