package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/cmd/demo"
)

func execute(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	c := root()
	c.SetOut(&out)
	c.SetErr(&out)
	c.SetArgs(args)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

func TestTheVersionIsPrinted(t *testing.T) {
	out, err := execute(t, "version")
	if err != nil || !strings.HasPrefix(out, "sluice ") || !strings.Contains(out, "go1.") {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestFilesAreCheckedTogether(t *testing.T) {
	dir := t.TempDir()
	providers, models := filepath.Join(dir, "providers.yaml"), filepath.Join(dir, "models.json")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(providers, "providers: [{id: p, kind: openai, base_url: \"https://api.example.com/v1\"}]")
	write(models, `{"models":[{"id":"m","provider":"p","upstream_model":"gpt"}]}`)

	if out, err := execute(t, "validate", providers, models); err != nil || out != "2 resources are valid\n" {
		t.Errorf("got %q, %v; want both valid", out, err)
	}
	out, err := execute(t, "validate", models)
	if err == nil || !strings.Contains(out, "model/m#/provider: ") {
		t.Errorf("got %q, %v; want the missing provider", out, err)
	}
	if _, err := execute(t, "validate", filepath.Join(dir, "none.yaml")); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("got %v, want the file's name", err)
	}
}

func TestHealthTellsWhetherTheUpstreamAnswers(t *testing.T) {
	up := httptest.NewServer(demo.New(demo.Config{Name: "m"}))
	defer up.Close()
	if _, err := execute(t, "demo-upstream", "health", up.URL+"/healthz"); err != nil {
		t.Errorf("got %v from a living upstream", err)
	}
	if _, err := execute(t, "demo-upstream", "health", up.URL+"/nothing"); err == nil {
		t.Error("got no error for 404")
	}
	up.Close()
	if _, err := execute(t, "demo-upstream", "health", up.URL+"/healthz"); err == nil {
		t.Error("got no error from a dead upstream")
	}
}

func TestADemoUpstreamServesUntilItIsStopped(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	listening := make(lines, 1)
	c := root()
	c.SetErr(listening)
	c.SetArgs([]string{"demo-upstream", "--listen", address, "--name", "m"})
	ended := make(chan error, 1)
	go func() { ended <- c.ExecuteContext(ctx) }()
	<-listening
	resp, err := http.Get("http://" + address + "/v1/models/m")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("got status %d, want 200", resp.StatusCode)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("got %v, want a clean end", err)
	}
}

// lines passes on each thing that is written.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}
