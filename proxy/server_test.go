package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// pipes is a listener without a network, for tests in fake time.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, &net.OpError{Op: "dial", Err: net.ErrClosed}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// served is a node's API in a bubble, over one model "m" of an upstream.
type served struct {
	t      *testing.T
	node   *Node
	api    *pipes
	client *http.Client
	stop   context.CancelFunc
	done   chan error
}

func serveInBubble(t *testing.T, cfg Config, upstream http.HandlerFunc) *served {
	t.Helper()
	t.Cleanup(func() { time.Sleep(time.Minute) }) // servers linger before they close a connection
	st, err := store.Open(store.Config{Endpoints: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	behind := newPipes()
	up := &http.Server{Handler: upstream}
	go up.Serve(behind)
	cfg.Store, cfg.dial = st, behind.dial
	s := &served{t: t, node: New(cfg), api: newPipes(), done: make(chan error, 1)}
	background, end := context.WithCancel(context.Background())
	go s.node.holder.Run(background)
	sum := sha256.Sum256([]byte("key"))
	image := store.Image{Revision: 1, Items: map[core.Ref]store.Item{}}
	for ref, value := range map[core.Ref]string{
		{Kind: core.KindProvider, ID: "p"}: `{"id":"p","kind":"openai","base_url":"http://upstream"}`,
		{Kind: core.KindModel, ID: "m"}:    `{"id":"m","provider":"p","upstream_model":"u"}`,
		{Kind: core.KindAPIKey, ID: "k"}:   `{"id":"k","key_sha256":"` + hex.EncodeToString(sum[:]) + `","allowed_models":["*"]}`,
	} {
		image.Items[ref] = store.Item{Value: []byte(value), Modified: 1}
	}
	s.node.holder.Offer(image)
	synctest.Wait()
	transport := &http.Transport{DialContext: s.api.dial}
	s.client = &http.Client{Transport: transport}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go func() { s.done <- s.node.serveAPI(ctx, background, s.api) }()
	t.Cleanup(func() {
		stop()
		<-s.done
		s.node.pools.Close()
		transport.CloseIdleConnections()
		up.Close()
		end()
		st.Close()
	})
	return s
}

func (s *served) ask(body string) (*http.Response, error) {
	req, err := http.NewRequest("POST", "http://node/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer key")
	return s.client.Do(req)
}

const chunk = `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n"
const lastChunk = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

// forSeconds streams a token a second.
func forSeconds(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !bytes.Contains(body, []byte(`"stream":true`)) {
			io.WriteString(w, `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for range n {
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
				return
			}
			io.WriteString(w, chunk)
			http.NewResponseController(w).Flush()
		}
		io.WriteString(w, lastChunk)
	}
}

func TestANodesServerCutsNoStreamThatFlows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const seconds = 550 // within the ten minutes that a request has by default
		s := serveInBubble(t, Config{}, forSeconds(seconds))
		resp, err := s.ask(`{"model":"m","stream":true}`)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || strings.Count(string(b), chunk) != seconds || !strings.HasSuffix(string(b), lastChunk) {
			t.Errorf("%d tokens of %d (%v)", strings.Count(string(b), chunk), seconds, err)
		}
	})
}

func TestANodesServerGivesUpOnClientsThatSayOrTakeNothing(t *testing.T) {
	const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: node\r\nAuthorization: Bearer key\r\n"
	for name, sent := range map[string]string{
		"nothing is sent":              "",
		"half a head is sent":          head,
		"half a body is sent":          head + "Content-Length: 100\r\n\r\n{\"model\":",
		"half a body without a key":    "POST /v1/chat/completions HTTP/1.1\r\nHost: node\r\nContent-Length: 100\r\n\r\n{\"model\":",
		"half a body for no path":      "PUT /x HTTP/1.1\r\nHost: node\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"half a body of a list":        "GET /v1/models HTTP/1.1\r\nHost: node\r\nAuthorization: Bearer key\r\nContent-Length: 100\r\n\r\n{",
		"the answer is not read":       head + "Content-Length: 13\r\n\r\n{\"model\":\"m\"}",
		"the refusal is not read":      "GET / HTTP/1.1\r\nHost: node\r\n\r\n",
		"the stream is not read":       head + "Content-Length: 27\r\n\r\n{\"model\":\"m\",\"stream\":true}",
		"the next request never comes": "GET / HTTP/1.1\r\nHost: node\r\n\r\n",
		"the next stream is not read":  head + "Content-Length: 27\r\n\r\n{\"model\":\"m\",\"stream\":true}",
		"nothing comes after a stream": head + "Content-Length: 27\r\n\r\n{\"model\":\"m\",\"stream\":true}",
	} {
		synctest.Test(t, func(t *testing.T) {
			seconds := 1000
			if name == "the next stream is not read" || name == "nothing comes after a stream" {
				seconds = 1
			}
			s := serveInBubble(t, Config{}, forSeconds(seconds))
			conn, err := s.api.dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			go io.WriteString(conn, sent)
			if strings.Contains(name, "next") || strings.Contains(name, "after") {
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
			}
			if name == "the next stream is not read" { // nor anything else, right after an answer that was
				io.WriteString(conn, sent)
			}
			time.Sleep(150 * time.Second)
			synctest.Wait()
			conn.SetDeadline(time.Now().Add(time.Second))
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("%s: the connection is open after two and a half minutes: %v", name, err)
			}
		})
	}
}

// TestAClientGoesOnUsingItsConnection, after streams that have left their handlers too, and for as long as the node
// keeps a connection that is idle.
func TestAClientGoesOnUsingItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveInBubble(t, Config{}, forSeconds(3))
		var reused []bool
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { reused = append(reused, c.Reused) }})
		for _, stream := range []bool{true, true, false, true, false} {
			req, err := http.NewRequestWithContext(ctx, "POST", "http://node/v1/chat/completions", strings.NewReader(fmt.Sprintf(`{"model":"m","stream":%v}`, stream)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer key")
			resp, err := s.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
				t.Errorf("status %d, %v", resp.StatusCode, err)
			}
			resp.Body.Close()
			time.Sleep(idleLimit - time.Second)
		}
		if want := []bool{false, true, true, true, true}; !slices.Equal(reused, want) {
			t.Errorf("connections were used again: %v, want %v", reused, want)
		}
	})
}

func TestADrainingNodeServesWhatStillComesAndEndsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serveInBubble(t, Config{Drain: time.Minute, Settle: 3 * time.Second}, forSeconds(20))
		resp, err := s.ask(`{"model":"m","stream":true}`)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		time.Sleep(5 * time.Second)
		s.stop()
		synctest.Wait()
		if r := s.node.report(time.Now()); r.Ready || !r.Draining {
			t.Errorf("the node says ready %v, draining %v", r.Ready, r.Draining)
		}
		for range 3 { // while load balancers notice
			late, err := s.ask(`{"model":"m"}`)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(late.Body)
			late.Body.Close()
			if late.StatusCode != 200 || !late.Close {
				t.Errorf("a new request got %d %s, connection kept: %v", late.StatusCode, b, !late.Close)
			}
			time.Sleep(900 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if late, err := s.ask(`{"model":"m"}`); err == nil {
			late.Body.Close()
			t.Errorf("after the settling time a new connection was accepted, status %d", late.StatusCode)
		}
		b, err := io.ReadAll(resp.Body)
		if err != nil || strings.Count(string(b), chunk) != 20 || !strings.HasSuffix(string(b), lastChunk) {
			t.Errorf("the stream ended %q (%v), want its whole end", b, err)
		}
		if err := <-s.done; err != nil {
			t.Errorf("the node ended with %v", err)
		}
		s.done <- nil
	})
}

func TestTheDrainLimitEndsEverythingWithWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte(`"stream":true`)) {
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, chunk)
				http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		}
		s := serveInBubble(t, Config{Drain: 10 * time.Second, Settle: time.Second}, hang)
		ends := make(chan string, 20)
		for i := range 20 {
			go func() {
				resp, err := s.ask(fmt.Sprintf(`{"model":"m","stream":%v}`, i%2 == 0))
				if err != nil {
					ends <- err.Error()
					return
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				ends <- fmt.Sprint(resp.StatusCode, " ", string(b), " ", err)
			}()
		}
		synctest.Wait()
		began := time.Now()
		s.stop()
		if err := <-s.done; err != nil {
			t.Errorf("the node ended with %v", err)
		}
		s.done <- nil
		if took := time.Since(began); took < 11*time.Second || took > 13*time.Second {
			t.Errorf("the drain took %v, want the settling time and the limit", took)
		}
		for range 20 {
			end := <-ends
			stream := strings.HasPrefix(end, "200 "+chunk+`data: {"error":`) && strings.HasSuffix(end, "<nil>") && !strings.Contains(end, "[DONE]")
			whole := strings.HasPrefix(end, `503 {"error":`) && strings.HasSuffix(end, "<nil>")
			if !stream && !whole {
				t.Errorf("a client got %q, want one error event or a 503", end)
			}
		}
	})
}
