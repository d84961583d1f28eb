package admin

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

// serve runs a server and returns its address and how to end it.
func serve(t *testing.T, endpoints []string) (address string, end func() error) {
	t.Helper()
	st, err := store.Open(store.Config{Endpoints: endpoints})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	srv, err := New(Config{Store: st, AdminTokens: []string{"t"}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, l) }()
	return l.Addr().String(), func() error { cancel(); return <-ended }
}

func TestServeFinishesWhatIsUnderWay(t *testing.T) {
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	address, end := serve(t, etcd.Endpoints())

	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	const body = `{"kind":"openai","base_url":"http://x"}`
	head := "PUT /admin/v1/providers/p HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 39\r\n\r\n"
	if _, err := io.WriteString(c, head); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	if line, err := r.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("the handler does not read the body: %q %v", line, err)
	}
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- end() }()
	// The listener is closed before the request has ended.
	for {
		probe, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		probe.Close()
	}
	if _, err := io.WriteString(c, body); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		t.Errorf("got %s, want 201", resp.Status)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestServeLeavesNothingBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) }) // after the store is closed
	address, end := serve(t, []string{"127.0.0.1:1"})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + address + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestServeReportsAListenerThatFails(t *testing.T) {
	st, err := store.Open(store.Config{Endpoints: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	srv, err := New(Config{Store: st, AdminTokens: []string{"t"}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := srv.Serve(context.Background(), l); err == nil {
		t.Error("Serve on a closed listener returned nil")
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	if _, err := New(Config{AdminTokens: []string{"t"}}); err == nil {
		t.Error("no store: accepted")
	}
	if _, err := New(Config{Store: new(store.Store)}); err == nil {
		t.Error("no admin token: accepted")
	}
}
