package conversation_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// TestWhatARequestSpellsInSeveralLinesBreaksNoEvent: some answers repeat the request, and a line of an event is one line.
func TestWhatARequestSpellsInSeveralLinesBreaksNoEvent(t *testing.T) {
	requests := map[string]string{
		"chat":      "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\n\r\n}}}]}",
		"messages":  "{\"model\":\"m\",\"stream\":true,\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}],\"tools\":[{\"name\":\"f\",\"input_schema\":{\n\r\n}}]}",
		"responses": "{\"model\":\"m\",\"stream\":true,\"input\":\"q\",\"tools\":[{\"type\":\"function\",\"name\":\"f\",\"parameters\":{\n\r\n}}],\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"n\",\"schema\":{\n\r\n}}}}",
	}
	for name, codec := range codecs {
		r, _, err := codec.DecodeRequest([]byte(requests[name]))
		if err != nil {
			t.Fatal(err)
		}
		e, out := codec.NewEncoder(r), []byte(nil)
		for _, ev := range []conversation.Event{{Kind: conversation.Start, ID: "1"}, {Kind: conversation.Finish}} {
			out = e.Append(out, &ev)
		}
		for line := range strings.SplitSeq(string(out), "\n") {
			if data, ok := strings.CutPrefix(line, "data: "); ok && data != "[DONE]" && !json.Valid([]byte(data)) || !ok && line != "" && !strings.HasPrefix(line, "event: ") {
				t.Errorf("%s: got the line %q", name, line)
			}
		}
	}
}

func TestAnEncoderHoldsNoConversation(t *testing.T) {
	for name, codec := range codecs {
		r := &conversation.Request{Messages: []conversation.Message{{Parts: []conversation.Part{{Text: "long"}}}}}
		held := weak.Make(r)
		e := codec.NewEncoder(r)
		r = nil
		runtime.GC()
		if held.Value() != nil {
			t.Errorf("%s: the request is held", name)
		}
		runtime.KeepAlive(e)
	}
}
