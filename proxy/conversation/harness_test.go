package conversation_test

import (
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/chat"
	"github.com/sluice-gateway/sluice/proxy/conversation/conversationtest"
	"github.com/sluice-gateway/sluice/proxy/conversation/messages"
	"github.com/sluice-gateway/sluice/proxy/conversation/responses"
)

func newID() string { return "new" }

// codecs are those under test, by name.
var codecs = map[string]conversation.Codec{
	"chat":      chat.New(func() time.Time { return time.Unix(1700000000, 0) }, newID),
	"messages":  messages.New(newID),
	"responses": responses.New(func() time.Time { return time.Unix(1700000000, 0) }, newID),
}

// relay translates the events of a stream and reports whether it came to its proper end.
func relay(t *testing.T, from, to conversation.Codec, r *conversation.Request, frames []conversationtest.Frame) (out string, over bool) {
	t.Helper()
	out, over, err := translate(from, to, r, frames)
	if err != nil {
		t.Fatalf("%v in\n%v", err, frames)
	}
	return out, over
}

func translate(from, to conversation.Codec, r *conversation.Request, frames []conversationtest.Frame) (string, bool, error) {
	d, e := from.NewDecoder(), to.NewEncoder(r)
	var out []byte
	var events []conversation.Event
	over := false
	for _, f := range frames {
		var err error
		events, over, err = d.Decode(events[:0], []byte(f.Name), []byte(f.Data))
		for i := range events {
			out = e.Append(out, &events[i])
		}
		if err != nil || over {
			return string(out), over, err
		}
	}
	events, over = d.End(events[:0])
	for i := range events {
		out = e.Append(out, &events[i])
	}
	return string(out), over, nil
}

// lawful judges a request that was written for a dialect.
func lawful(dialect string, body []byte) error {
	switch dialect {
	case "chat":
		return conversationtest.ChatRequest(body)
	case "messages":
		return conversationtest.MessagesRequest(body)
	}
	return conversationtest.ResponsesRequest(body)
}
