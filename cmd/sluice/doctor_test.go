package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/cmd/doctor"
	"github.com/sluice-gateway/sluice/core"
)

// examined runs the doctor and returns the checks that are neither ok nor skipped, and all by name.
func (g *gateway) examined(args ...string) (wrong []string, all map[string]doctor.Check, code int) {
	g.t.Helper()
	out, code, _ := g.run(append([]string{"doctor", "-o", "json"}, args...)...)
	var checks []doctor.Check
	if err := json.Unmarshal([]byte(out), &checks); err != nil {
		g.t.Fatalf("%v: %s", err, out)
	}
	all = map[string]doctor.Check{}
	for _, c := range checks {
		all[c.Name] = c
		if c.State == doctor.Warn || c.State == doctor.Fail {
			wrong = append(wrong, string(c.State)+" "+c.Name)
			if c.Do == "" {
				g.t.Errorf("%s does not say what to do: %s", c.Name, c.Found)
			}
		}
	}
	return wrong, all, code
}

func TestTheDoctorFindsNothingWithAGatewayThatIsWell(t *testing.T) {
	g := start(t)
	wrong, all, code := g.examined("--etcd", g.etcd, "--proxy", strings.TrimPrefix(g.status, "http://"))
	if len(wrong) > 0 || code != 0 {
		t.Errorf("code %d, found %v: %+v", code, wrong, all)
	}
	for _, name := range []string{"admin", "token", "etcd", "etcd " + g.etcd, "etcd space", "etcd compaction", "nodes", "revision", "resources", "secrets", "versions", "signals", "targets", "proxy " + g.status} {
		if all[name].State != doctor.OK {
			t.Errorf("%s: got %+v, want ok", name, all[name])
		}
	}
	if _, all, _ := g.examined(); all["etcd"].State != doctor.Skip {
		t.Errorf("without --etcd: got %+v, want a skipped check", all["etcd"])
	}
	out, code, _ := g.run("doctor")
	if code != 0 || !strings.Contains(out, "ok    revision") || !strings.Contains(out, "skip  etcd") {
		t.Errorf("as text: code %d\n%s", code, out)
	}
}

func TestTheDoctorNamesWhatIsWrongAndWhatToDo(t *testing.T) {
	g := start(t)
	g.put("providers/secretive", `{"kind":"openai","base_url":"https://one.example/v1","auth":{"secret":"${env:NO_SUCH_VARIABLE_HERE}"}}`)
	g.join(core.NodeStatus{ID: "behind", Version: "v0", Revision: 1, Cell: "default", StartedAt: time.Now().Add(-time.Hour)})
	wrong, all, code := g.examined("--proxy", "http://127.0.0.1:1", "--proxy", g.admin)
	for _, want := range []string{"fail revision", "fail secrets", "warn versions", "warn signals", "fail proxy http://127.0.0.1:1", "fail proxy " + g.admin} {
		if !slices.Contains(wrong, want) {
			t.Errorf("%s is not found, but %v", want, wrong)
		}
	}
	if code != exitTrouble || len(wrong) != 6 || !strings.Contains(all["secrets"].Found, "NO_SUCH_VARIABLE_HERE") || !strings.Contains(all["revision"].Found, "behind is at 1") {
		t.Errorf("code %d, found %v: %+v", code, wrong, all)
	}
}

func TestTheDoctorSeesTheNodesInEtcdWhileTheAdminServiceIsAway(t *testing.T) {
	g := start(t)
	g.admin = "http://127.0.0.1:1"
	wrong, all, code := g.examined("--etcd", g.etcd)
	if !slices.Equal(wrong, []string{"fail admin"}) || code != exitTrouble || all["nodes"].State != doctor.OK || all["revision"].State != doctor.OK || all["token"].State != doctor.Skip {
		t.Errorf("code %d, found %v: %+v", code, wrong, all)
	}
	if _, all, _ := g.examined(); all["fleet"].State != doctor.Skip {
		t.Errorf("without etcd: %+v", all)
	}
	g.etcd = "http://127.0.0.1:1"
	if wrong, _, _ := g.examined("--etcd", g.etcd, "--etcd-timeout", "300ms"); !slices.Contains(wrong, "fail etcd") || !slices.Contains(wrong, "warn etcd "+g.etcd) {
		t.Errorf("without an etcd that answers: %v", wrong)
	}
}

func TestTheDoctorTellsAnUnknownTokenFromAServiceThatIsNotReady(t *testing.T) {
	g := start(t)
	g.token = "wrong"
	if wrong, all, _ := g.examined(); !slices.Equal(wrong, []string{"fail token"}) || all["admin"].State != doctor.OK {
		t.Errorf("unknown token: %v: %+v", wrong, all)
	}
	unready := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		w.Write([]byte(`{"title":"etcd is away"}`))
	}))
	defer unready.Close()
	g.admin = unready.URL
	if wrong, all, _ := g.examined(); !slices.Equal(wrong, []string{"fail admin"}) || !strings.Contains(all["admin"].Found, "etcd is away") {
		t.Errorf("not ready: %v: %+v", wrong, all)
	}
}
