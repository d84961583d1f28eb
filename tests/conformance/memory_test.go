package conformance

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAnImageOfTenMiBIsHeldOnce: from the caller's connection to the upstream's, where nothing has to be translated.
func TestAnImageOfTenMiBIsHeldOnce(t *testing.T) {
	n := newNode(t)
	chat := `{"model":"%s","messages":[{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,%s"}}]}]}`
	messages := `{"model":"%s","max_tokens":9,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}]}`
	for _, c := range []struct{ path, kind, body string }{
		{"/v1/chat/completions", "openai", chat}, {"/v1/chat/completions", "azure-openai", chat}, {"/v1/messages", "anthropic", messages},
	} {
		var received atomic.Int64
		said := reply{text: "A dot.", stop: "end"}
		answer := said.chat()
		if c.kind == "anthropic" {
			answer = said.message()
		}
		n.serve(c.kind, c.kind, func(w http.ResponseWriter, r *http.Request) {
			size, _ := io.Copy(io.Discard, r.Body)
			received.Store(size)
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answer)
		})
		body := fmt.Sprintf(c.body, c.kind, strings.Repeat("iVBORw0K", 10<<20/8))
		wire := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: node\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", c.path, callerKey, len(body), body)
		least := n.allocated(wire)
		for range 2 { // whatever else goes on in the process allocates too
			least = min(least, n.allocated(wire))
		}
		if want := int64(len(body) - len(c.kind) + len("up")); received.Load() != want {
			t.Errorf("%s: the upstream got %d bytes, want %d", c.kind, received.Load(), want)
		}
		share := float64(least) / float64(len(body))
		t.Logf("%s of %s: %.2f bytes are allocated for each byte of the request", c.path, c.kind, share)
		if share > 1.3 {
			t.Errorf("%s: a request of %d bytes costs %d bytes of memory", c.kind, len(body), least)
		}
	}
}

// allocated sends a request as it is and returns how many bytes were allocated until its answer was there.
func (n *node) allocated(wire []byte) uint64 {
	n.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(n.url, "http://"))
	if err != nil {
		n.t.Fatal(err)
	}
	defer conn.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := conn.Write(wire); err != nil {
		n.t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		n.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		n.t.Fatalf("got %d %s, %v", resp.StatusCode, answer.String(), err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
