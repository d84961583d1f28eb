package scenario

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/sluice-gateway/sluice/admin"
	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
	"github.com/sluice-gateway/sluice/store/keyring"
	"github.com/sluice-gateway/sluice/store/storetest"
	"github.com/sluice-gateway/sluice/tests/upstream"
)

// settle is how long a stopping proxy of this environment still accepts connections: many polls of a balancer.
const settle = 20 * pollInterval

func TestInProcess(t *testing.T) { run(t, newInProcess(t)) }

// inProcess is a gateway of goroutines on loopback, over one embedded etcd.
type inProcess struct {
	admin  Admin
	log    *lines
	dir    string
	listen string // where etcd listens, the same after a restart
	etcd   *embedded.Server
	keys   *keyring.Keyring

	mu      sync.Mutex
	members []*member
}

// member is one proxy.
type member struct {
	Proxy
	store   *store.Store
	conns   []*severable
	stop    context.CancelFunc
	stopped chan error
}

func newInProcess(t *testing.T) *inProcess {
	e := &inProcess{log: &lines{}, dir: t.TempDir(), listen: "127.0.0.1:0"}
	e.StartStore(t)
	e.listen = strings.TrimPrefix(e.etcd.Endpoints()[0], "http://")
	t.Cleanup(func() { e.etcd.Close() })
	e.keys, _ = storetest.Keyset(t)
	e.startAdmin(t)
	t.Cleanup(func() { e.shrink(t, 0) })
	return e
}

func (e *inProcess) Admin() Admin { return e.admin }

func (e *inProcess) Logs(*testing.T) string { return e.log.String() }

func (e *inProcess) StoreEndpoints(*testing.T) []string { return e.etcd.Endpoints() }

func (e *inProcess) StopStore(*testing.T) { e.etcd.Close() }

func (e *inProcess) StartStore(t *testing.T) {
	t.Helper()
	var err error
	if e.etcd, err = embedded.Start(embedded.Config{Dir: e.dir, Listen: e.listen, UnsafeNoFsync: true, Logger: e.log.logger()}); err != nil {
		t.Fatal(err)
	}
}

func (e *inProcess) Upstream(t *testing.T, b upstream.Behaviour) Upstream {
	t.Helper()
	s, err := upstream.Start("127.0.0.1", b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Die)
	return Upstream{s, "http://127.0.0.1:" + s.Port() + "/v1"}
}

func (e *inProcess) openStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(store.Config{Endpoints: []string{"http://" + e.listen}, Keys: e.keys, Logger: e.log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (e *inProcess) startAdmin(t *testing.T) {
	t.Helper()
	e.admin = Admin{Token: "admin-token-of-the-scenarios", ViewerToken: "viewer-token-of-the-scenarios"}
	s := e.openStore(t)
	server, err := admin.New(admin.Config{Store: s, AdminTokens: []string{e.admin.Token}, ViewerTokens: []string{e.admin.ViewerToken}, Logger: e.log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	e.admin.URL = "http://" + l.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("admin: %v", err)
		}
		s.Close()
	})
}

func (e *inProcess) Proxies() []Proxy {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []Proxy
	for _, m := range e.members {
		out = append(out, m.Proxy)
	}
	return out
}

func (e *inProcess) Scale(t *testing.T, n int) {
	t.Helper()
	for len(e.Proxies()) < n {
		m := e.startProxy(t)
		eventually(t, patience, func() error { return isReady(context.Background(), m.Proxy) })
		e.mu.Lock()
		e.members = append(e.members, m)
		e.mu.Unlock()
	}
	e.shrink(t, n)
	o := newOperator(t, e)
	eventually(t, patience, func() error { return o.joined(e.Proxies()) })
}

// shrink stops the proxies beyond the first n.
func (e *inProcess) shrink(t *testing.T, n int) {
	t.Helper()
	e.mu.Lock()
	surplus := e.members[n:]
	e.mu.Unlock()
	for _, m := range surplus {
		m.stop()
	}
	for _, m := range surplus {
		if err := <-m.stopped; err != nil {
			t.Errorf("%s: %v", m.API, err)
		}
		m.store.Close()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.members = e.members[:n:n]
}

func (e *inProcess) startProxy(t *testing.T) *member {
	t.Helper()
	api, status := &severable{Listener: listen(t)}, &severable{Listener: listen(t)}
	m := &member{
		Proxy: Proxy{"http://" + api.Addr().String(), "http://" + status.Addr().String()},
		store: e.openStore(t), conns: []*severable{api, status}, stopped: make(chan error, 1),
	}
	node := proxy.New(proxy.Config{Store: m.store, Settle: settle, Drain: patience, Logger: e.log.logger()})
	var ctx context.Context
	ctx, m.stop = context.WithCancel(context.Background())
	go func() { m.stopped <- node.Run(ctx, api, status) }()
	return m
}

// Kill cuts the node off from its store and its clients before it can say goodbye to either.
func (e *inProcess) Kill(t *testing.T, p Proxy) {
	t.Helper()
	e.mu.Lock()
	var victim *member
	for i, m := range e.members {
		if m.Proxy == p {
			victim = m
			e.members = append(e.members[:i:i], e.members[i+1:]...)
			break
		}
	}
	e.mu.Unlock()
	victim.store.Close()
	for _, l := range victim.conns {
		l.sever()
	}
	victim.stop()
	<-victim.stopped // with the error of a listener that was closed
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// severable is a listener whose connections can be cut all at once.
type severable struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (s *severable) Accept() (net.Conn, error) {
	c, err := s.Listener.Accept()
	if err == nil {
		s.mu.Lock()
		s.conns = append(s.conns, c)
		s.mu.Unlock()
	}
	return c, err
}

func (s *severable) sever() {
	s.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.conns {
		c.Close()
	}
}

// lines collects logs of every level.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
