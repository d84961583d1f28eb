package dispatch_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/proxy/serve"
)

// bubble runs a test in fake time, in which hours pass at once and every goroutine has to end. Upstreams,
// gateway and clients are joined by pipes, which hold no byte: what one side writes the other has read. It runs
// the test with streams that leave their handlers, and with streams that stay.
func bubble(t *testing.T, body func(t *testing.T, n *network)) {
	t.Helper()
	for _, attached := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("streams stay with their handlers: %v", attached)
				}
				time.Sleep(time.Minute) // servers linger before they close a connection
			})
			body(t, &network{t: t, attached: attached, hosts: map[string]*pipes{}, broken: map[string]func(context.Context) error{}})
		})
	}
}

// network is the hosts that listen. broken ones cannot be connected to, each in its own way.
type network struct {
	t *testing.T
	// attached: streams stay with their handlers.
	attached bool
	broken   map[string]func(ctx context.Context) error
	mu       sync.Mutex
	hosts    map[string]*pipes
}

// dial connects to a host, whatever the port.
func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if f := n.broken[host]; f != nil {
		return nil, refused(f(ctx))
	}
	n.mu.Lock()
	p := n.hosts[host]
	n.mu.Unlock()
	if p == nil {
		return nil, refused(errors.New("connection refused"))
	}
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, refused(errors.New("connection refused"))
	case <-ctx.Done():
		return nil, refused(ctx.Err())
	}
}

func refused(err error) error { return &net.OpError{Op: "dial", Net: "pipe", Err: err} }

// listen makes a host of that name.
func (n *network) listen(host string) net.Listener {
	p := &pipes{name: host, conns: make(chan net.Conn), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.hosts[host] = p
	return p
}

// serve answers on a listener until the test ends, and counts the connections that it has.
func (n *network) serve(l net.Listener, h http.Handler, more ...net.Listener) *atomic.Int64 {
	open := new(atomic.Int64)
	srv := &http.Server{Handler: h, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0), ConnState: func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		}
	}}
	for _, l := range append(more, l) {
		go srv.Serve(l)
	}
	n.t.Cleanup(func() { srv.Close() })
	return open
}

// pipes is the listener of one host.
type pipes struct {
	name   string
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return pipeAddr(p.name) }

type pipeAddr string

func (a pipeAddr) Network() string { return "pipe" }
func (a pipeAddr) String() string  { return string(a) }

// upstream serves a script as the host of that name.
func (n *network) upstream(host string, script ...http.HandlerFunc) *upstream {
	u := &upstream{Server: &httptest.Server{URL: "http://" + host}, script: script, gone: make(chan struct{}, 10_000)}
	n.serve(n.listen(host), u)
	return u
}

// at is an upstream of which there is only the URL: connections are refused unless the test serves them.
func (n *network) at(url string) *upstream { return &upstream{Server: &httptest.Server{URL: url}} }

// gateway serves in front of upstreams a, b, c ….
func (n *network) gateway(t *testing.T, o options, ups ...*upstream) *harness {
	t.Helper()
	var streams *serve.Streams
	if !n.attached {
		streams = serve.NewStreams(time.Millisecond, 10*time.Minute)
		t.Cleanup(streams.Abort)
	}
	h := assemble(t, o, n.dial, streams, ups...)
	h.Server = &httptest.Server{URL: "http://gateway"}
	transport := &http.Transport{DialContext: n.dial, DisableCompression: true, MaxIdleConnsPerHost: 10_000}
	h.client = &http.Client{Transport: transport}
	h.leaving, h.stop = context.WithCancel(context.Background())
	t.Cleanup(h.stop)
	var more []net.Listener
	if streams != nil {
		more = append(more, streams)
	}
	h.open = n.serve(serve.NewListener(n.listen("gateway")), h.edge, more...)
	t.Cleanup(transport.CloseIdleConnections)
	return h
}

// ask sends a request and returns the answer with its body unread. h.stop makes the client leave.
func (h *harness) ask(ctx context.Context, body string) (*http.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(h.leaving, cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+callerKey)
	return h.Client().Do(req)
}

// cut closes the connection without a word.
func cut(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	conn.Close()
}

// readAll returns what is left of an answer, and how it ended.
func readAll(resp *http.Response) (string, error) {
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}
