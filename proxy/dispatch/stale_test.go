package dispatch_test

import (
	"io"
	"net/http"
	"testing"
)

// garble closes the connection after bytes that are no answer.
func garble(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	io.WriteString(conn, "this is no answer\r\n\r\n")
	conn.Close()
}

func TestOnlyAConnectionThatEndsWithoutAWordIsTakenForStale(t *testing.T) {
	for _, tc := range []struct {
		name     string
		fails    http.HandlerFunc
		attempts string
		blamed   int
	}{
		{"reset without a word", reset, "1", 0},
		{"closed after bytes that are no answer", garble, "2", 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			up := newUpstream(t, answer("first"), tc.fails, answer("second"))
			h := gateway(t, options{}, up)
			h.post(question) // leaves a connection that is kept alive
			got := h.post(question)
			if n := got.Header.Get("X-Sluice-Attempts"); got.StatusCode != 200 || n != tc.attempts || up.count() != 3 {
				t.Errorf("got status %d, %s attempts and %d requests, want 200, %s and 3", got.StatusCode, n, up.count(), tc.attempts)
			}
			h.attempts.mu.Lock()
			defer h.attempts.mu.Unlock()
			blamed := 0
			for _, a := range h.attempts.list {
				if a.Outcome != "ok" {
					blamed++
				}
			}
			if blamed != tc.blamed {
				t.Errorf("got %d attempts that failed of %v, want %d", blamed, h.attempts.list, tc.blamed)
			}
		})
	}
}
