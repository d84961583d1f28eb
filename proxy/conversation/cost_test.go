package conversation_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// TestAnAnswerInManyPiecesCostsWhatItsBytesDo: an upstream must not make a megabyte cost gigabytes by cutting it small.
func TestAnAnswerInManyPiecesCostsWhatItsBytesDo(t *testing.T) {
	const pieces = 4 << 10
	many := func(piece string) string { return strings.TrimSuffix(strings.Repeat(piece+",", pieces), ",") }
	text := strings.Repeat("a", 64)
	for name, c := range map[string]struct{ from, body string }{
		"parts of chat": {"chat", `{"choices":[{"index":0,"message":{"role":"assistant","content":[` + many(`{"type":"text","text":"`+text+`"}`) + `]},"finish_reason":"stop"}]}`},
		"blocks":        {"messages", `{"content":[` + many(`{"type":"text","text":"`+text+`"}`) + `],"stop_reason":"end_turn"}`},
		"summaries":     {"responses", `{"output":[{"type":"reasoning","summary":[` + many(`{"type":"summary_text","text":"`+text+`"}`) + `]}]}`},
		"thoughts":      {"messages", `{"content":[` + many(`{"type":"thinking","thinking":"`+text+`"}`) + `],"stop_reason":"end_turn"}`},
	} {
		for to, codec := range codecs {
			spent := spending(t, func() error {
				a, err := codecs[c.from].DecodeAnswer([]byte(c.body))
				if err == nil {
					codec.EncodeAnswer(&conversation.Request{}, a)
				}
				return err
			})
			if limit := uint64(30 * len(c.body)); spent > limit {
				t.Errorf("%s to %s: %d bytes cost %d, want %d at most", name, to, len(c.body), spent, limit)
			}
		}
	}
}

// TestARequestInManyPiecesCostsWhatItsBytesDo, as an answer does.
func TestARequestInManyPiecesCostsWhatItsBytesDo(t *testing.T) {
	many := func(piece string) string { return strings.TrimSuffix(strings.Repeat(piece+",", 4<<10), ",") }
	text := strings.Repeat("a", 64)
	for from, body := range map[string]string{
		"chat": `{"model":"m","messages":[{"role":"user","content":"q"},{"role":"assistant","content":[` + many(`{"type":"refusal","refusal":"`+text+`"}`) + `]},{"role":"user","content":"q"}]}`,
		"messages": `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[` + many(`{"type":"text","text":"`+text+`"}`) +
			`]},{"role":"user","content":[` + many(`{"type":"text","text":"`+text+`"}`) + `]}]}`,
		"responses": `{"model":"m","input":[{"role":"user","content":"q"},{"type":"reasoning","summary":[` + many(`{"type":"summary_text","text":"`+text+`"}`) + `]},{"role":"user","content":"q"}]}`,
	} {
		for to, codec := range codecs {
			spent := spending(t, func() error {
				r, _, err := codecs[from].DecodeRequest([]byte(body))
				if err == nil {
					_, _, err = codec.EncodeRequest(r, "up")
				}
				return err
			})
			if limit := uint64(30 * len(body)); spent > limit {
				t.Errorf("%s to %s: %d bytes cost %d, want %d at most", from, to, len(body), spent, limit)
			}
		}
	}
}

// spending returns how many bytes f allocates, those included that are garbage by its end.
func spending(t *testing.T, f func() error) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := f(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
