package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sluice-gateway/sluice/core"
)

// TestMain is the command itself when a test has started it as such.
func TestMain(m *testing.M) {
	if os.Getenv("SLUICE_TEST_COMMAND") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command runs the command itself, with variables besides the test's own.
func command(t *testing.T, vars []string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), "SLUICE_TEST_COMMAND=1"), vars...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

var sameReach = cmp.Comparer(func(a, b core.Reach) bool { return reflect.DeepEqual(a, b) })

func TestFlagsComeBeforeTheEnvironmentAndThatBeforeDefaults(t *testing.T) {
	env := map[string]string{
		"SLUICE_ETCD_ENDPOINTS": "a:1, b:2,", "SLUICE_ADMIN_TOKEN": "one, two,", "SLUICE_VIEWER_TOKEN": "three",
		"SLUICE_ETCD_USERNAME": "user", "SLUICE_ETCD_PASSWORD": "pass", "SLUICE_KEYSET_FILE": "/keys",
	}
	want := settings{
		listen: ":8081", endpoints: []string{"a:1", "b:2"}, prefix: "/sluice", username: "user", password: "pass", keysetFile: "/keys",
		adminTokens: []string{"one", "two"}, viewerTokens: []string{"three"},
	}
	got, err := parse(nil, environment(env))
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{}), sameReach); err != nil || diff != "" {
		t.Errorf("environment: %v (-want +got)\n%s", err, diff)
	}
	env["SLUICE_UPSTREAM_ALLOW"] = "api.openai.com, 10.0.0.0/8"
	want.reach, err = core.ParseReach([]string{"api.openai.com", "10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	env["SLUICE_ADMIN_LISTEN"], env["SLUICE_ETCD_PREFIX"] = ":1", "/env"
	want.listen, want.endpoints, want.prefix, want.username, want.keysetFile = ":2", []string{"c:3"}, "/flag", "flag", "/flag/keys"
	env["SLUICE_LOG_LEVEL"], want.logLevel = "warn", slog.LevelDebug
	got, err = parse([]string{"--listen", ":2", "--etcd=c:3", "--etcd-prefix", "/flag", "--etcd-username", "flag", "--keyset-file", "/flag/keys", "--log-level=debug"}, environment(env))
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{}), sameReach); err != nil || diff != "" {
		t.Errorf("flags: %v (-want +got)\n%s", err, diff)
	}
}

func TestEtcdIsOnThisMachineUnlessToldOtherwise(t *testing.T) {
	got, err := parse(nil, environment(map[string]string{"SLUICE_ADMIN_TOKEN": "t", "SLUICE_INSECURE_PLAINTEXT_SECRETS": "true"}))
	want := settings{listen: ":8081", endpoints: []string{"http://127.0.0.1:2379"}, prefix: "/sluice", plainSecrets: true, adminTokens: []string{"t"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{}), sameReach, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("defaults: %v (-want +got)\n%s", err, diff)
	}
}

func TestTheServiceRefusesToStartWithoutWhatItNeeds(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"no token":     {map[string]string{"SLUICE_ETCD_ENDPOINTS": "a:1"}, nil, "SLUICE_ADMIN_TOKEN"},
		"empty token":  {map[string]string{"SLUICE_ETCD_ENDPOINTS": "a:1", "SLUICE_ADMIN_TOKEN": " , "}, nil, "SLUICE_ADMIN_TOKEN"},
		"no etcd":      {map[string]string{"SLUICE_ADMIN_TOKEN": "t"}, []string{"--etcd="}, "SLUICE_ETCD_ENDPOINTS"},
		"a bad level":  {map[string]string{"SLUICE_ADMIN_TOKEN": "t", "SLUICE_LOG_LEVEL": "loud"}, nil, "SLUICE_LOG_LEVEL"},
		"a bad list":   {map[string]string{"SLUICE_ADMIN_TOKEN": "t", "SLUICE_ETCD_ENDPOINTS": "a:1", "SLUICE_UPSTREAM_ALLOW": "http://x"}, nil, "upstream-allow"},
		"no keyset":    {map[string]string{"SLUICE_ADMIN_TOKEN": "t"}, nil, "sluice keys new"},
		"no choice":    {map[string]string{"SLUICE_ADMIN_TOKEN": "t", "SLUICE_INSECURE_PLAINTEXT_SECRETS": "false"}, nil, "SLUICE_INSECURE_PLAINTEXT_SECRETS"},
		"both":         {map[string]string{"SLUICE_ADMIN_TOKEN": "t", "SLUICE_KEYSET_FILE": "/keys", "SLUICE_INSECURE_PLAINTEXT_SECRETS": "1"}, nil, "exclude"},
		"a bad choice": {map[string]string{"SLUICE_ADMIN_TOKEN": "t", "SLUICE_INSECURE_PLAINTEXT_SECRETS": "perhaps"}, nil, "SLUICE_INSECURE_PLAINTEXT_SECRETS"},
		"a stray word": {map[string]string{"SLUICE_ADMIN_TOKEN": "t", "SLUICE_ETCD_ENDPOINTS": "a:1"}, []string{"helth"}, "helth"},
	} {
		if _, err := parse(c.args, environment(c.env)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want a word on %s", name, err, c.want)
		}
	}
}

func TestHealthIsThatOfTheAnswer(t *testing.T) {
	status := http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	port := srv.URL[strings.LastIndex(srv.URL, ":"):]
	env := environment(map[string]string{"SLUICE_ADMIN_LISTEN": "0.0.0.0" + port})
	if err := health(t.Context(), nil, env); err != nil {
		t.Errorf("a ready service: %v", err)
	}
	if err := health(t.Context(), []string{srv.URL}, environment(nil)); err != nil {
		t.Errorf("a ready service by URL: %v", err)
	}
	status = http.StatusServiceUnavailable
	if err := health(t.Context(), nil, env); err == nil {
		t.Error("a service that is not ready passes")
	}
	srv.Close()
	if err := run(context.Background(), []string{"health", srv.URL}); err == nil {
		t.Error("no service passes")
	}
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
