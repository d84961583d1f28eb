package docs

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sluice-gateway/sluice/cmd/dev"
)

// Where `make dev` listens, and where the README has the upstream of its example.
const (
	documentedAPI    = "http://127.0.0.1:8080"
	documentedAdmin  = "http://127.0.0.1:8081"
	documentedStatus = "http://127.0.0.1:9090"
	documentedOpenAI = "https://api.openai.com"
)

// gateway is a `sluice dev` whose data are where `make dev` has them, seen from dir.
type gateway struct {
	dir   string
	tools string // the folder of the sluice command
	log   *lines
	// real turns the documented addresses into those of this test, and documented these into the documented ones.
	real, documented *strings.Replacer
}

// lines is a log of any number of writers.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

type announcement chan string

func (a announcement) Write(p []byte) (int, error) {
	a <- string(p)
	return len(p), nil
}

// start runs a gateway until the end of the test. openAI stands for OpenAI's address.
func start(t *testing.T, openAI string) *gateway {
	t.Helper()
	const free = "127.0.0.1:0"
	g := &gateway{dir: t.TempDir(), tools: tool(t), log: new(lines)}
	said := make(announcement, 1)
	cfg := dev.Config{
		DataDir: filepath.Join(g.dir, ".data"), AdminListen: free, ProxyListen: free, StatusListen: free, DemoFastListen: free, DemoSlowListen: free,
		Out: said, Logger: slog.New(slog.NewTextHandler(g.log, nil)),
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- dev.Run(ctx, cfg) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case printed := <-said:
		g.address(t, printed, openAI)
	case err := <-ended:
		ended <- nil
		t.Fatalf("ended with %v before it was ready: %s", err, g.log)
	}
	return g
}

// address reads from the announcement where everything is.
func (g *gateway) address(t *testing.T, printed, openAI string) {
	t.Helper()
	var to, back []string
	for _, a := range []struct{ documented, label, path string }{
		{documentedAPI, "OpenAI API", "/v1"}, {documentedAdmin, "admin API", "/admin/v1"}, {documentedStatus, "status", "/status"},
	} {
		_, rest, found := strings.Cut(printed, "\n  "+a.label+" ")
		if !found {
			t.Fatalf("no %q in %s", a.label, printed)
		}
		real := strings.TrimSuffix(strings.Fields(rest)[0], a.path)
		to, back = append(to, a.documented, real), append(back, real, a.documented)
	}
	g.real, g.documented = strings.NewReplacer(append(to, documentedOpenAI, openAI)...), strings.NewReplacer(append(back, openAI, documentedOpenAI)...)
}

// tool builds the sluice command into a folder, which it returns.
func tool(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"build", "-o", filepath.Join(dir, "sluice")}
	if raced {
		args = append(args, "-race")
	}
	c := exec.CommandContext(t.Context(), "go", append(args, "./cmd/sluice")...)
	c.Dir = root(t)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("build sluice: %v: %s", err, out)
	}
	return dir
}

// documents fails unless the documented addresses are where `sluice dev` listens if it is not told otherwise.
func (g *gateway) documents(t *testing.T) {
	t.Helper()
	help, err := exec.CommandContext(t.Context(), filepath.Join(g.tools, "sluice"), "dev", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{documentedAPI, documentedAdmin, documentedStatus} {
		if address := strings.TrimPrefix(url, "http://"); !strings.Contains(string(help), `(default "`+address+`")`) {
			t.Errorf("the pages have %s, sluice dev does not:\n%s", address, help)
		}
	}
}

// kept returns a secret that the gateway has made.
func (g *gateway) kept(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(g.dir, ".data", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}
