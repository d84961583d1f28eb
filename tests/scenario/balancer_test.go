package scenario

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"
)

// balancer spreads requests over the proxies that say they are ready, as the load balancer in front of
// a fleet does: it asks /readyz, and goes on to the next node only when it could not connect at all.
type balancer struct {
	env       Environment
	transport *http.Transport

	mu    sync.Mutex
	ready []Proxy
	next  int
	sent  map[Proxy]int
}

// newBalancer asks for readiness until the test ends.
func newBalancer(t *testing.T, env Environment) *balancer {
	b := &balancer{env: env, transport: &http.Transport{MaxIdleConnsPerHost: 64}, sent: map[Proxy]int{}}
	b.check(t.Context())
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(pollInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.check(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait(); b.transport.CloseIdleConnections() })
	return b
}

func (b *balancer) check(ctx context.Context) {
	var ready []Proxy
	for _, p := range b.env.Proxies() {
		if isReady(ctx, p) == nil {
			ready = append(ready, p)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ready = ready
}

// isReady asks a node whether it takes requests.
func isReady(ctx context.Context, p Proxy) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.Status+"/readyz", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(p.Status + "/readyz says " + resp.Status)
	}
	return nil
}

// RoundTrip sends the request to the next node.
func (b *balancer) RoundTrip(req *http.Request) (*http.Response, error) {
	err := errors.New("no proxy is ready")
	for _, p := range b.turn() {
		var resp *http.Response
		resp, err = b.transport.RoundTrip(addressed(req, p))
		if err == nil {
			b.mu.Lock()
			b.sent[p]++
			b.mu.Unlock()
		}
		if !neverConnected(err) {
			return resp, err
		}
	}
	return nil, err
}

// turn returns the ready proxies, each call beginning one further.
func (b *balancer) turn() []Proxy {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	var out []Proxy
	for i := range b.ready {
		out = append(out, b.ready[(b.next+i)%len(b.ready)])
	}
	return out
}

// served returns how many requests the proxy has answered.
func (b *balancer) served(p Proxy) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sent[p]
}

func addressed(req *http.Request, p Proxy) *http.Request {
	out := req.Clone(req.Context())
	base, err := url.Parse(p.API)
	if err != nil {
		panic("scenario: " + err.Error())
	}
	out.URL.Scheme, out.URL.Host, out.Host = base.Scheme, base.Host, base.Host
	if req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			out.Body = body
		}
	}
	return out
}

func neverConnected(err error) bool {
	op := new(net.OpError)
	return errors.As(err, &op) && op.Op == "dial"
}
