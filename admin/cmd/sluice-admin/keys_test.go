package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
	"github.com/sluice-gateway/sluice/store/storetest"
)

func TestAServiceThatCouldOpenNoSecretDoesNotStart(t *testing.T) {
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	keys, file := storetest.Keyset(t)
	st, err := store.Open(store.Config{Endpoints: etcd.Endpoints(), Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := st.Update(t.Context(), func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: core.Ref{Kind: core.KindProvider, ID: "p"}, Value: []byte(`{"id":"p","kind":"openai","base_url":"http://x","auth":{"secret":"s"}}`)}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ args, want string }{
		"without a keyset":  {"--insecure-plaintext-secrets", "set --keyset-file or SLUICE_KEYSET_FILE"},
		"without that file": {"--keyset-file=" + file + "-none", file + "-none"},
	} {
		args := []string{"--listen", "127.0.0.1:0", "--etcd", etcd.Endpoints()[0]}
		if c.args != "" {
			args = append(args, c.args)
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
		cmd.Env = append(os.Environ(), "SLUICE_TEST_COMMAND=1", "SLUICE_ADMIN_TOKEN=t")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: got %v, want a word on %s:\n%s", name, err, c.want, out)
		}
	}
}
