package dispatch_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheUpstreamIsReadNoFasterThanTheClientReads(t *testing.T) {
	const streams, ahead = 20, 256 << 10
	bubble(t, func(t *testing.T, n *network) {
		var sent, read atomic.Int64
		h := n.gateway(t, options{}, n.upstream("a", endless(&sent)))
		var clients sync.WaitGroup
		for range streams {
			resp, err := h.ask(t.Context(), streamed)
			if err != nil {
				t.Fatal(err)
			}
			clients.Go(func() {
				defer resp.Body.Close()
				for b := make([]byte, 4<<10); ; {
					got, err := resp.Body.Read(b)
					read.Add(int64(got))
					if err != nil {
						return
					}
					time.Sleep(time.Second)
				}
			})
		}
		for range 40 {
			time.Sleep(3 * time.Second)
			synctest.Wait()
			if held := sent.Load() - read.Load(); held > streams*ahead {
				t.Fatalf("%d bytes of %d streams are between upstream and clients, want at most %d each", held, streams, ahead)
			}
		}
		if read.Load() < streams*16<<10 {
			t.Errorf("clients got %d bytes, want some more", read.Load())
		}
		h.stop()
		clients.Wait()
	})
}

// heap returns the bytes in use once everything has come to rest.
func heap() int64 {
	synctest.Wait()
	runtime.GC()
	runtime.GC() // what pools hold survives one
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestAStreamTakesTheSameMemoryHoweverLongItIs(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{}, n.upstream("a", endless(new(atomic.Int64))))
		resp, err := h.ask(t.Context(), streamed)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		pass := func(size int64) int64 {
			if _, err := io.CopyN(io.Discard, resp.Body, size); err != nil {
				t.Fatal(err)
			}
			return heap()
		}
		before := pass(1 << 20)
		if grown := pass(8<<20) - before; grown > 1<<20 {
			t.Errorf("after 8 MiB more of one stream %d bytes more are in use", grown)
		}
	})
}

// TestABodyIsHeldOnce: however many attempts it takes, and whatever is held of other requests.
func TestABodyIsHeldOnce(t *testing.T) {
	const bodies, size = 4, 900 << 10
	large := `{"model":"r","messages":[{"role":"user","content":"` + strings.Repeat("a", size) + `"}]}`
	bubble(t, func(t *testing.T, n *network) {
		var holding atomic.Int64
		for host, then := range map[string]http.HandlerFunc{"a": status(500, "{}"), "b": status(500, "{}"), "c": hang} {
			n.serve(n.listen(host), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got, _ := io.Copy(io.Discard, r.Body)
				if got != int64(len(large)+len("up-a")-len("r")) {
					t.Errorf("%s got %d bytes", host, got)
				}
				if host == "c" {
					holding.Add(1)
				}
				then(w, r)
			}))
		}
		h := n.gateway(t, options{routing: `,"retries":0`, model: `,"cooldown":{"duration":"0s"}`}, n.at("http://a"), n.at("http://b"), n.at("http://c"))
		before := heap()
		var clients sync.WaitGroup
		for range bodies {
			clients.Go(func() {
				if resp, err := h.ask(t.Context(), large); err == nil {
					resp.Body.Close()
				}
			})
		}
		held := heap() - before
		if holding.Load() != bodies {
			t.Fatalf("%d requests are at the third target, want %d", holding.Load(), bodies)
		}
		if held > bodies*size*3/2 {
			t.Errorf("%d bytes in use for bodies of %d bytes", held, bodies*size)
		}
		// Beyond the sum that may be held at one time a client is told to come back.
		resp, err := h.ask(t.Context(), large)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := readAll(resp); resp.StatusCode != 503 || resp.Header.Get("Retry-After") == "" {
			t.Errorf("with the room full: %d %s, headers %v", resp.StatusCode, body, resp.Header)
		}
		h.stop()
		clients.Wait()
	})
}

func TestALargeRequestIsNeitherCutNorLogged(t *testing.T) {
	const secret = "what the caller asks"
	large := `{"model":"r","messages":[{"role":"user","content":"` + secret + strings.Repeat("a", 900<<10) + `"}]}`
	a, b := newUpstream(t, status(500, `{"error":{"message":"no"}}`)), newUpstream(t, answer(secret))
	h := gateway(t, options{routing: `,"retries":0`}, a, b)
	if got := h.post(large); got.StatusCode != 200 {
		t.Fatalf("client got %d", got.StatusCode)
	}
	for _, u := range h.upstreams {
		if len(u.bodies[0]) != len(large)+3 || !strings.HasSuffix(u.bodies[0], large[len(large)-1000:]) {
			t.Errorf("the upstream got %d bytes of %d", len(u.bodies[0]), len(large))
		}
	}
	if log := h.log.String(); strings.Contains(log, secret) || len(log) > 8<<10 {
		t.Errorf("the log has %d bytes, with the prompt: %v", len(log), strings.Contains(log, secret))
	}
}
