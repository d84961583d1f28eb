package dispatch_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
)

// TestClientsThatGiveUpLeaveNothing: at whatever point they leave, their upstreams hear of it in the same
// moment, no other target is asked, nobody is blamed and no goroutine stays.
func TestClientsThatGiveUpLeaveNothing(t *testing.T) {
	const patience = 500 * time.Millisecond
	tool := `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}}]}` + "\n\n"
	for name, c := range map[string]struct {
		script http.HandlerFunc
		body   string
		status int // as logged
	}{
		"before the head of an answer":   {hang, question, 499},
		"before the head of a stream":    {hang, streamed, 499},
		"after the head of a stream":     {eventsThen(hang), streamed, 499},
		"after the role":                 {eventsThen(hang, role), streamed, 499},
		"inside a whole answer":          {halfAnAnswer, question, 499},
		"inside a stream":                {eventsThen(hang, token("a")), streamed, 200},
		"inside a tool call":             {eventsThen(hang, tool), streamed, 200},
		"while the stream flows":         {every(10*time.Millisecond, 1_000_000), streamed, 200},
		"in the pause before a retry":    {status(429, "{}", "Retry-After", "60"), question, 499},
		"while a second target is tried": {status(500, "{}"), question, 499},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				var mu sync.Mutex
				var late time.Duration // of the last upstream that heard of it
				began := time.Now()
				hear := func(then http.HandlerFunc) http.HandlerFunc {
					return func(w http.ResponseWriter, r *http.Request) {
						then(w, r)
						mu.Lock()
						defer mu.Unlock()
						if r.Context().Err() != nil {
							late = max(late, time.Since(began)-patience)
						}
					}
				}
				second := answer("from b")
				if strings.Contains(name, "second") {
					second = hang
				}
				h := n.gateway(t, options{routing: `,"retry_on_429":true`, model: `,"cooldown":{"duration":"0s"}`}, n.upstream("a", hear(c.script)), n.upstream("b", hear(second)))
				clients := 50
				if name == "after the head of a stream" { // where nothing but the context ends the upstream
					clients = 200
				}
				before := goroutines()
				for range clients {
					go func() {
						ctx, cancel := context.WithTimeout(t.Context(), patience)
						defer cancel()
						if resp, err := h.ask(ctx, c.body); err == nil {
							io.Copy(io.Discard, resp.Body)
							resp.Body.Close()
						}
					}()
				}
				time.Sleep(patience + time.Millisecond)
				synctest.Wait()
				if open := h.attempts.open.Load(); open != 0 || late > 0 {
					t.Errorf("%d requests are open; the last upstream heard of it after %v", open, late)
				}
				h.Client().CloseIdleConnections()
				time.Sleep(2 * time.Minute) // idle connections to upstreams
				if after := goroutines(); after > before {
					t.Errorf("%d goroutines grew to %d", before, after)
				}
				if !strings.Contains(name, "second") && h.upstreams[1].count() != 0 {
					t.Errorf("hits %v, want none on the second target", h.hits())
				}
				for _, r := range h.attempts.requests() {
					if r.Result.Outcome != "client_gone" || r.Result.Status != c.status {
						t.Fatalf("result %+v, want client_gone with status %d", r.Result, c.status)
					}
				}
				if e := h.board.Estimate(h.target("b").Signal, signal.TTFT, time.Now()); e.Failures != 0 {
					t.Errorf("the second target is blamed: %+v", e)
				}
				h.checkQuiet()
			})
		})
	}
}

// goroutines counts those that live. runtime.NumGoroutine also counts some that have just ended.
func goroutines() int {
	buf := make([]byte, 4<<20)
	return bytes.Count(buf[:runtime.Stack(buf, true)], []byte("\ngoroutine "))
}

// halfAnAnswer begins a whole answer and does not end it.
func halfAnAnswer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"choices":[`)
	http.NewResponseController(w).Flush()
	hang(w, r)
}

func TestWhatAClientUsedBeforeItLeftIsCounted(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		usage := `data: {"choices":[{"index":0,"delta":{"content":"x"}}],"usage":{"prompt_tokens":3,"completion_tokens":%d}}` + "\n\n"
		h := n.gateway(t, options{}, n.upstream("a", eventsThen(hang, fmt.Sprintf(usage, 1), fmt.Sprintf(usage, 2), fmt.Sprintf(usage, 3))))
		ctx, leave := context.WithCancel(t.Context())
		resp, err := h.ask(ctx, streamed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(io.Discard, resp.Body, int64(3*len(usage)-3)); err != nil { // a digit for each %d
			t.Fatal(err)
		}
		leave()
		resp.Body.Close()
		synctest.Wait()
		h.checkQuiet()
		if got, want := h.attempts.list[0].Usage, (dispatch.Usage{Prompt: 3, Completion: 3}); got != want {
			t.Errorf("usage %+v, want %+v", got, want)
		}
	})
}

func TestClientsThatLeftGiveTheirRoomBack(t *testing.T) {
	large := strings.Replace(question, "hi", strings.Repeat("a", 900<<10), 1)
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{}, n.upstream("a", append(slices.Repeat([]http.HandlerFunc{hang}, 12), answer("ok"))...))
		for range 12 { // three times what may be held at one time
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			if resp, err := h.ask(ctx, large); err == nil {
				t.Errorf("status %d", resp.StatusCode)
			}
			leave()
			synctest.Wait()
		}
		if got := h.post(large); got.StatusCode != 200 {
			t.Errorf("client got %d %s", got.StatusCode, got.body)
		}
	})
}
