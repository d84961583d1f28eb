package responses

import (
	"testing"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

func TestPlacesSurviveTheirNames(t *testing.T) {
	for _, c := range []struct {
		item, part int
		kind       conversation.PartKind
		want       string
	}{
		{-1, -1, conversation.Text, "input"}, {0, -1, conversation.Text, "input[0].content"}, {7, 300, conversation.Image, "input[7].content[300]"},
		{70000, 0, conversation.Text, "input[70000].content[0]"}, {3, -1, conversation.ToolCall, "input[3]"}, {3, -1, conversation.Thinking, "input[3]"},
	} {
		p := conversation.Part{Kind: c.kind, At: place(c.item, c.part)}
		if got := partName(nil, &p); got != c.want {
			t.Errorf("item %d, part %d: got %s, want %s", c.item, c.part, got, c.want)
		}
	}
}
