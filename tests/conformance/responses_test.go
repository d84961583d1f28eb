package conformance

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	oai "github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/responses"
)

// said are the parts of an answer by a model of another vendor's that calls a tool.
var said = []conversation.Part{
	{Kind: conversation.Thinking, Text: "hm", Signature: "proof"},
	{Kind: conversation.Text, Text: "Hel"}, {Kind: conversation.Text, Text: "lo"},
	{Kind: conversation.ToolCall, Call: conversation.Call{ID: "call_1", Name: "get", Arguments: `{"x":1}`}},
}

// answering is a server that answers requests of the responses dialect by its codec, and keeps the last of them.
func answering(t *testing.T, asked **conversation.Request, stop conversation.StopReason) openai.Client {
	codec := responses.New(nil, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		r, _, err := codec.DecodeRequest(body)
		if err != nil {
			t.Errorf("%v in %s", err, body)
			return
		}
		*asked = r
		usage := conversation.Usage{Input: 100, Cached: 80, CacheWrites: 3, Output: 9, Thought: 4, Known: true}
		if !r.Stream {
			w.Header().Set("Content-Type", "application/json")
			w.Write(codec.EncodeAnswer(r, &conversation.Answer{ID: "msg_a", Model: "claude", Parts: said, Stop: conversation.Stop{Reason: stop}, Usage: usage}))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Write(answerEvents(codec.NewEncoder(r), stop, usage))
	}))
	t.Cleanup(server.Close)
	return openai.NewClient(option.WithBaseURL(server.URL+"/v1"), option.WithAPIKey("k"), option.WithMaxRetries(0))
}

// answerEvents writes the answer as a stream.
func answerEvents(e conversation.Encoder, stop conversation.StopReason, usage conversation.Usage) []byte {
	out := e.Append(nil, &conversation.Event{Kind: conversation.Start, ID: "msg_a", Model: "claude"})
	for _, p := range said {
		open := conversation.Part{Kind: p.Kind, Call: conversation.Call{ID: p.Call.ID, Name: p.Call.Name}}
		out = e.Append(out, &conversation.Event{Kind: conversation.Open, Part: open})
		for _, piece := range strings.SplitAfter(p.Text+p.Call.Arguments, "l") {
			out = e.Append(out, &conversation.Event{Kind: conversation.Delta, Delta: piece})
		}
		out = e.Append(out, &conversation.Event{Kind: conversation.Delta, Signature: p.Signature})
		out = e.Append(out, &conversation.Event{Kind: conversation.Close})
	}
	return e.Append(out, &conversation.Event{Kind: conversation.Finish, Stop: conversation.Stop{Reason: stop}, Usage: usage})
}

// asking is a request that asks for everything that there is.
func asking(input oai.ResponseInputParam) oai.ResponseNewParams {
	return oai.ResponseNewParams{
		Model: "m", Instructions: openai.String("Be brief."), Input: oai.ResponseNewParamsInputUnion{OfInputItemList: input},
		MaxOutputTokens: openai.Int(100), Temperature: openai.Float(0.5),
		Tools:     []oai.ToolUnionParam{{OfFunction: &oai.FunctionToolParam{Name: "get", Parameters: map[string]any{"type": "object"}, Strict: openai.Bool(false)}}},
		Reasoning: shared.ReasoningParam{Effort: shared.ReasoningEffortLow, Summary: shared.ReasoningSummaryAuto},
		Include:   []oai.ResponseIncludable{oai.ResponseIncludableReasoningEncryptedContent}, Store: openai.Bool(false),
	}
}

func sayHello() oai.ResponseInputParam {
	return oai.ResponseInputParam{oai.ResponseInputItemParamOfMessage("Say hello.", oai.EasyInputMessageRoleUser)}
}

func resultOf(callID string) oai.ResponseInputItemUnionParam {
	return oai.ResponseInputItemUnionParam{OfFunctionCallOutput: &oai.ResponseInputItemFunctionCallOutputParam{
		CallID: openai.String(callID), Output: oai.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("done")},
	}}
}

// checkResponse judges what the SDK read of an answer.
func checkResponse(t *testing.T, got *oai.Response) {
	t.Helper()
	if got.ID != "resp_a" || got.Model != "claude" || got.Status != oai.ResponseStatusCompleted || got.OutputText() != "Hello" || len(got.Output) != 3 {
		t.Fatalf("got %s", got.RawJSON())
	}
	thought, call := got.Output[0].AsReasoning(), got.Output[2].AsFunctionCall()
	if len(thought.Summary) != 1 || thought.Summary[0].Text != "hm" || thought.EncryptedContent == "" || call.CallID != "call_1" || call.Name != "get" || call.Arguments != `{"x":1}` {
		t.Errorf("got %s", got.RawJSON())
	}
	u := got.Usage
	if u.InputTokens != 100 || u.InputTokensDetails.CachedTokens != 80 || u.InputTokensDetails.CacheWriteTokens != 3 || u.OutputTokens != 9 || u.OutputTokensDetails.ReasoningTokens != 4 || u.TotalTokens != 109 {
		t.Errorf("usage %s", u.RawJSON())
	}
	if len(got.Tools) != 1 || got.Tools[0].Name != "get" || got.Instructions.OfString != "Be brief." || got.MaxOutputTokens != 100 || got.Temperature != 0.5 ||
		got.Reasoning.Effort != shared.ReasoningEffortLow || got.ToolChoice.OfToolChoiceMode != oai.ToolChoiceOptionsAuto || !got.ParallelToolCalls || got.Text.Format.Type != "text" {
		t.Errorf("the settings are not those of the request: %s", got.RawJSON())
	}
	for name, present := range map[string]bool{"created_at": got.JSON.CreatedAt.Valid(), "metadata": got.JSON.Metadata.Valid(), "object": got.JSON.Object.Valid()} {
		if !present {
			t.Errorf("%s is missing in %s", name, got.RawJSON())
		}
	}
}

func TestTheOpenAISDKReadsTheResponsesThatTheCodecWrites(t *testing.T) {
	var asked *conversation.Request
	sdk := answering(t, &asked, conversation.StopTools)
	got, err := sdk.Responses.New(t.Context(), asking(sayHello()))
	if err != nil {
		t.Fatal(err)
	}
	checkResponse(t, got)
	input := sayHello()
	for _, item := range got.Output {
		switch item := item.AsAny().(type) {
		case oai.ResponseReasoningItem:
			p := item.ToParam()
			input = append(input, oai.ResponseInputItemUnionParam{OfReasoning: &p})
		case oai.ResponseOutputMessage:
			p := item.ToParam()
			input = append(input, oai.ResponseInputItemUnionParam{OfOutputMessage: &p})
		case oai.ResponseFunctionToolCall:
			p := item.ToParam()
			input = append(input, oai.ResponseInputItemUnionParam{OfFunctionCall: &p}, resultOf(item.CallID))
		}
	}
	if _, err := sdk.Responses.New(t.Context(), asking(input)); err != nil {
		t.Fatal(err)
	}
	var back [][]conversation.Part
	for _, m := range asked.Messages {
		for i := range m.Parts {
			m.Parts[i].At = 0
			for k := range m.Parts[i].Result.Parts {
				m.Parts[i].Result.Parts[k].At = 0
			}
		}
		back = append(back, m.Parts)
	}
	want := [][]conversation.Part{
		{{Text: "Say hello."}},
		{said[0], {Text: "Hello"}, said[3]},
		{{Kind: conversation.ToolResult, Result: conversation.Result{CallID: "call_1", Parts: []conversation.Part{{Text: "done"}}}}},
	}
	if diff := cmp.Diff(want, back); diff != "" {
		t.Errorf("what comes back (-want +got):\n%s", diff)
	}
}

func TestTheOpenAISDKReadsTheResponseStreamsThatTheCodecWrites(t *testing.T) {
	var asked *conversation.Request
	sdk := answering(t, &asked, conversation.StopTools)
	stream := sdk.Responses.NewStreaming(t.Context(), asking(sayHello()))
	defer stream.Close()
	var text, thought, arguments string
	var last *oai.Response
	sequence, items := int64(0), 0
	for stream.Next() {
		ev := stream.Current()
		if ev.SequenceNumber != sequence {
			t.Errorf("event %d has the number %d", sequence, ev.SequenceNumber)
		}
		sequence++
		switch ev := ev.AsAny().(type) {
		case oai.ResponseTextDeltaEvent:
			text += ev.Delta
		case oai.ResponseReasoningSummaryTextDeltaEvent:
			thought += ev.Delta
		case oai.ResponseFunctionCallArgumentsDeltaEvent:
			arguments += ev.Delta
		case oai.ResponseOutputItemDoneEvent:
			items++
		case oai.ResponseCompletedEvent:
			last = &ev.Response
		case nil:
			t.Errorf("the SDK does not know %s", stream.Current().RawJSON())
		}
	}
	if stream.Err() != nil || last == nil {
		t.Fatalf("no end: %v", stream.Err())
	}
	checkResponse(t, last)
	if text != "Hello" || thought != "hm" || arguments != `{"x":1}` || items != 3 {
		t.Errorf("got %q, %q, %q and %d items", text, thought, arguments, items)
	}
}

func TestTheOpenAISDKSeesThatAResponseWasCutShort(t *testing.T) {
	var asked *conversation.Request
	sdk := answering(t, &asked, conversation.StopLength)
	got, err := sdk.Responses.New(t.Context(), asking(sayHello()))
	if err != nil || got.Status != oai.ResponseStatusIncomplete || got.IncompleteDetails.Reason != "max_output_tokens" {
		t.Errorf("%+v, %v", got, err)
	}
}
