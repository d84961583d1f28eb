package serve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/serve"
)

// wire is the raw text of a request for a stream or a whole answer.
func wire(stream bool, headers ...string) string {
	body := fmt.Sprintf(`{"model":"smart","stream":%v}`, stream)
	return "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n" + auth + ": " + bearer + "\r\n" + strings.Join(append(headers, ""), "\r\n") +
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// put writes and flushes.
func put(w http.ResponseWriter, text string) error {
	_, err := io.WriteString(w, text)
	return errors.Join(err, http.NewResponseController(w).Flush())
}

// rest returns that of a stream which begins with an empty event, falls silent until it has left its handler, if it
// does, and then goes on.
func (e *edge) rest(onward func(ctx context.Context, w http.ResponseWriter) dispatch.Result) func(*http.Request) dispatch.Rest {
	return func(r *http.Request) dispatch.Rest {
		ctx := r.Context()
		return func(w http.ResponseWriter) func() dispatch.Result {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			put(w, ":\n")
			return func() dispatch.Result {
				for tick := time.NewTicker(time.Millisecond); !e.attached && !serve.Left(w); <-tick.C {
					if ctx.Err() != nil {
						break
					}
				}
				return onward(ctx, w)
			}
		}
	}
}

// say is a stream of these words, each flushed by itself.
func (e *edge) say(words ...string) func(*http.Request) dispatch.Rest {
	return e.rest(func(ctx context.Context, w http.ResponseWriter) dispatch.Result {
		for _, word := range words {
			if put(w, word) != nil || ctx.Err() != nil {
				return dispatch.Result{Status: 200, Outcome: "client_gone"}
			}
		}
		return dispatch.Result{Status: 200, Outcome: "ok"}
	})
}

// hold is a stream that says nothing until its context ends.
func (e *edge) hold() func(*http.Request) dispatch.Rest {
	return e.rest(func(ctx context.Context, w http.ResponseWriter) dispatch.Result {
		<-ctx.Done()
		if errors.Is(context.Cause(ctx), dispatch.ErrShutdown) {
			put(w, "last words")
			return dispatch.Result{Status: 200, Outcome: "shutdown"}
		}
		return dispatch.Result{Status: 200, Outcome: "client_gone"}
	})
}

// dial connects to the edge.
func (e *edge) dial() (net.Conn, *bufio.Reader) {
	e.t.Helper()
	c, err := net.Dial("tcp", e.Listener.Addr().String())
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return c, bufio.NewReader(c)
}

// answer reads one answer.
func answer(t *testing.T, from *bufio.Reader) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

// ended waits until so many requests have ended, and returns how.
func (e *edge) ended(n int) (outcomes []string) {
	e.t.Helper()
	for range 10_000 {
		e.observer.mu.Lock()
		outcomes = outcomes[:0]
		for _, r := range e.observer.done {
			outcomes = append(outcomes, r.Result.Outcome)
		}
		e.observer.mu.Unlock()
		if len(outcomes) >= n {
			break
		}
		<-time.After(time.Millisecond)
	}
	if len(outcomes) != n {
		e.t.Fatalf("%d requests have ended (%v), want %d", len(outcomes), outcomes, n)
	}
	return outcomes
}

// TestAConnectionServesOneRequestAfterAnother: streams and whole answers in any order, sent one by one or all at
// once and cut into any pieces.
func TestAConnectionServesOneRequestAfterAnother(t *testing.T) {
	e := newEdge(t)
	long := strings.Repeat("a", 70<<10)
	for round := range 40 {
		random := rand.New(rand.NewPCG(uint64(round), 1))
		words := []string{"one", "two", long}[:1+random.IntN(3)]
		e.dispatcher.rest, e.attached = e.say(words...), round%3 == 0
		conn, from := e.dial()
		var asked []bool
		var text strings.Builder
		for range 1 + random.IntN(30) {
			asked = append(asked, random.IntN(3) > 0)
			text.WriteString(wire(asked[len(asked)-1]))
		}
		oneByOne := round%2 == 0
		if !oneByOne {
			go func() {
				for rest := text.String(); rest != ""; {
					n := min(1+random.IntN(600), len(rest))
					if _, err := io.WriteString(conn, rest[:n]); err != nil {
						return // the test has told
					}
					rest = rest[n:]
				}
			}()
		}
		for i, stream := range asked {
			if oneByOne {
				io.WriteString(conn, wire(stream))
			}
			resp, body := answer(t, from)
			want := `{"served":"smart"}`
			if stream {
				want = ":\n" + strings.Join(words, "")
			}
			if resp.StatusCode != 200 || resp.Close || body != want {
				t.Fatalf("round %d, answer %d, stream %v: %d, close %v, %.100q", round, i, stream, resp.StatusCode, resp.Close, body)
			}
		}
		conn.Close()
	}
}

// TestLineEndsBehindAQuestionAreNoQuestion: some clients add them to a body, and RFC 9112, section 2.2, wants them
// passed over.
func TestLineEndsBehindAQuestionAreNoQuestion(t *testing.T) {
	for _, ends := range []string{"\n", "\r\n", "\r\n\r\n"} {
		for _, late := range []bool{false, true} {
			for _, next := range []string{"at once", "later"} {
				e := newEdge(t)
				e.dispatcher.rest = e.say("one")
				conn, from := e.dial()
				question := wire(true)
				first, then := question+ends, ""
				if late { // while the stream has left its handler, or after it
					first, then = question, ends
				}
				if next == "at once" {
					then += question
				}
				io.WriteString(conn, first)
				resp, err := http.ReadResponse(from, nil)
				if err != nil {
					t.Fatal(err)
				}
				for e.streams.Open() == 0 {
					<-time.After(time.Millisecond)
				}
				io.WriteString(conn, then)
				if b, err := io.ReadAll(resp.Body); err != nil || string(b) != ":\none" {
					t.Fatalf("the stream is %q (%v)", b, err)
				}
				if next == "later" {
					io.WriteString(conn, question)
				}
				if resp, body := answer(t, from); resp.StatusCode != 200 || body != ":\none" {
					t.Errorf("%q behind a question, late %v, the next %s: got %d %q", ends, late, next, resp.StatusCode, body)
				}
			}
		}
	}
}

// TestADetachedStreamLooksAsIfItHadStayed, byte for byte.
func TestADetachedStreamLooksAsIfItHadStayed(t *testing.T) {
	raw := func(version string, detached bool, drain bool, headers ...string) string {
		e := newEdge(t)
		e.dispatcher.rest = e.say("one", "two", strings.Repeat("b", 3000))
		e.attached = !detached || version != "HTTP/1.1"
		if !detached { // a handler that is wrapped cannot be taken from
			e.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { e.edge.ServeHTTP(plain{w}, r) })
		}
		if drain {
			e.edge.Drain()
		}
		conn, from := e.dial()
		text := strings.Replace(wire(true, append(headers, "X-Request-Id: id")...), "HTTP/1.1", version, 1)
		io.WriteString(conn, text)
		conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		var got strings.Builder
		closed := "closed"
		if _, err := io.Copy(&got, io.LimitReader(from, 10_000)); errors.Is(err, context.DeadlineExceeded) || isTimeout(err) {
			closed = "open"
		}
		head, body, _ := strings.Cut(strings.TrimPrefix(got.String(), "HTTP/1.1 100 Continue\r\n\r\n"), "\r\n\r\n")
		lines := strings.Split(head, "\r\n")
		slices.Sort(lines)
		lines = slices.DeleteFunc(lines, func(l string) bool {
			date, ok := strings.CutPrefix(l, "Date: ")
			_, err := time.Parse(http.TimeFormat, date)
			return ok && err == nil
		})
		return strings.Join(lines, "\n") + "\n" + body + "\n" + closed
	}
	for name, c := range map[string]struct {
		version string
		drain   bool
		headers []string
	}{
		"as usual":                  {"HTTP/1.1", false, nil},
		"asked to close":            {"HTTP/1.1", false, []string{"Connection: close"}},
		"while draining":            {"HTTP/1.1", true, nil},
		"an old client":             {"HTTP/1.0", false, nil},
		"an old client that stays":  {"HTTP/1.0", false, []string{"Connection: keep-alive"}},
		"a client that would stay":  {"HTTP/1.1", false, []string{"Connection: keep-alive"}},
		"a client that is in doubt": {"HTTP/1.1", false, []string{"Expect: 100-continue"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			detached, stayed := raw(c.version, true, c.drain, c.headers...), raw(c.version, false, c.drain, c.headers...)
			if detached != stayed {
				t.Errorf("got\n%s\nwant\n%s", detached, stayed)
			}
		})
	}
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// plain hides what a writer can besides writing and flushing.
type plain struct{ w http.ResponseWriter }

func (p plain) Header() http.Header         { return p.w.Header() }
func (p plain) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p plain) WriteHeader(status int)      { p.w.WriteHeader(status) }
func (p plain) FlushError() error           { return http.NewResponseController(p.w).Flush() }

func TestASilentStreamEndsWhenItsClientLeaves(t *testing.T) {
	for name, leave := range map[string]func(c net.Conn){
		"by closing":                  func(c net.Conn) { c.Close() },
		"by resetting":                func(c net.Conn) { c.(*net.TCPConn).SetLinger(0); c.Close() },
		"by ending its side":          func(c net.Conn) { c.(*net.TCPConn).CloseWrite() },
		"after a piece of a question": func(c net.Conn) { io.WriteString(c, "P"); c.Close() },
	} {
		e := newEdge(t)
		e.dispatcher.rest = e.hold()
		conn, from := e.dial()
		io.WriteString(conn, wire(true))
		if _, err := http.ReadResponse(from, nil); err != nil {
			t.Fatal(name, err)
		}
		for e.streams.Open() == 0 {
			<-time.After(time.Millisecond)
		}
		leave(conn)
		if strings.Contains(name, "piece") { // whoever talks is not read any more: the next write tells
			e.streams.Cut(dispatch.ErrShutdown)
			e.ended(1)
			continue
		}
		if got := e.ended(1); got[0] != "client_gone" {
			t.Errorf("%s: the stream ended with %v", name, got)
		}
	}
}

// TestTheEndOfAllStreams: those that end in time end whole, the others with their last words, and then there is
// neither a connection nor a goroutine.
func TestTheEndOfAllStreams(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := newEdge(t)
	e.dispatcher.rest = e.say("all")
	idle, fromIdle := e.dial()
	io.WriteString(idle, wire(true))
	answer(t, fromIdle)
	e.dispatcher.rest = e.hold()
	conn, from := e.dial()
	io.WriteString(conn, wire(true))
	resp, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	for e.streams.Open() < 2 { // the idle one is the first
		<-time.After(time.Millisecond)
	}
	limit, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := e.streams.Shutdown(limit); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a stream under way Shutdown returned %v", err)
	}
	if n, err := fromIdle.Read(make([]byte, 1)); n != 0 || err == nil || isTimeout(err) {
		t.Errorf("an idle connection gave %d bytes and %v, want its end", n, err)
	}
	e.streams.Cut(dispatch.ErrShutdown)
	if err := e.streams.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if b, err := io.ReadAll(resp.Body); string(b) != ":\nlast words" || err != nil {
		t.Errorf("the client got %q and %v", b, err)
	}
	if n, err := from.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("after its stream the connection gave %d bytes and %v, want its end", n, err)
	}
	if got := e.ended(2); got[1] != "shutdown" {
		t.Errorf("the requests ended with %v", got)
	}
	if _, err := e.streams.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("afterwards Accept gave %v", err)
	}
	e.Close()
}

// TestAStreamThatComesAfterTheCutIsCut: a stream leaves its handler at any moment.
func TestAStreamThatComesAfterTheCutIsCut(t *testing.T) {
	e := newEdge(t)
	e.dispatcher.rest = e.hold()
	e.streams.Cut(dispatch.ErrShutdown)
	conn, from := e.dial()
	io.WriteString(conn, wire(true))
	if _, body := answer(t, from); body != ":\nlast words" {
		t.Errorf("got %q", body)
	}
}

// TestClientsThatLeaveAtAnyMomentLeaveNothing: inside a question, a head, a stream or between two.
func TestClientsThatLeaveAtAnyMomentLeaveNothing(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := newEdge(t)
	e.attached = true // that is: as it comes
	e.dispatcher.rest = e.rest(func(ctx context.Context, w http.ResponseWriter) dispatch.Result {
		for i := range 50 {
			if i%10 == 0 {
				<-time.After(2 * time.Millisecond)
			}
			if put(w, "word") != nil || ctx.Err() != nil {
				return dispatch.Result{Status: 200, Outcome: "client_gone"}
			}
		}
		return dispatch.Result{Status: 200, Outcome: "ok"}
	})
	asked := strings.Repeat(wire(true)+wire(false), 3)
	clients := make(chan int)
	for range 8 {
		go func() {
			for seed := range clients {
				random := rand.New(rand.NewPCG(uint64(seed), 2))
				conn, err := net.Dial("tcp", e.Listener.Addr().String())
				if err != nil {
					continue
				}
				conn.SetDeadline(time.Now().Add(time.Duration(random.IntN(int(10 * time.Millisecond))))) // and leaves
				io.WriteString(conn, asked[:1+random.IntN(len(asked))])
				io.CopyN(io.Discard, conn, int64(random.IntN(4000)))
				if random.IntN(2) == 0 {
					conn.(*net.TCPConn).SetLinger(0)
				}
				conn.Close()
			}
		}()
	}
	for i := range 400 {
		select {
		case clients <- i:
		case <-time.After(20 * time.Second):
			t.Fatal("the clients wait for answers that do not come")
		}
	}
	close(clients)
	if err := e.streams.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	e.Close()
}

func TestAPanicInAStreamIsAnsweredAsFarAsItCan(t *testing.T) {
	for _, attached := range []bool{false, true} {
		for name, p := range map[string]any{"a bug": "boom", "http.ErrAbortHandler": http.ErrAbortHandler} {
			e := newEdge(t)
			e.attached = attached
			e.dispatcher.rest = e.rest(func(_ context.Context, w http.ResponseWriter) dispatch.Result {
				put(w, "data: {}\n\n")
				panic(p)
			})
			conn, from := e.dial()
			io.WriteString(conn, wire(true))
			resp, err := http.ReadResponse(from, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			b, err := io.ReadAll(resp.Body)
			events, told := strings.CutPrefix(string(b), ":\ndata: {}\n\n")
			if !told || strings.HasPrefix(events, "data: {\"error\":") != (p == "boom") || err == nil {
				t.Errorf("attached %v, %s: the client got %q (%v)", attached, name, b, err)
			}
			if got := e.ended(1); got[0] != "panic" {
				t.Errorf("attached %v, %s: the request ended with %v", attached, name, got)
			}
			if resp, _ := e.send("GET", "/v1/models", "", auth, bearer); resp.StatusCode != 200 {
				t.Errorf("attached %v, %s: afterwards %d", attached, name, resp.StatusCode)
			}
		}
	}
}
