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
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{}, n.upstream("a", eventsThen(hang, token("a"))))
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
			t.Errorf("%d bytes are taken while the stream is open", taken)
		}
		h.stop()
	})
}
