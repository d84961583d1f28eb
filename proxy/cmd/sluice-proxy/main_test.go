package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

// TestMain is the command itself when a test has started it as such.
func TestMain(m *testing.M) {
	if os.Getenv("SLUICE_TEST_COMMAND") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is a running sluice-proxy over one model "m".
type process struct {
	t           *testing.T
	cmd         *exec.Cmd
	api, status string
	exited      chan error
}

func launch(t *testing.T, upstream http.HandlerFunc, args ...string) *process {
	t.Helper()
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	up := httptest.NewServer(upstream)
	t.Cleanup(up.Close)
	fill(t, etcd.Endpoints(), up.URL)
	p := &process{t: t, exited: make(chan error, 1)}
	p.cmd = exec.Command(os.Args[0], append([]string{"--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0", "--etcd", strings.Join(etcd.Endpoints(), ",")}, args...)...)
	p.cmd.Env = append(os.Environ(), "SLUICE_TEST_COMMAND=1")
	log, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	for p.api == "" && lines.Scan() {
		var line struct{ Msg, API, Status string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			p.api, p.status = "http://"+line.API, "http://"+line.Status
		}
	}
	go func() {
		io.Copy(io.Discard, log)
		p.exited <- p.cmd.Wait()
	}()
	t.Cleanup(func() { p.cmd.Process.Kill() })
	p.await("ready", func() bool { return p.ready() == http.StatusOK })
	return p
}

func fill(t *testing.T, endpoints []string, upstream string) {
	t.Helper()
	s, err := store.Open(store.Config{Endpoints: endpoints})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sum := sha256.Sum256([]byte("key"))
	if _, err := s.Update(t.Context(), func(store.Image) ([]store.Change, error) {
		return []store.Change{
			{Ref: core.Ref{Kind: core.KindProvider, ID: "p"}, Value: []byte(`{"id":"p","kind":"openai","base_url":"` + upstream + `"}`)},
			{Ref: core.Ref{Kind: core.KindModel, ID: "m"}, Value: []byte(`{"id":"m","provider":"p","upstream_model":"u"}`)},
			{Ref: core.Ref{Kind: core.KindAPIKey, ID: "k"}, Value: []byte(`{"id":"k","key_sha256":"` + hex.EncodeToString(sum[:]) + `","allowed_models":["*"]}`)},
		}, nil
	}); err != nil {
		t.Fatal(err)
	}
}

func (p *process) await(what string, ok func() bool) {
	p.t.Helper()
	late := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-late:
			p.t.Fatalf("%s: did not happen", what)
		case err := <-p.exited:
			p.t.Fatalf("%s: the process ended with %v", what, err)
		case <-tick.C:
		}
	}
}

func (p *process) ready() int {
	resp, err := http.Get(p.status + "/readyz")
	if err != nil {
		return 0
	}
	resp.Body.Close()
	return resp.StatusCode
}

// ask sends a request on a connection of its own.
func (p *process) ask(body string) (*http.Response, error) {
	req, err := http.NewRequest("POST", p.api+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer key")
	return (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
}

// held streams a token and the end when it is released, and answers everything else at once.
func held(release <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); !strings.Contains(string(body), `"stream":true`) {
			io.WriteString(w, `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}`+"\n\n")
		http.NewResponseController(w).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
			return
		}
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}
}

func TestTheFirstSignalDrainsAndTheSecondKills(t *testing.T) {
	for _, second := range []bool{false, true} {
		t.Run(fmt.Sprint("second ", second), func(t *testing.T) {
			release := make(chan struct{})
			p := launch(t, held(release), "--drain", "1h", "--settle", "100ms")
			resp, err := p.ask(`{"model":"m","stream":true}`)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			p.cmd.Process.Signal(syscall.SIGTERM)
			p.await("readiness goes off", func() bool { return p.ready() == http.StatusServiceUnavailable })
			p.await("new connections are refused", func() bool {
				late, err := p.ask(`{"model":"m"}`)
				if err == nil {
					late.Body.Close()
				}
				return err != nil
			})
			if second {
				p.cmd.Process.Signal(syscall.SIGTERM)
			} else {
				close(release)
			}
			b, err := io.ReadAll(resp.Body)
			if whole := err == nil && strings.HasSuffix(string(b), "data: [DONE]\n\n"); whole == second {
				t.Errorf("the stream ended %q (%v)", b, err)
			}
			if err := <-p.exited; (err == nil) == second {
				t.Errorf("the process ended with %v", err)
			}
		})
	}
}

func TestBadSettingsEndTheCommandBeforeItServes(t *testing.T) {
	for _, args := range [][]string{{"--drain", "soon"}, {"--upstream-allow", "http://x"}, {"serve"}, {"--no-such-flag"}} {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), "SLUICE_TEST_COMMAND=1")
		out, err := cmd.CombinedOutput()
		if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() == 0 || strings.Contains(string(out), "panic") {
			t.Errorf("%v: ended with %v: %s", args, err, out)
		}
	}
}
