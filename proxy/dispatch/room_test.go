package dispatch_test

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

// TestAStreamThatHasBegunHoldsNoRoomForItsQuestion: nothing is sent again after the commit point, and a stream may
// be open for long.
func TestAStreamThatHasBegunHoldsNoRoomForItsQuestion(t *testing.T) {
	held := func(t *testing.T, n *network, kind string, events ...string) {
		h := n.gateway(t, options{kinds: both(kind)}, n.upstream("a", eventsThen(hang, events...)))
		resp, err := h.ask(t.Context(), strings.Replace(streamed, "hi", strings.Repeat("a", 900<<10), 1))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadFull(resp.Body, make([]byte, len(token("a")))); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if taken := h.budget.Taken(); taken != 0 {
			t.Errorf("%s: %d bytes are taken while the stream is open", kind, taken)
		}
		h.stop()
	}
	bubble(t, func(t *testing.T, n *network) { held(t, n, "openai", token("a")) })
	bubble(t, func(t *testing.T, n *network) { held(t, n, "anthropic", crossings[0].events[:4]...) })
}
