package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sluice-gateway/sluice/cmd/dev"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// gateway is a whole Sluice in this process.
type gateway struct {
	t                        *testing.T
	admin, api, status, etcd string
	token, key, dir          string
}

func start(t *testing.T) *gateway {
	t.Helper()
	for _, name := range []string{"SLUICE_ADMIN_TOKEN", "SLUICE_VIEWER_TOKEN", "SLUICE_ADMIN_URL", "SLUICE_ETCD_ENDPOINTS"} {
		t.Setenv(name, "")
	}
	const any = "127.0.0.1:0"
	dir := t.TempDir()
	said := make(lines, 1)
	cfg := dev.Config{DataDir: dir, AdminListen: any, ProxyListen: any, StatusListen: any, DemoFastListen: any, DemoSlowListen: any, Out: said}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- dev.Run(ctx, cfg) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	var printed string
	select {
	case printed = <-said:
	case err := <-ended:
		ended <- err
		t.Fatalf("ended with %v before it was ready", err)
	}
	g := &gateway{t: t, dir: dir}
	for label, into := range map[string]*string{"admin API": &g.admin, "OpenAI API": &g.api, "status": &g.status, "etcd": &g.etcd} {
		_, rest, _ := strings.Cut(printed, "\n  "+label+" ")
		*into = strings.Fields(rest)[0]
	}
	g.admin, g.status = strings.TrimSuffix(g.admin, "/admin/v1"), strings.TrimSuffix(g.status, "/status")
	g.token, g.key = g.kept(dir, "admin-token"), g.kept(dir, "caller-key")
	return g
}

func (g *gateway) kept(dir, name string) string {
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		g.t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

func (g *gateway) send(method, url, token, body string) {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode/100 != 2 {
		g.t.Fatalf("%s %s: got %d %s %v", method, url, resp.StatusCode, got, err)
	}
}

// put writes a resource; the answer comes when every node has come to it.
func (g *gateway) put(path, body string) {
	g.t.Helper()
	g.send(http.MethodPut, g.admin+"/admin/v1/"+path+"?wait=10s", g.token, body)
}

func (g *gateway) ask(model string) {
	g.t.Helper()
	g.send(http.MethodPost, g.api+"/chat/completions", g.key, `{"model":"`+model+`","messages":[{"role":"user","content":"x"}]}`)
}

// join adds a node that says that of itself and does nothing else.
func (g *gateway) join(status core.NodeStatus) {
	g.t.Helper()
	st, err := store.Open(store.Config{Endpoints: []string{g.etcd}})
	if err != nil {
		g.t.Fatal(err)
	}
	m := st.Join(store.MemberConfig{Node: status.ID, Cell: "default"})
	raw, err := json.Marshal(status)
	if err != nil {
		g.t.Fatal(err)
	}
	m.SetStatus(raw)
	ctx, cancel := context.WithCancel(g.t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = m.Run(ctx) })
	g.t.Cleanup(func() { cancel(); running.Wait(); st.Close() })
	<-m.Announced()
}

// run executes the command against the gateway.
func (g *gateway) run(args ...string) (out string, code int, said string) {
	g.t.Helper()
	where := []string{"--token", g.token}
	if !slices.Contains(args, "--admin") {
		where = append(where, "--admin", g.admin)
	}
	if args[0] != "explain" { // it waits for nothing
		where = append(where, "--patience", "100ms")
	}
	out, err := execute(g.t, append(args, where...)...)
	if err == nil {
		return out, 0, ""
	}
	return out, exitCode(err), err.Error()
}
