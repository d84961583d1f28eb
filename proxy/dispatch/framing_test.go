package dispatch_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnEventOfAnySizePassesWhole(t *testing.T) {
	for _, size := range []int{4<<10 - 60, 4 << 10, 64<<10 - 60, 64 << 10, 70_000, 256 << 10, 1<<20 - 200} {
		long := token(strings.Repeat("a", size))
		h := gateway(t, options{}, newUpstream(t, events(role, long, long, stop, done)))
		if got := h.post(streamed); got.body != role+long+long+stop+done || got.err != nil {
			t.Errorf("an event with %d bytes of content: client got %d bytes (%v), want %d", size, len(got.body), got.err, len(role+long+long+stop+done))
		}
	}
}

// TestOnlyEventsWithDataReachTheClient: SDKs dispatch an event at every blank line once they have seen an id
// or a name, and fail on its empty data.
func TestOnlyEventsWithDataReachTheClient(t *testing.T) {
	noise := []string{
		": ping\n\n", ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n", "retry: 3000\n\n", "id: 7\n\n", "event: x\n\n", "\n\n", ":\n",
		"data:\n\n", "data\n\n", "id: 7\nretry: 1\n: c\n\n", ": keepalive\r\n\r\n", "\r\r", "foo: bar\n\n",
	}
	want := role + token("a") + token("b") + stop + done
	check := func(t *testing.T, what string, parts ...string) {
		t.Helper()
		h := gateway(t, options{}, newUpstream(t, events(parts...)))
		if got := h.post(streamed); got.body != want || got.err != nil {
			t.Errorf("%s: client got %q (%v), want %q", what, got.body, got.err, want)
		}
	}
	for _, n := range noise {
		check(t, n, n, role, n, token("a"), n, token("b"), n, stop, n, done)
		check(t, n+" in one read", n+role+n+token("a")+n+token("b")+n+stop+n+done)
	}
	check(t, "an id before each event", "id: 1\n"+role, "id: 2\n"+token("a"), "retry: 5\n"+token("b"), ": c\n"+stop, "id: 3\n"+done)
}

func TestEveryWayToWriteAStreamIsRelayedAlike(t *testing.T) {
	plain := role + token("é😀") + stop + done
	for name, sent := range map[string]string{
		"line feeds":         plain,
		"carriage returns":   strings.ReplaceAll(plain, "\n", "\r"),
		"both":               strings.ReplaceAll(plain, "\n", "\r\n"),
		"mixed":              strings.Replace(strings.ReplaceAll(plain, "\n\n", "\r\n\n"), "\r\n\n", "\n\r\n", 1),
		"no space":           strings.ReplaceAll(plain, "data: ", "data:"),
		"a byte order mark":  "\ufeff" + plain,
		"[DONE] with blanks": strings.Replace(plain, "[DONE]", " [DONE] ", 1),
		"no blank line":      strings.TrimSuffix(plain, "\n\n"),
	} {
		for way, parts := range map[string][]string{"in one write": {sent}, "byte by byte": strings.Split(sent, "")} {
			bubble(t, func(t *testing.T, n *network) {
				if way == "byte by byte" { // of the bytes, not of the characters
					parts = nil
					for i := range len(sent) {
						parts = append(parts, sent[i:i+1])
					}
				}
				h := n.gateway(t, options{}, n.upstream("a", events(parts...)))
				got := h.post(streamed)
				if got.err != nil || strings.Replace(got.body, " [DONE] ", "[DONE]", 1) != plain {
					t.Errorf("%s, %s: client got %q (%v), want %q", name, way, got.body, got.err, plain)
				}
			})
		}
	}
}

func TestAnUpstreamThatStaysOpenAfterTheEndIsLetGo(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		a := n.upstream("a", eventsThen(hang, token("a"), stop, done))
		h := n.gateway(t, options{}, a)
		began := time.Now()
		if got := h.post(streamed); got.body != token("a")+stop+done || got.err != nil {
			t.Errorf("client got %q (%v)", got.body, got.err)
		}
		synctest.Wait()
		if took := time.Since(began); took > 100*time.Millisecond || len(a.gone) != 1 {
			t.Errorf("client and upstream were held for %v; %d upstream connections closed", took, len(a.gone))
		}
		if r := h.attempts.requests()[0].Result; r.Outcome != "ok" {
			t.Errorf("result %+v", r)
		}
		h.checkQuiet()
	})
}

// TestWhatIsHeldBackIsBounded: a stream that talks a lot without content is committed before it fills the
// memory, and then tells of its end as any other.
func TestWhatIsHeldBackIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		many := strings.Repeat(role, 1000) // 90 KiB
		next := make(chan struct{})
		h := n.gateway(t, options{}, n.upstream("a", eventsThen(func(w http.ResponseWriter, r *http.Request) { <-next; cut(w, r) }, many)), n.upstream("b", answer("from b")))
		resp, err := h.ask(t.Context(), streamed)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 60<<10)); err != nil { // while the upstream says no more
			t.Fatal(err)
		}
		close(next)
		if rest, err := readAll(resp); err != nil || !strings.Contains(rest, `data: {"error":`) || h.upstreams[1].count() != 0 {
			t.Errorf("the rest is %q (%v), hits %v", rest[max(0, len(rest)-300):], err, h.hits())
		}
	})
}

func TestOddChunksAroundTheUsagePass(t *testing.T) {
	chunk := func(data string) string { return "data: " + data + "\n\n" }
	usage := func(n string) string {
		return chunk(`{"id":"x","choices":[],"usage":{"prompt_tokens":` + n + `,"completion_tokens":` + n + `}}`)
	}
	empty, cost, null := chunk(`{"id":"","model":"","choices":[]}`), chunk(`{"choices":[],"cost":"0"}`), chunk(`{"choices":[],"usage":null}`)
	for name, parts := range map[string][]string{
		"usage last":                {token("a"), stop, empty, usage("7"), done},
		"a cost after it":           {token("a"), stop, empty, usage("7"), cost, done},
		"a null after it":           {token("a"), stop, usage("7"), null, done},
		"usage before the end":      {usage("7"), token("a"), stop, null, done},
		"usage twice, the last one": {usage("3"), token("a"), stop, usage("7"), empty, done},
		"choices that are none":     {token("a"), chunk(`{"choices":null}`), chunk(`{"choices":[null]}`), chunk(`{}`), chunk(`[]`), stop, usage("7"), done},
	} {
		h := gateway(t, options{}, newUpstream(t, events(parts...)))
		if got := h.post(streamed); got.body != strings.Join(parts, "") {
			t.Errorf("%s: client got %q, want %q", name, got.body, strings.Join(parts, ""))
		}
		if u := h.attempts.list[0].Usage; u.Prompt != 7 || u.Completion != 7 {
			t.Errorf("%s: usage %+v, want 7 and 7", name, u)
		}
	}
}
