package dispatch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// Settings of the connections to upstreams.
const (
	// idlePerHost is how many idle connections are kept to one host: a gateway has few hosts and many
	// requests, and a dropped connection costs a TLS handshake.
	idlePerHost = 1024
	// idleFor is shorter than the keep-alive limits of the usual load balancers in front of model APIs.
	idleFor = 55 * time.Second
	// handshakeLimit only serves connections through an HTTP proxy; direct ones are under the connect timeout.
	handshakeLimit = 10 * time.Second
	// readBuffer is held by each connection, idle or not. The usual head of an answer takes one or two reads, an event
	// one; what is larger is read past it.
	readBuffer = 1 << 10
	// writeBuffer is held like that. A head fits in; what follows it goes out in one more piece, whatever its length, so
	// that a question of one to four KiB costs one write more than with a usual buffer.
	writeBuffer = 1 << 10
	// maxHeader bounds an upstream's response headers.
	maxHeader = 1 << 20
)

// Pools holds one transport for each distinct set of TLS settings, for as long as the process lives: they
// outlast snapshots, so that a change of configuration closes no connection that is in use.
type Pools struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	mu   sync.RWMutex
	all  map[string]*http.Transport
}

// NewPools returns an empty set of pools over a dialer, which net.Dialer.DialContext usually is.
func NewPools(dial func(ctx context.Context, network, address string) (net.Conn, error)) *Pools {
	return &Pools{dial: dial, all: map[string]*http.Transport{}}
}

// Transport returns the pool that the upstream calls for.
func (p *Pools) Transport(u *core.Upstream) http.RoundTripper {
	p.mu.RLock()
	t := p.all[u.Pool]
	p.mu.RUnlock()
	if t != nil {
		return t
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if t = p.all[u.Pool]; t == nil {
		t = p.build(u.TLS)
		p.all[u.Pool] = t
	}
	return t
}

// Keep closes the idle connections of the pools that no upstream of the snapshot uses and forgets them.
// Requests under way keep theirs.
func (p *Pools) Keep(s *core.Snapshot) {
	used := make(map[string]bool)
	for _, t := range s.Targets() {
		used[t.Upstream.Pool] = true
	}
	for _, name := range s.Names() {
		if g, _ := s.Group(name); g.Embeddings != nil {
			used[g.Embeddings.Upstream.Pool] = true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, t := range p.all {
		if !used[name] {
			t.CloseIdleConnections()
			delete(p.all, name)
		}
	}
}

// Close closes every idle connection.
func (p *Pools) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.all {
		t.CloseIdleConnections()
	}
}

func (p *Pools) build(settings *core.TLS) *http.Transport {
	config := tlsConfig(settings)
	return &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: p.connect,
		DialTLSContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return p.connectTLS(ctx, network, address, config)
		},
		TLSClientConfig:        config,
		TLSHandshakeTimeout:    handshakeLimit,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           0,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleFor,
		MaxResponseHeaderBytes: maxHeader,
		ReadBufferSize:         readBuffer,
		WriteBufferSize:        writeBuffer,
		// Upstreams are asked for identity: tokens are small, and a compressed stream arrives in lumps.
		DisableCompression: true,
	}
}

func (p *Pools) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := withConnectTimeout(ctx)
	defer cancel()
	return p.dial(ctx, network, address)
}

func (p *Pools) connectTLS(ctx context.Context, network, address string, config *tls.Config) (net.Conn, error) {
	ctx, cancel := withConnectTimeout(ctx)
	defer cancel()
	raw, err := p.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config = config.Clone()
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	conn := tls.Client(raw, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	return conn, nil
}

func tlsConfig(s *core.TLS) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, ClientSessionCache: tls.NewLRUClientSessionCache(0)}
	if s == nil {
		return config
	}
	config.ServerName, config.InsecureSkipVerify = s.ServerName, s.InsecureSkipVerify
	if s.CAPEM != "" {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM([]byte(s.CAPEM))
	}
	if s.CertPEM != "" {
		// Compile has checked the pair.
		if pair, err := tls.X509KeyPair([]byte(s.CertPEM), []byte(s.KeyPEM)); err == nil {
			config.Certificates = []tls.Certificate{pair}
		}
	}
	return config
}

type connectTimeoutKey struct{}

// allowConnect limits how long connections made for ctx may take to establish; 0: no limit.
func allowConnect(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, connectTimeoutKey{}, d)
}

func withConnectTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if d, _ := ctx.Value(connectTimeoutKey{}).(time.Duration); d > 0 {
		return context.WithTimeout(ctx, d)
	}
	return ctx, func() {}
}
