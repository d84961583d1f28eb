package dispatch_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestAStreamThatEndsInAStalledWriteSaysWhatEndedIt: the client is slow, and it is the deadline that ends the stream.
func TestAStreamThatEndsInAStalledWriteSaysWhatEndedIt(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{routing: `,"deadline":"1s"`}, n.upstream("a", events(token("a"), stop, done)))
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(streamed))
		req.Header.Set("Authorization", "Bearer "+callerKey)
		req.Header.Set("X-Request-Id", "stalled-1")
		h.edge.ServeHTTP(stalled{httptest.NewRecorder()}, req)
		if d := h.decision("stalled-1"); d.Outcome != "deadline" || len(d.Attempts) != 1 || d.Attempts[0].Outcome != "deadline" {
			t.Errorf("got outcome %q, attempts %+v, want the deadline", d.Outcome, d.Attempts)
		}
	})
}

// stalled is the writer of a client that reads nothing.
type stalled struct{ *httptest.ResponseRecorder }

func (stalled) Write([]byte) (int, error) {
	time.Sleep(2 * time.Second) // of the bubble
	return 0, errors.New("write: i/o timeout")
}
