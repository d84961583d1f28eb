package conformance

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
)

// probe asks an endpoint by an SDK: whole, and as a stream where it has streams.
type probe struct {
	path          string
	whole, stream func(t *testing.T, n *node, model string) error
}

var probes = []probe{
	{
		path: "/v1/chat/completions",
		whole: func(t *testing.T, n *node, model string) error {
			return second(newChatTalk(n.openAI(), model, false).ask(t.Context(), prompt{text: "Hi."}))
		},
		stream: func(t *testing.T, n *node, model string) error {
			return second(newChatTalk(n.openAI(), model, true).ask(t.Context(), prompt{text: "Hi."}))
		},
	},
	{
		path: "/v1/completions",
		whole: func(t *testing.T, n *node, model string) error {
			sdk := n.openAI()
			return second(sdk.Completions.New(t.Context(), legacy(model)))
		},
		stream: func(t *testing.T, n *node, model string) error {
			sdk := n.openAI()
			return drained(sdk.Completions.NewStreaming(t.Context(), legacy(model)))
		},
	},
	{
		path: "/v1/responses",
		whole: func(t *testing.T, n *node, model string) error {
			sdk := n.openAI()
			return second(sdk.Responses.New(t.Context(), ask(model)))
		},
		stream: func(t *testing.T, n *node, model string) error {
			sdk := n.openAI()
			return drained(sdk.Responses.NewStreaming(t.Context(), ask(model)))
		},
	},
	{path: "/v1/embeddings", whole: func(t *testing.T, n *node, model string) error {
		sdk := n.openAI()
		return second(sdk.Embeddings.New(t.Context(), openai.EmbeddingNewParams{Model: model, Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("a")}}))
	}},
	{path: "/v1/moderations", whole: func(t *testing.T, n *node, model string) error {
		sdk := n.openAI()
		return second(sdk.Moderations.New(t.Context(), openai.ModerationNewParams{Model: model, Input: openai.ModerationNewParamsInputUnion{OfString: openai.String("a")}}))
	}},
	{path: "/v1/rerank", whole: func(t *testing.T, n *node, model string) error { // no SDK has it
		sdk := n.openAI()
		return sdk.Post(t.Context(), "rerank", object{"model": model, "query": "a", "documents": []string{"b"}}, &object{})
	}},
	{path: "/v1/images/generations", whole: func(t *testing.T, n *node, model string) error {
		sdk := n.openAI()
		return second(sdk.Images.Generate(t.Context(), openai.ImageGenerateParams{Model: model, Prompt: "a cat"}))
	}},
	{
		path: "/v1/messages",
		whole: func(t *testing.T, n *node, model string) error {
			return second(newMessagesTalk(n.anthropic(), model, false).ask(t.Context(), prompt{text: "Hi."}))
		},
		stream: func(t *testing.T, n *node, model string) error {
			return second(newMessagesTalk(n.anthropic(), model, true).ask(t.Context(), prompt{text: "Hi."}))
		},
	},
	{path: "/v1/messages/count_tokens", whole: func(t *testing.T, n *node, model string) error {
		sdk := n.anthropic()
		return second(sdk.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{Model: anthropic.Model(model), Messages: turn(model).Messages}))
	}},
}

func legacy(model string) openai.CompletionNewParams {
	return openai.CompletionNewParams{Model: openai.CompletionNewParamsModel(model), Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("Hi.")}}
}

// drained reads a stream to its end, which must not be its beginning.
func drained(stream interface {
	Next() bool
	Err() error
	Close() error
}) error {
	defer stream.Close()
	events := 0
	for stream.Next() {
		events++
	}
	if stream.Err() == nil && events == 0 {
		return errors.New("the stream is empty")
	}
	return stream.Err()
}

// What an endpoint does with a kind of provider.
const (
	served     = "ok"
	translated = "ok, translated"
	notServed  = "not served"
	none       = "–" // the endpoint has no streams
)

// outcome tells what became of a probe. The upstream was asked at that path.
func outcome(p probe, err error, upstream string) string {
	if e := (*openai.Error)(nil); errors.As(err, &e) && e.StatusCode == http.StatusNotFound && e.Code == "endpoint_not_served" {
		return notServed
	}
	if e := (*anthropic.Error)(nil); errors.As(err, &e) && e.StatusCode == http.StatusNotFound && strings.Contains(e.RawJSON(), "no target that serves") {
		return notServed
	}
	switch {
	case err != nil:
		return "fails: " + err.Error()
	case !strings.HasSuffix(upstream, strings.TrimPrefix(p.path, "/v1")):
		return translated
	}
	return served
}

// TestEveryEndpointIsServedAsTheDocsSay prints the table of what is served, too.
func TestEveryEndpointIsServedAsTheDocsSay(t *testing.T) {
	n := newNode(t)
	var upstream atomic.Value
	answer := speak(append(slices.Clone(openAI), anthropicAPI...)...)
	for _, kind := range kinds {
		n.serve(kind, kind, func(w http.ResponseWriter, r *http.Request) {
			upstream.Store(r.URL.Path)
			answer(w, r)
		})
	}
	documented := endpoints(t)
	var table strings.Builder
	table.WriteString("| endpoint |")
	for _, kind := range kinds {
		fmt.Fprintf(&table, " `%s`, whole | stream |", kind)
	}
	table.WriteString("\n|---|" + strings.Repeat("---|---|", len(kinds)) + "\n")
	for _, p := range probes {
		doc, ok := documented[p.path]
		if !ok || doc.streams != (p.stream != nil) {
			t.Errorf("%s: documented %t, with streams %t, want %t", p.path, ok, doc.streams, p.stream != nil)
		}
		delete(documented, p.path)
		fmt.Fprintf(&table, "| `%s` |", p.path)
		for _, kind := range kinds {
			for _, ask := range []func(*testing.T, *node, string) error{p.whole, p.stream} {
				got := none
				if ask != nil {
					upstream.Store("")
					err := ask(t, n, kind)
					got = outcome(p, err, upstream.Load().(string))
					if is := got == served || got == translated; is != slices.Contains(doc.kinds, kind) || !is && got != notServed {
						t.Errorf("%s of %s: %s, and the docs name %v", p.path, kind, got, doc.kinds)
					}
				}
				fmt.Fprintf(&table, " %s |", got)
			}
		}
		table.WriteString("\n")
	}
	for path := range documented {
		t.Errorf("%s is documented and no probe of this test asks for it", path)
	}
	t.Log("\n" + table.String())
}

// documentedEndpoint is a row of the table in docs/endpoints.md.
type documentedEndpoint struct {
	streams bool
	kinds   []string
}

var (
	endpointRow = regexp.MustCompile("(?m)^\\| `(/v1/[a-z/_]+)` \\| (yes|no) \\| [a-z]+ \\| (.*) \\|$")
	quotedKind  = regexp.MustCompile("`([a-z-]+)`")
)

func endpoints(t *testing.T) map[string]documentedEndpoint {
	t.Helper()
	page, err := os.ReadFile("../../docs/endpoints.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]documentedEndpoint{}
	for _, row := range endpointRow.FindAllStringSubmatch(string(page), -1) {
		e := documentedEndpoint{streams: row[2] == "yes"}
		for _, kind := range quotedKind.FindAllStringSubmatch(row[3], -1) {
			e.kinds = append(e.kinds, kind[1])
		}
		rows[row[1]] = e
	}
	return rows
}
