package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
)

// fleet runs the command until the output is as wanted: nodes write what they measure each second.
func (g *gateway) fleetShows(wanted *regexp.Regexp) string {
	g.t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		out, code, said := g.run("fleet")
		if code != 0 {
			g.t.Fatalf("exit code %d (%s):\n%s", code, said, out)
		}
		if wanted.MatchString(out) {
			return out
		}
	}
	g.t.Fatalf("never shown: %v", wanted)
	return ""
}

func TestTheFleetIsShownWithWhatItMeasures(t *testing.T) {
	g := start(t)
	g.ask("demo-fast")
	g.ask("demo-slow")
	out := g.fleetShows(regexp.MustCompile(`(?s)1 live node in 1 cell.*serving.*demo-slow\S* +ttft +~?\d.*in use.*demo-fast\S* +ttft +~?\d+ms`))
	if strings.Contains(out, "not tried") {
		t.Errorf("both were tried:\n%s", out)
	}
	raw, code, _ := g.run("fleet", "-o", "json")
	var r fleet.Report
	if err := json.Unmarshal([]byte(raw), &r); err != nil || code != 0 || len(r.Nodes) != 1 || len(r.Cells[0].Targets) != 2 || len(r.Cells[0].Targets[0].Contributors) != 1 {
		t.Errorf("as JSON: code %d, %v: %s", code, err, raw)
	}
	if out, code, said := g.run("fleet", "--cell", "mars"); code != exitTrouble || !strings.Contains(said, "no proxy node") {
		t.Errorf("a cell without nodes: code %d, %q: %s", code, said, out)
	}
}

func TestANodeThatLagsOrRejectsIsShownAndToldByTheExitCode(t *testing.T) {
	g := start(t)
	g.put("providers/secretive", `{"kind":"openai","base_url":"https://one.example/v1","auth":{"secret":"${env:NO_SUCH_VARIABLE_HERE}"}}`)
	out, code, said := g.run("fleet", "-o", "json")
	if code != exitTrouble || said != "1 of 1 node reject resources" || !json.Valid([]byte(out)) {
		t.Errorf("rejecting: code %d, %q:\n%s", code, said, out)
	}
	if out, _, _ = g.run("fleet"); !strings.Contains(out, "does not serve provider/secretive as stored: /auth/secret: environment variable NO_SUCH_VARIABLE_HERE is not set") {
		t.Errorf("the reason is missing:\n%s", out)
	}
	g.join(core.NodeStatus{ID: "behind", Revision: 1, Cell: "default", StartedAt: time.Now()})
	out, code, said = g.run("fleet")
	if code != exitTrouble || !strings.Contains(said, "1 of 2 nodes lag behind") || !regexp.MustCompile(`behind .*LAGGING`).MatchString(out) {
		t.Errorf("lagging: code %d, %q:\n%s", code, said, out)
	}
}

func TestAFleetThatCannotBeSeenIsNotTakenForOneInTrouble(t *testing.T) {
	g := start(t)
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }))
	defer stranger.Close()
	for name, args := range map[string][]string{
		"an unknown token": {"--admin", g.admin, "--token", "wrong"},
		"no token":         {"--admin", g.admin},
		"nobody there":     {"--admin", "http://127.0.0.1:1"},
		"somebody else":    {"--admin", stranger.URL},
		"no address":       {"--admin", "127.0.0.1:8081"},
	} {
		if out, err := execute(t, append([]string{"fleet"}, args...)...); err == nil || exitCode(err) != exitBlind || out != "" {
			t.Errorf("%s: got %v, code %d: %s", name, err, exitCode(err), out)
		}
	}
	if _, err := execute(t, "fleet", "-o", "yaml"); err == nil || !strings.Contains(err.Error(), "yaml") {
		t.Errorf("an output of another kind: got %v", err)
	}
}

func TestTheTokenComesFromTheEnvironment(t *testing.T) {
	g := start(t)
	t.Setenv("SLUICE_ADMIN_URL", g.admin)
	for _, variable := range []string{"SLUICE_ADMIN_TOKEN", "SLUICE_VIEWER_TOKEN"} {
		t.Setenv(variable, " ,"+g.token+", another")
		if _, err := execute(t, "fleet"); err != nil {
			t.Errorf("%s: %v", variable, err)
		}
		t.Setenv(variable, "")
	}
}

func TestAFleetThatCatchesUpIsNotInTrouble(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		json.NewEncoder(w).Encode(fleet.Report{Revision: 7, Nodes: []fleet.Node{{NodeStatus: core.NodeStatus{ID: "n", Revision: 6}, Lagging: asked < 2}}})
	}))
	defer s.Close()
	if out, err := execute(t, "fleet", "--admin", s.URL, "--patience", "1m"); err != nil || asked != 2 || !strings.Contains(out, "serving") {
		t.Errorf("asked %d times: %v: %s", asked, err, out)
	}
}
