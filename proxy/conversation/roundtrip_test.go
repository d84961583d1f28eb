package conversation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// asker makes requests that a dialect can say all of.
type asker struct {
	*rand.Rand
	chat      bool // or responses, which is told by the other
	responses bool
	ids       int
}

func (a asker) yes() bool { return a.IntN(2) == 0 }

func (a asker) words() string { return fmt.Sprintf("word \"%d\"\n é😀", a.IntN(100)) }

func (a asker) text() conversation.Part {
	return conversation.Part{Kind: conversation.Text, Text: a.words(), Cached: !a.chat && a.yes()}
}

func (a asker) media() conversation.Part {
	image := conversation.Part{Kind: conversation.Image, Media: conversation.Media{Type: "image/png", Base64: "iVBORw0KGgo="}}
	switch a.IntN(3) {
	case 0:
		if a.responses {
			return conversation.Part{Kind: conversation.File, Media: conversation.Media{URL: "https://x.test/a.pdf"}}
		}
		if a.chat {
			return conversation.Part{Kind: conversation.Audio, Media: conversation.Media{Type: "audio/wav", Base64: "UklGRg=="}}
		}
		return conversation.Part{Kind: conversation.File, Media: conversation.Media{Type: "text/plain", Base64: "aGkgw6k="}}
	case 1:
		return conversation.Part{Kind: conversation.File, Media: conversation.Media{Type: "application/pdf", Base64: "JVBERi0=", Name: "a.pdf"}}
	}
	if a.yes() {
		image.Media = conversation.Media{URL: "https://x.test/a.png"}
	}
	if a.chat && a.yes() {
		image.Media.Detail = "low"
	}
	return image
}

func (a asker) user() conversation.Message {
	m := conversation.Message{Parts: []conversation.Part{a.text()}}
	for range a.IntN(3) {
		m.Parts = append(m.Parts, a.media())
	}
	return m
}

// loop makes a turn of the model's that calls tools, and their results.
func (a *asker) loop() []conversation.Message {
	call := conversation.Message{Role: conversation.Assistant}
	if a.yes() && !a.chat {
		call.Parts = append(call.Parts, conversation.Part{Kind: conversation.Thinking, Text: "hm", Signature: "s"},
			conversation.Part{Kind: conversation.Thinking, Sealed: "d"})
	}
	if a.yes() {
		call.Parts = append(call.Parts, a.text())
	}
	turns := []conversation.Message{call}
	for range 1 + a.IntN(2) {
		a.ids++
		id := fmt.Sprintf("call_%d", a.ids)
		turns[0].Parts = append(turns[0].Parts, conversation.Part{Kind: conversation.ToolCall, Call: conversation.Call{ID: id, Name: "f", Arguments: `{"n": 1.0}`}})
		result := conversation.Part{Kind: conversation.ToolResult, Result: conversation.Result{CallID: id, Parts: []conversation.Part{a.text()}}}
		if a.responses && a.yes() {
			result.Result.Parts = append(result.Result.Parts, a.media())
		}
		if !a.chat {
			result.Result.Failed = a.yes()
			if a.yes() {
				result.Result.Parts = append(result.Result.Parts, a.media())
			}
			if len(turns) == 2 {
				turns[1].Parts = append(turns[1].Parts, result)
				continue
			}
		}
		turns = append(turns, conversation.Message{Parts: []conversation.Part{result}})
	}
	return append(turns, conversation.Message{Role: conversation.Assistant, Parts: []conversation.Part{a.text()}})
}

func (a *asker) request() *conversation.Request {
	r := &conversation.Request{Model: "claude-sonnet-4-5", MaxTokens: 9000 + a.Int64N(100)}
	if a.yes() {
		r.System = []conversation.Part{a.text()}
		if !a.chat {
			r.System = append(r.System, a.text())
		}
	}
	r.Messages = append(r.Messages, a.user())
	for range a.IntN(3) {
		if a.yes() {
			r.Messages = append(r.Messages, a.loop()...)
		} else {
			r.Messages = append(r.Messages, conversation.Message{Role: conversation.Assistant, Parts: []conversation.Part{a.text()}})
		}
		r.Messages = append(r.Messages, a.user())
	}
	a.settings(r)
	return r
}

func (a *asker) settings(r *conversation.Request) {
	for i := range a.IntN(3) {
		r.Tools = append(r.Tools, conversation.Tool{Name: fmt.Sprintf("f%d", i), Description: "d", Schema: []byte(`{"type": "object", "x": 1.0}`), Strict: a.yes(), Cached: !a.chat && a.yes()})
	}
	if len(r.Tools) > 0 {
		r.ToolChoice.Mode = conversation.ToolMode(a.IntN(4))
		if r.ToolChoice.Mode == conversation.ToolNamed {
			r.ToolChoice.Name = "f0"
		}
		r.OneTool = r.ToolChoice.Mode != conversation.ToolNone && a.yes()
	}
	if a.yes() && !a.responses {
		r.Stop = []string{"END", "\"\n."}
	}
	switch {
	case a.yes() && a.chat:
		r.Temperature, r.TopP = new(1.5), new(0.25)
		if !a.responses {
			r.Seed, r.FrequencyPenalty, r.PresencePenalty = new(int64(9007199254740993)), new(-0.5), new(0.5)
		}
		r.Reasoning = conversation.Reasoning{Set: true, Effort: "low"}
	case a.yes():
		r.Temperature = new(0.5)
		if !a.chat {
			r.TopK = new(int64(7))
		}
	case !a.chat && r.ToolChoice.Mode < conversation.ToolAny:
		r.Reasoning = conversation.Reasoning{Set: true, Budget: 2048}
	}
	if a.yes() {
		r.Format = conversation.Format{Kind: conversation.FormatSchema, Schema: []byte(`{"type":"object"}`), Strict: true}
		if a.chat {
			r.Format.Name, r.Format.Description = "n", "d"
		}
	} else if a.chat && a.yes() {
		r.Format.Kind = conversation.FormatObject
	}
	r.User = []string{"", "u1"}[a.IntN(2)]
	r.Stream = a.yes()
	r.StreamUsage = r.Stream && (!a.chat || a.responses || a.yes())
}

// TestARequestThatADialectCanSaySurvivesIt writes a request and reads it back.
func TestARequestThatADialectCanSaySurvivesIt(t *testing.T) {
	plain := cmp.Options{cmpopts.IgnoreFields(conversation.Request{}, "Names"), cmpopts.IgnoreFields(conversation.Message{}, "At"),
		cmpopts.IgnoreFields(conversation.Part{}, "At"), cmpopts.EquateEmpty()}
	for name, codec := range codecs {
		for i := range 200 {
			a := &asker{Rand: source(i), chat: name != "messages", responses: name == "responses"}
			want := a.request()
			want.Names = namesOf(t, codec)
			body, dropped, err := codec.EncodeRequest(want, want.Model)
			if err != nil || len(dropped) > 0 {
				t.Fatalf("%s, request %d: dropped %v, %v", name, i, dropped, err)
			}
			got, dropped, err := codec.DecodeRequest(body)
			if err != nil || len(dropped) > 0 {
				t.Fatalf("%s, request %d: dropped %v, %v in\n%s", name, i, dropped, err, body)
			}
			if diff := cmp.Diff(want, got, plain); diff != "" {
				t.Fatalf("%s, request %d (-want +got):\n%s\nby\n%s", name, i, diff, body)
			}
		}
	}
}

func namesOf(t *testing.T, codec conversation.Codec) *conversation.Names {
	t.Helper()
	r, _, err := codec.DecodeRequest([]byte(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}],"input":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	return r.Names
}
