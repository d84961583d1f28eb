package storetest

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Relay is a loopback address that leads to an etcd, as long as the test lets it.
type Relay struct {
	listener net.Listener
	wg       sync.WaitGroup

	mu     sync.Mutex
	thawed *sync.Cond
	target string // "": connections are closed as they come
	frozen direction
	conns  map[net.Conn]bool
	closed bool
}

// direction is what a relay does not pass on while frozen.
type direction int

const (
	nothing direction = iota
	answers           // requests arrive, answers do not
	all
)

// NewRelay returns a relay to the first of the endpoints. It ends with the test.
func NewRelay(t testing.TB, endpoints []string) *Relay {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen for relay: %v", err)
	}
	r := &Relay{listener: l, target: address(t, endpoints), conns: map[net.Conn]bool{}}
	r.thawed = sync.NewCond(&r.mu)
	ctx := t.Context()
	r.wg.Go(func() { r.accept(ctx) })
	t.Cleanup(r.close)
	return r
}

func address(t testing.TB, endpoints []string) string {
	t.Helper()
	u, err := url.Parse(endpoints[0])
	if err != nil {
		t.Fatalf("endpoint %q: %v", endpoints[0], err)
	}
	return u.Host
}

// Endpoints returns the relay's own address, as etcd clients take it.
func (r *Relay) Endpoints() []string { return []string{"http://" + r.listener.Addr().String()} }

// Cut closes every connection, and each new one at once.
func (r *Relay) Cut() { r.set("", nothing, true) }

// Lead closes every connection and leads new ones to the first of the endpoints.
func (r *Relay) Lead(t testing.TB, endpoints []string) { r.set(address(t, endpoints), nothing, true) }

// Freeze keeps every connection open but passes nothing on any more.
func (r *Relay) Freeze() { r.freeze(all) }

// FreezeAnswers passes on what clients send, but nothing that comes back.
func (r *Relay) FreezeAnswers() { r.freeze(answers) }

// Thaw ends a freeze; what was held back arrives.
func (r *Relay) Thaw() { r.freeze(nothing) }

func (r *Relay) freeze(d direction) {
	r.mu.Lock()
	target := r.target
	r.mu.Unlock()
	r.set(target, d, false)
}

func (r *Relay) set(target string, frozen direction, drop bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target, r.frozen = target, frozen
	r.thawed.Broadcast()
	if drop {
		for c := range r.conns {
			c.Close()
		}
	}
}

func (r *Relay) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.listener.Close()
	r.Cut()
	r.wg.Wait()
}

func (r *Relay) accept(ctx context.Context) {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.wg.Go(func() { r.serve(ctx, c) })
	}
}

func (r *Relay) serve(ctx context.Context, client net.Conn) {
	defer client.Close()
	target, ok := r.admit(client)
	defer r.forget(client)
	if !ok {
		return
	}
	server, err := new(net.Dialer).DialContext(ctx, "tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	r.wg.Go(func() {
		defer client.Close()
		defer server.Close()
		r.pipe(client, server, answers)
	})
	r.pipe(server, client, all)
}

func (r *Relay) admit(c net.Conn) (target string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns[c] = true
	return r.target, r.target != "" && !r.closed
}

func (r *Relay) forget(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

// pipe copies until either side ends. A freeze of at least that direction holds it back.
func (r *Relay) pipe(to io.Writer, from io.Reader, held direction) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		r.wait(held)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (r *Relay) wait(held direction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.frozen >= held && !r.closed {
		r.thawed.Wait()
	}
}
