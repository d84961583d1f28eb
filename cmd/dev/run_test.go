package dev_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/cmd/dev"
)

// session is one Run under way.
type session struct {
	printed string
	stop    context.CancelFunc
	ended   chan error
}

type announcements chan string

func (a announcements) Write(p []byte) (int, error) {
	a <- string(p)
	return len(p), nil
}

func config(dir string) dev.Config {
	const any = "127.0.0.1:0"
	return dev.Config{DataDir: dir, AdminListen: any, ProxyListen: any, StatusListen: any, DemoFastListen: any, DemoSlowListen: any}
}

// begin starts a Run and returns once it has announced itself.
func begin(t *testing.T, cfg dev.Config) *session {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	said := make(announcements, 1)
	cfg.Out = said
	s := &session{stop: stop, ended: make(chan error, 1)}
	go func() { s.ended <- dev.Run(ctx, cfg) }()
	select {
	case s.printed = <-said:
	case err := <-s.ended:
		t.Fatalf("ended with %v before it was ready", err)
	}
	t.Cleanup(stop)
	return s
}

func (s *session) end(t *testing.T) {
	t.Helper()
	s.stop()
	if err := <-s.ended; err != nil {
		t.Errorf("got %v, want a clean end", err)
	}
}

// commands returns the printed curl commands, joined where they go over two lines.
func (s *session) commands() (out []string) {
	for line := range strings.Lines(strings.ReplaceAll(s.printed, "\\\n", "")) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "curl ") {
			out = append(out, line)
		}
	}
	return out
}

// paste runs the printed commands in a shell and returns what each printed.
func (s *session) paste(t *testing.T, env ...string) (out []string) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("the printed lines need curl")
	}
	for _, line := range s.commands() {
		c := exec.CommandContext(t.Context(), "sh", "-c", line)
		c.Env = append(os.Environ(), env...)
		got, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", line, err, got)
		}
		out = append(out, string(got))
	}
	return out
}

// base returns the address that the announcement gives in the line that begins with label.
func (s *session) base(t *testing.T, label string) string {
	t.Helper()
	for line := range strings.Lines(s.printed) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), label); ok {
			return strings.Fields(rest)[0]
		}
	}
	t.Fatalf("no %q in %s", label, s.printed)
	return ""
}

func kept(t *testing.T, dir, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

func call(t *testing.T, method, url, token, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		t.Fatalf("%s %s: got %d %s %v", method, url, resp.StatusCode, got, err)
	}
	return string(got)
}

func TestEveryPrintedLineWorksAsSoonAsItIsPrinted(t *testing.T) {
	s := begin(t, config(t.TempDir()))
	got := s.paste(t)
	wants := []string{
		`here. You said: Hello, Sluice`,  // chat
		`data: [DONE]`,                   // stream
		`X-Ai-Semantic-Route: demo-code`, // by what the prompt says
		`"demo-slow"`,                    // models
		`"least_latency"`,                // routings
		`"nodes"`,                        // fleet
	}
	if len(got) != len(wants) {
		t.Fatalf("got %d commands, want %d in\n%s", len(got), len(wants), s.printed)
	}
	for i, want := range wants {
		if !strings.Contains(got[i], want) {
			t.Errorf("%s\ngot %s\nwant %s in it", s.commands()[i], got[i], want)
		}
	}
	s.end(t)
}

func TestTheFastUpstreamGetsTheTrafficOnceBothAreMeasured(t *testing.T) {
	dir := t.TempDir()
	s := begin(t, config(dir))
	api := s.base(t, "OpenAI API")
	for range 2 { // an unmeasured target goes first
		call(t, http.MethodPost, api+"/chat/completions", kept(t, dir, "caller-key"), `{"model":"demo","messages":[{"role":"user","content":"x"}]}`)
	}
	for i := range 5 {
		got := call(t, http.MethodPost, api+"/chat/completions", kept(t, dir, "caller-key"), `{"model":"demo","messages":[{"role":"user","content":"x"}]}`)
		if !strings.Contains(got, "demo-fast here") {
			t.Errorf("request %d: got %s, want demo-fast", i, got)
		}
	}
	s.end(t)
}

func TestARestartKeepsSecretsAndEditsAndFollowsThePorts(t *testing.T) {
	dir := t.TempDir()
	first := begin(t, config(dir))
	token, key := kept(t, dir, "admin-token"), kept(t, dir, "caller-key")
	admin := first.base(t, "admin API")
	before := call(t, http.MethodGet, admin+"/providers/demo-fast", token, "")
	call(t, http.MethodPatch, admin+"/routings/demo", token, `{"description":"mine now","strategy":"failover"}`)
	first.end(t)

	second := begin(t, config(dir)) // other ports
	if kept(t, dir, "admin-token") != token || kept(t, dir, "caller-key") != key || !strings.Contains(second.printed, key) {
		t.Errorf("the secrets changed at the restart")
	}
	admin = second.base(t, "admin API")
	if got := call(t, http.MethodGet, admin+"/routings/demo", token, ""); !strings.Contains(got, "mine now") || !strings.Contains(got, "failover") {
		t.Errorf("got %s, want the edited routing", got)
	}
	if after := call(t, http.MethodGet, admin+"/providers/demo-fast", token, ""); after == before {
		t.Errorf("got %s, want a base_url of the new port", after)
	}
	second.paste(t)
	second.end(t)
}

func TestGivenSecretsAreUsedAndNotShown(t *testing.T) {
	dir := t.TempDir()
	cfg := config(dir)
	cfg.AdminToken, cfg.CallerKey = "given-admin-token", "given-caller-key"
	s := begin(t, cfg)
	if strings.Contains(s.printed, cfg.AdminToken) || strings.Contains(s.printed, cfg.CallerKey) {
		t.Errorf("got a given secret in %s", s.printed)
	}
	got := s.paste(t, "SLUICE_ADMIN_TOKEN="+cfg.AdminToken, "SLUICE_CALLER_KEY="+cfg.CallerKey)
	if !strings.Contains(got[0], "You said") || !strings.Contains(got[5], `"nodes"`) {
		t.Errorf("got %s", got)
	}
	s.end(t)

	cfg.CallerKey = "another-caller-key"
	s = begin(t, cfg)
	if got := s.paste(t, "SLUICE_ADMIN_TOKEN="+cfg.AdminToken, "SLUICE_CALLER_KEY="+cfg.CallerKey); !strings.Contains(got[0], "You said") {
		t.Errorf("got %s, want the new key accepted", got[0])
	}
	s.end(t)
	if entries, err := filepath.Glob(filepath.Join(dir, "*-*")); err != nil || len(entries) > 0 {
		t.Errorf("got %v, want no kept secret", entries)
	}
}

func TestKeptSecretsAreTheOwnersAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := begin(t, config(dir))
	for name, want := range map[string]os.FileMode{".": 0o700, "admin-token": 0o600, "caller-key": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: got mode %o, want %o", name, got, want)
		}
	}
	s.end(t)
}

func TestATakenPortIsNamedWithItsFlag(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	cfg := config(t.TempDir())
	cfg.DemoSlowListen = taken.Addr().String()
	err = dev.Run(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), taken.Addr().String()) || !strings.Contains(err.Error(), "--demo-slow-listen") {
		t.Errorf("got %v, want the address and --demo-slow-listen", err)
	}
}

func TestADataFolderInUseIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := begin(t, config(dir))
	if err := dev.Run(t.Context(), config(dir)); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v, want the folder named as in use", err)
	}
	s.end(t)
}

func TestAStreamUnderWayComesToItsEnd(t *testing.T) {
	dir := t.TempDir()
	s := begin(t, config(dir))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base(t, "OpenAI API")+"/chat/completions",
		strings.NewReader(`{"model":"demo-slow","stream":true,"messages":[{"role":"user","content":"x"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+kept(t, dir, "caller-key"))
	began := time.Now()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	s.stop()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), "data: [DONE]") {
		t.Errorf("got %q, %v after %v, want a whole stream", body, err, time.Since(began))
	}
	s.end(t)
}
