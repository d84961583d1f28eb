package dispatch_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// every sends n tokens, the gap before each, and ends in order.
func every(gap time.Duration, n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range n {
			select {
			case <-time.After(gap):
			case <-r.Context().Done():
				return
			}
			io.WriteString(w, token(fmt.Sprint(i)))
			http.NewResponseController(w).Flush()
		}
		io.WriteString(w, stop+done)
	}
}

func TestAStreamThatFlowsIsNeverCut(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		const gap, tokens = 50 * time.Second, 500 // 7 hours; the defaults allow a minute of silence
		h := n.gateway(t, options{routing: `,"deadline":"0s"`, model: `,"timeouts":{"attempt":"0s"}`}, n.upstream("a", every(gap, tokens)))
		got := h.post(streamed)
		if got.err != nil || strings.Count(got.body, `"content":`) != tokens || !strings.HasSuffix(got.body, stop+done) {
			t.Errorf("after %v: %d tokens, error %v, want all of %d", gap*tokens, strings.Count(got.body, `"content":`), got.err, tokens)
		}
		h.checkQuiet()
	})
}

// endless sends events of a kilobyte until nobody takes them, and counts their bytes.
func endless(sent *atomic.Int64) http.HandlerFunc {
	event := token(strings.Repeat("x", 1<<10))
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			n, err := io.WriteString(w, event)
			sent.Add(int64(n))
			if err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}
}

func whole(size int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { answer(strings.Repeat("x", size))(w, r) }
}

// begin sends a request on a connection of its own, of which nothing is read.
func (h *harness) begin(n *network, body string) net.Conn {
	h.t.Helper()
	conn, err := n.dial(h.t.Context(), "pipe", "gateway:80")
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { conn.Close() })
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", callerKey, len(body), body)
	return conn
}

// TestAClientThatStopsReadingIsGivenUp: whatever it has asked for and however far it got, nothing of its
// request is left, and no target is blamed.
func TestAClientThatStopsReadingIsGivenUp(t *testing.T) {
	const half = 512 << 10
	for name, c := range map[string]struct {
		script http.HandlerFunc
		body   string
		read   int // bytes that the client reads before it stops
	}{
		"a stream at once":        {endless(new(atomic.Int64)), streamed, 0},
		"a stream after a while":  {endless(new(atomic.Int64)), streamed, half},
		"the end of a stream":     {every(time.Second, 1), streamed, len(token("0"))},
		"a small answer":          {whole(10), question, 0},
		"an answer of 5 KiB":      {whole(5 << 10), question, 0},
		"a large answer":          {whole(900 << 10), question, 0},
		"half of a large answer":  {whole(900 << 10), question, half},
		"an upstream's error":     {status(400, "{}"), question, 0},
		"a refusal of the edge":   {whole(10), `{"model":"none"}`, 0},
		"an error after a stream": {eventsThen(cut, token("a")), streamed, len(token("a"))},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				a := n.upstream("a", c.script)
				h := n.gateway(t, options{}, a, n.upstream("b", answer("from b")))
				conn := h.begin(n, c.body)
				if c.read > 0 {
					resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := io.ReadFull(resp.Body, make([]byte, c.read)); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if requests, conns := h.attempts.open.Load(), h.open.Load(); requests != 0 || conns != 0 {
					t.Errorf("%d requests and %d connections are open a minute after their client stopped reading", requests, conns)
				}
				if h.upstreams[1].count() != 0 {
					t.Error("a second target was asked")
				}
				if e := h.board.Estimate(h.target("a").Signal, signal.TTFT, time.Now()); e.Failures != 0 && name != "an error after a stream" {
					t.Errorf("the target is blamed: %+v", e)
				}
				h.checkQuiet()
			})
		})
	}
}

func TestAClientThatReadsSlowlyGetsEverything(t *testing.T) {
	for name, c := range map[string]struct {
		script http.HandlerFunc
		body   string
	}{
		"a whole answer":  {whole(1000 << 10), question},
		"one large event": {events(token(strings.Repeat("x", 1000<<10)), stop, done), streamed},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				h := n.gateway(t, options{}, n.upstream("a", c.script))
				resp, err := h.ask(t.Context(), c.body)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				got := 0
				for b := make([]byte, 8<<10); ; {
					n, err := resp.Body.Read(b)
					got += n
					time.Sleep(time.Second)
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatalf("after %d bytes: %v", got, err)
					}
				}
				if got < 1000<<10 {
					t.Errorf("got %d bytes", got)
				}
			})
		})
	}
}

// TestEveryTimeoutOfASoleTargetIsA504 after exactly the time allowed, and counts as a failure that took
// that long.
func TestEveryTimeoutOfASoleTargetIsA504(t *testing.T) {
	for name, c := range map[string]struct {
		script http.HandlerFunc
		body   string
		opts   options
		took   time.Duration
	}{
		"first token, no head":          {hang, streamed, options{model: `,"timeouts":{"first_token":"2s"}`}, 2 * time.Second},
		"first token, only a head":      {eventsThen(hang), streamed, options{model: `,"timeouts":{"first_token":"2s"}`}, 2 * time.Second},
		"first token, only a role":      {eventsThen(hang, role), streamed, options{model: `,"timeouts":{"first_token":"2s"}`}, 2 * time.Second},
		"first token, by default":       {eventsThen(hang, role), streamed, options{}, time.Minute},
		"attempt, no head":              {hang, question, options{model: `,"timeouts":{"attempt":"3s"}`}, 3 * time.Second},
		"attempt, half an answer":       {halfAnAnswer, question, options{model: `,"timeouts":{"attempt":"3s"}`}, 3 * time.Second},
		"attempt, half an error":        {halfAnError, question, options{model: `,"timeouts":{"attempt":"3s"}`}, 3 * time.Second},
		"deadline":                      {hang, question, options{routing: `,"deadline":"4s"`}, 4 * time.Second},
		"deadline, of a stream":         {eventsThen(hang, role), streamed, options{routing: `,"deadline":"4s"`}, 4 * time.Second},
		"attempt, over its first token": {eventsThen(hang), streamed, options{model: `,"timeouts":{"first_token":"9s","attempt":"5s"}`}, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				h := n.gateway(t, c.opts, n.upstream("a", c.script))
				class := signal.Total
				if c.body == streamed {
					class = signal.TTFT
				}
				began := time.Now()
				h.board.Succeed(h.target("a").Signal, class, time.Millisecond, 0, began)
				got := h.post(c.body)
				if _, code, _ := got.apiError(t); got.StatusCode != 504 || code != "upstream_timeout" || time.Since(began) != c.took {
					t.Errorf("after %v client got %d %s, want 504 after %v", time.Since(began), got.StatusCode, got.body, c.took)
				}
				synctest.Wait()
				e := h.board.Estimate(h.target("a").Signal, class, time.Now())
				if e.Failures == 0 || e.Latency < c.took.Seconds()/2 || len(h.upstreams[0].gone) != 1 {
					t.Errorf("estimate %+v, want a failure that took %v beside an answer of a millisecond; %d upstreams heard of it", e, c.took, len(h.upstreams[0].gone))
				}
				h.checkQuiet()
			})
		})
	}
}

// halfAnError begins an error's body and does not end it.
func halfAnError(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusBadRequest)
	io.WriteString(w, `{"error":`)
	http.NewResponseController(w).Flush()
	hang(w, r)
}

// TestSilenceInsideAStreamIsToldAfterTheIdleTime: it counts from the last event.
func TestSilenceInsideAStreamIsToldAfterTheIdleTime(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{model: `,"timeouts":{"idle":"2s"}`}, n.upstream("a", eventsThen(func(w http.ResponseWriter, r *http.Request) {
			for range 3 {
				time.Sleep(1900 * time.Millisecond)
				io.WriteString(w, token("x"))
				http.NewResponseController(w).Flush()
			}
			hang(w, r)
		}, token("x"))), n.upstream("b", answer("from b")))
		began := time.Now()
		got := h.post(streamed)
		if want := 3*1900*time.Millisecond + 2*time.Second; time.Since(began) != want {
			t.Errorf("ended after %v, want %v", time.Since(began), want)
		}
		if !strings.HasPrefix(got.body, strings.Repeat(token("x"), 4)+`data: {"error":`) || strings.Contains(got.body, "[DONE]") || h.upstreams[1].count() != 0 {
			t.Errorf("client got %q, hits %v", got.body, h.hits())
		}
		h.checkQuiet()
	})
}
