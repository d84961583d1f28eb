package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// command runs the command itself, with variables besides the test's own.
func command(t *testing.T, vars []string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), "SLUICE_TEST_COMMAND=1"), vars...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestHelpIsNoFailureAndNamesEveryVariable(t *testing.T) {
	out, err := command(t, []string{"SLUICE_LOG_LEVEL=loud"}, "--help")
	if err != nil {
		t.Fatalf("--help: %v: %s", err, out)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	read := regexp.MustCompile(`"SLUICE_[A-Z_]+"`)
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, variable := range read.FindAllString(string(text), -1) {
			if !strings.Contains(out, strings.Trim(variable, `"`)) {
				t.Errorf("%s reads %s, of which --help says nothing", source, variable)
			}
		}
	}
	for _, flag := range []string{"etcd", "etcd-prefix", "etcd-username", "log-level"} { // those of both commands
		if !strings.Contains(out, "  -"+flag+" ") {
			t.Errorf("--help does not show --%s:\n%s", flag, out)
		}
	}
	if !strings.Contains(out, "SLUICE_ETCD_PASSWORD") || strings.Contains(out, "-etcd-password") {
		t.Errorf("the password is a variable, not a flag:\n%s", out)
	}
}

func TestTheHealthCheckAsksNoProxy(t *testing.T) {
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.String()
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	ready := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer ready.Close()
	// This machine by an address that Go would not except from the use of a proxy.
	url := strings.Replace(ready.URL, "127.0.0.1", "0.0.0.0", 1) + "/readyz"
	out, err := command(t, []string{"HTTP_PROXY=" + proxy.URL, "http_proxy=" + proxy.URL, "NO_PROXY=", "no_proxy="}, "health", url)
	if err != nil || len(asked) > 0 {
		t.Errorf("%s: %v, the proxy was asked %d times: %s", url, err, len(asked), out)
	}
}
