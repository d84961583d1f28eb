package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

const callerKey = "sk-caller"

// node is a running proxy over an etcd of its own.
type node struct {
	t           *testing.T
	url, status string
	store       *store.Store
}

func newNode(t *testing.T) *node {
	t.Helper()
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", UnsafeNoFsync: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	open := func() *store.Store {
		s, err := store.Open(store.Config{Endpoints: etcd.Endpoints(), PlainSecrets: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	api, status := listen(t), listen(t)
	n := &node{t: t, url: "http://" + api.Addr().String(), status: "http://" + status.Addr().String(), store: open()}
	sum := sha256.Sum256([]byte(callerKey))
	n.put(core.KindAPIKey, "k", `"key_sha256":"`+hex.EncodeToString(sum[:])+`","allowed_models":["*"]`)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	server := proxy.New(proxy.Config{Store: open(), Logger: slog.New(slog.DiscardHandler)})
	go func() { done <- server.Run(ctx, api, status) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return n
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (n *node) put(kind core.Kind, id, members string) {
	n.t.Helper()
	change := store.Change{Ref: core.Ref{Kind: kind, ID: id}, Value: []byte(`{"id":"` + id + `",` + members + `}`)}
	if _, err := n.store.Update(n.t.Context(), func(store.Image) ([]store.Change, error) { return []store.Change{change}, nil }); err != nil {
		n.t.Fatal(err)
	}
}

// serve puts a model in front of each handler, all of upstreams of that kind, and a routing over them.
func (n *node) serve(kind, routing string, handlers ...http.HandlerFunc) {
	n.t.Helper()
	n.serveWith("", "", kind, routing, handlers...)
}

// serveWith is serve with further members of each model and of the routing.
func (n *node) serveWith(ofModel, ofRouting, kind, routing string, handlers ...http.HandlerFunc) {
	n.t.Helper()
	targets := ""
	for i, h := range handlers {
		up := httptest.NewServer(h)
		n.t.Cleanup(up.Close)
		id := routing + string(rune('1'+i))
		place := up.URL + `/v1"`
		if kind == "azure-openai" {
			place = up.URL + `","api_version":"2024-10-21"`
		}
		n.put(core.KindProvider, id, `"kind":"`+kind+`","auth":{"secret":"sk-of-the-gateway"},"base_url":"`+place)
		n.put(core.KindModel, id, `"provider":"`+id+`","upstream_model":"up"`+ofModel)
		targets += `,{"model":"` + id + `"}`
	}
	n.put(core.KindRouting, routing, `"strategy":"failover","retries":0,"targets":[`+targets[1:]+`]`+ofRouting)
	n.await(routing)
}

// await waits until the node serves a name.
func (n *node) await(name string) {
	n.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		req, err := http.NewRequestWithContext(n.t.Context(), http.MethodGet, n.url+"/v1/models/"+name, nil)
		if err != nil {
			n.t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", callerKey)
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
	}
	n.t.Fatalf("%s is not served", name)
}
