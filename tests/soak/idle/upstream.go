package idle

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// Upstream answers each request with the start of a stream and leaves it open until the other side goes.
type Upstream struct {
	listener net.Listener
	serving  sync.WaitGroup
	slots    chan struct{}

	mu   sync.Mutex
	open []net.Conn
}

// readers bounds how many connections are served their first token at one time.
const readers = 64

// start is a role-only chunk and one token, as one piece.
const start = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

var events = "data: " + chunk(`{"role":"assistant","content":""}`) + "\n\ndata: " + chunk(`{"content":"wait"}`) + "\n\n"

func chunk(delta string) string {
	return `{"id":"chatcmpl-idle","object":"chat.completion.chunk","created":1,"model":"idle","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
}

// Listen starts an Upstream on a free port.
func Listen() (*Upstream, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	u := &Upstream{listener: l, slots: make(chan struct{}, readers)}
	u.serving.Go(u.accept)
	return u, nil
}

// URL is the base URL of the upstream.
func (u *Upstream) URL() string { return "http://" + u.listener.Addr().String() + "/v1" }

func (u *Upstream) accept() {
	for {
		conn, err := u.listener.Accept()
		if err != nil {
			return
		}
		u.slots <- struct{}{}
		u.serving.Go(func() {
			defer func() { <-u.slots }()
			u.begin(conn)
		})
	}
}

func (u *Upstream) begin(conn net.Conn) {
	u.mu.Lock()
	u.open = append(u.open, conn)
	u.mu.Unlock()
	req, err := http.ReadRequest(bufio.NewReader(conn))
	if err == nil {
		_, err = io.Copy(io.Discard, req.Body)
	}
	if err == nil {
		_, err = fmt.Fprintf(conn, "%s%x\r\n%s\r\n", start, len(events), events)
	}
	if err != nil {
		conn.Close()
	}
}

// HangUp closes every stream that is open.
func (u *Upstream) HangUp() {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, conn := range u.open {
		conn.Close()
	}
	u.open = nil
}

// Close ends the upstream and every stream.
func (u *Upstream) Close() {
	u.listener.Close()
	u.HangUp()
	u.serving.Wait()
	u.HangUp()
}
