package dispatch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// parrot is an upstream that streams the caller's own word three times and then waits before it ends.
func parrot(before func()) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ User string }
		json.NewDecoder(r.Body).Decode(&asked)
		eventsThen(func(w http.ResponseWriter, _ *http.Request) {
			before()
			io.WriteString(w, stop+done)
		}, role, token(asked.User), token(asked.User), token(asked.User))(w, r)
	})
}

// TestCancelTimeoutAndEndInOneMoment: a thousand streams whose client leaves, whose idle timeout passes and
// whose upstream ends them, all at the same instant. Whoever wins, each client has its own words and at
// most one end, and buffers that were given back are nobody else's.
func TestCancelTimeoutAndEndInOneMoment(t *testing.T) {
	const streams, after, moment = 1000, 200, time.Second
	bubble(t, func(t *testing.T, n *network) {
		n.serve(n.listen("a"), parrot(func() { time.Sleep(moment) }))
		h := n.gateway(t, options{model: `,"timeouts":{"idle":"1s"}`}, n.at("http://a"))
		ways := map[string]int{}
		var mu sync.Mutex
		round := func(streams int, leave bool) {
			var clients sync.WaitGroup
			for i := range streams {
				clients.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if leave {
						time.AfterFunc(moment, cancel)
					}
					word := fmt.Sprintf("w%04d.", i)
					resp, err := h.ask(ctx, strings.Replace(streamed, `"stream"`, `"user":"`+word+`","stream"`, 1))
					if err != nil {
						t.Errorf("stream %d: %v", i, err)
						return
					}
					body, err := readAll(resp)
					rest, own := strings.CutPrefix(body, role+strings.Repeat(token(word), 3))
					way := ""
					switch {
					case rest == stop+done && err == nil:
						way = "ended"
					case strings.HasPrefix(rest, `data: {"error":`) && strings.Count(rest, "\n\n") == 1 && err == nil:
						way = "timed out"
					case ctx.Err() != nil && err != nil:
						way = "left"
					}
					if !own || way == "" {
						t.Errorf("stream %d got %q (%v)", i, body, err)
					}
					mu.Lock()
					defer mu.Unlock()
					ways[way]++
				})
			}
			clients.Wait()
			synctest.Wait()
			h.checkQuiet()
		}
		round(streams, true)
		round(after, false)
		if ways["ended"] == 0 || ways["timed out"] == 0 || ways["left"] == 0 || len(ways) != 3 {
			t.Errorf("streams ended %v, want some in each way", ways)
		}
		if got := len(h.attempts.list); got != streams+after {
			t.Errorf("%d attempts were reported, want one a stream", got)
		}
	})
}

// TestRequestsDoNotMix: a thousand callers at once, each with its own words, whole and streaming, large and
// small, through targets that fail in every way.
func TestRequestsDoNotMix(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var turn atomic.Int64
		n.serve(n.listen("a"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			ways := []http.HandlerFunc{status(500, `{"error":{"message":"no"}}`), cut, events(role), status(200, "<html>"), status(429, "{}")}
			ways[turn.Add(1)%int64(len(ways))](w, r)
		}))
		n.serve(n.listen("b"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var asked struct {
				User   string
				Stream bool
			}
			json.NewDecoder(r.Body).Decode(&asked)
			if asked.Stream {
				events(role, token(asked.User), token(asked.User), stop, done)(w, r)
				return
			}
			answer(asked.User)(w, r)
		}))
		h := n.gateway(t, options{model: `,"cooldown":{"duration":"0s"}`}, n.at("http://a"), n.at("http://b"))
		var clients sync.WaitGroup
		for i := range 1000 {
			clients.Go(func() {
				word, body := fmt.Sprintf("w%04d.", i)+strings.Repeat("x", i%7*500), question
				if i%2 == 0 {
					body = streamed
				}
				resp, err := h.ask(t.Context(), strings.Replace(body, `"messages"`, `"user":"`+word+`","messages"`, 1))
				if err != nil {
					t.Errorf("request %d: %v", i, err)
					return
				}
				got, err := readAll(resp)
				want := role + token(word) + token(word) + stop + done
				if i%2 != 0 {
					want = `"content":"` + word + `"`
				}
				if err != nil || resp.StatusCode != 200 || !strings.Contains(got, want) || strings.Count(got, "w0")+strings.Count(got, "w1") > 2 {
					t.Errorf("request %d got %d %q (%v)", i, resp.StatusCode, got, err)
				}
			})
		}
		clients.Wait()
		h.checkQuiet()
		if e := h.board.Estimate(h.target("b").Signal, signal.Total, time.Now()); e.Failures != 0 {
			t.Errorf("the good target is blamed: %+v", e)
		}
	})
}
