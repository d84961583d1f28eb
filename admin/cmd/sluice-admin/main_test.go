package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/core"
)

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

var sameReach = cmp.Comparer(func(a, b core.Reach) bool { return reflect.DeepEqual(a, b) })

func TestFlagsComeBeforeTheEnvironmentAndThatBeforeDefaults(t *testing.T) {
	env := map[string]string{
		"SLUICE_ETCD_ENDPOINTS": "a:1, b:2,", "SLUICE_ADMIN_TOKEN": "one, two,", "SLUICE_VIEWER_TOKEN": "three",
		"SLUICE_ETCD_USERNAME": "user", "SLUICE_ETCD_PASSWORD": "pass",
	}
	want := settings{
		listen: ":8081", endpoints: []string{"a:1", "b:2"}, prefix: "/sluice", username: "user", password: "pass",
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
	want.listen, want.endpoints, want.prefix, want.username = ":2", []string{"c:3"}, "/flag", "flag"
	got, err = parse([]string{"--listen", ":2", "--etcd=c:3", "--etcd-prefix", "/flag", "--etcd-username", "flag"}, environment(env))
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(settings{}), sameReach); err != nil || diff != "" {
		t.Errorf("flags: %v (-want +got)\n%s", err, diff)
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
		"no etcd":      {map[string]string{"SLUICE_ADMIN_TOKEN": "t"}, nil, "SLUICE_ETCD_ENDPOINTS"},
		"a bad list":   {map[string]string{"SLUICE_ADMIN_TOKEN": "t", "SLUICE_ETCD_ENDPOINTS": "a:1", "SLUICE_UPSTREAM_ALLOW": "http://x"}, nil, "upstream-allow"},
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
