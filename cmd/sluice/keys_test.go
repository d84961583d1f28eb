package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store/keyring"
)

const canary = "sk-canary-1234567890"

// keys runs `sluice keys` on the keyset of the data folder.
func (g *gateway) keys(args ...string) (string, error) {
	return execute(g.t, slices.Concat([]string{"keys"}, args, []string{"--keyset-file", filepath.Join(g.dir, "keyset.json")})...)
}

// shown checks what `sluice keys list` shows.
func (g *gateway) listed(want string) {
	g.t.Helper()
	out, err := g.keys("list", "--etcd", g.etcd)
	if err != nil || !regexp.MustCompile(want).MatchString(out) {
		g.t.Errorf("got %v, want %s:\n%s", err, want, out)
	}
}

func (g *gateway) keyset() keyring.Keyset {
	g.t.Helper()
	k, err := keyring.Read(filepath.Join(g.dir, "keyset.json"))
	if err != nil {
		g.t.Fatal(err)
	}
	return k
}

// guarded puts a model "guarded" whose upstream needs a secret, and returns the credentials that reach it.
func (g *gateway) guarded() func() []string {
	var mu sync.Mutex
	var sent []string
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		sent = append(sent, r.Header.Get("Authorization"))
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]}`)
	}))
	g.t.Cleanup(up.Close)
	g.put("providers/guarded", `{"kind":"openai","base_url":"`+up.URL+`","auth":{"secret":"`+canary+`"}}`)
	g.put("models/guarded", `{"provider":"guarded","upstream_model":"guarded"}`)
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(sent)
	}
}

// measured reports whether the fleet knows samples of the model.
func (g *gateway) measured(model string) bool {
	g.t.Helper()
	raw, _, _ := g.run("fleet", "-o", "json")
	var r fleet.Report
	if err := json.Unmarshal([]byte(raw), &r); err != nil {
		g.t.Fatal(err)
	}
	return slices.ContainsFunc(r.Cells[0].Targets, func(t fleet.Target) bool { return slices.Contains(t.Models, model) && len(t.Contributors) > 0 })
}

func TestKeysAreRotatedWhileTheGatewayRuns(t *testing.T) {
	g := start(t)
	sent := g.guarded()
	g.ask("guarded")
	g.fleetShows(regexp.MustCompile(`guarded +ttft +~?\d`))
	old := g.keyset().Primary()
	g.listed(fmt.Sprintf(`(?m)^%d +primary +1$`, old))
	if out, err := g.keys("rotate", "--etcd", g.etcd); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if !g.measured("guarded") {
		t.Error("what was measured is forgotten: sealing anew has changed the target's signal key")
	}
	g.listed(fmt.Sprintf(`(?m)^%d +opens only +0\n%d +primary +1$`, old, g.keyset().Primary()))
	g.ask("guarded")
	if out, err := g.keys("remove", fmt.Sprint(old), "--etcd", g.etcd); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if g.keyset().Has(old) {
		t.Error("the removed key is still there")
	}
	g.ask("guarded")
	if got := sent(); len(got) != 3 || strings.Count(strings.Join(got, "\n"), "Bearer "+canary) != 3 {
		t.Errorf("the upstream got %q, want the secret three times", got)
	}
}

func TestNoKeyIsUsedBeforeEveryNodeHasIt(t *testing.T) {
	g := start(t)
	g.guarded()
	g.join(core.NodeStatus{ID: "keyless", Cell: "default"})
	before := g.keyset()
	for range 2 {
		out, err := g.keys("rotate", "--etcd", g.etcd, "--patience", "2s")
		if err == nil || !strings.Contains(err.Error(), "keyless") {
			t.Errorf("got %v, want an error that names the node: %s", err, out)
		}
	}
	now := g.keyset()
	if next, ok := now.Next(); now.Primary() != before.Primary() || len(now.IDs()) != 2 || !ok {
		t.Errorf("keys %v, primary %d, next %d: want one more and the primary of before", now.IDs(), now.Primary(), next)
	}
	g.listed(fmt.Sprintf(`(?m)^%d +primary +1\n\d+ +next +0$`, before.Primary()))
	for _, bad := range []string{fmt.Sprint(before.Primary()), "1", "x"} {
		if _, err := g.keys("remove", bad, "--etcd", g.etcd); err == nil {
			t.Errorf("key %s is removed", bad)
		}
	}
}

func TestNothingInTheDataFolderHoldsTheSecret(t *testing.T) {
	g := start(t)
	g.guarded()
	g.ask("guarded")
	files := 0
	err := filepath.WalkDir(g.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		files++
		if strings.Contains(string(raw), canary) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	})
	if err != nil || files < 4 {
		t.Errorf("looked at %d files: %v", files, err)
	}
	if info, err := os.Stat(filepath.Join(g.dir, "keyset.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the keyset's file: %v, %v", info, err)
	}
}

func TestAKeysetIsMadeOnceAndWorksWithoutEtcd(t *testing.T) {
	t.Setenv("SLUICE_KEYSET_FILE", filepath.Join(t.TempDir(), "keyset.json"))
	t.Setenv("SLUICE_ETCD_ENDPOINTS", "")
	for _, step := range []struct {
		args []string
		ok   bool
	}{
		{[]string{"list"}, false},
		{[]string{"new"}, true},
		{[]string{"new"}, false},
		{[]string{"new", "--if-missing"}, true},
		{[]string{"list"}, true},
		{[]string{"rotate"}, false},
		{[]string{"encrypt"}, false},
	} {
		if out, err := execute(t, append([]string{"keys"}, step.args...)...); (err == nil) != step.ok {
			t.Errorf("%v: got %v, %s", step.args, err, out)
		}
	}
	t.Setenv("SLUICE_KEYSET_FILE", "")
	if _, err := execute(t, "keys", "new"); err == nil || !strings.Contains(err.Error(), "SLUICE_KEYSET_FILE") {
		t.Errorf("without a file: %v", err)
	}
}
