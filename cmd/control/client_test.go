package control_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/sluice-gateway/sluice/admin"
	"github.com/sluice-gateway/sluice/cmd/control"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

func TestTheRoleOfATokenIsFoundWithoutChangingAnything(t *testing.T) {
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	st, err := store.Open(store.Config{Endpoints: etcd.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	service, err := admin.New(admin.Config{Store: st, AdminTokens: []string{"admin-token"}, ViewerTokens: []string{"viewer-token"}, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(service.Handler())
	t.Cleanup(srv.Close)
	before := revision(t, st)
	for token, want := range map[string]control.Role{"admin-token": control.RoleAdmin, "viewer-token": control.RoleViewer, "another": "", "": ""} {
		c, err := control.New(srv.URL+"/", token)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		got, err := c.Role(t.Context())
		refused := new(control.Refusal)
		if got != want || (want == "") != (errors.As(err, &refused) && refused.Status == 401) {
			t.Errorf("%q: got %q, %v", token, got, err)
		}
		if version, err := c.Version(t.Context()); version != "v1" || err != nil {
			t.Errorf("%q: version %q, %v", token, version, err)
		}
	}
	if after := revision(t, st); after != before {
		t.Errorf("something was written: revision %d became %d", before, after)
	}
}

func revision(t *testing.T, st *store.Store) int64 {
	t.Helper()
	img, err := st.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return img.Revision
}

func TestOnlyAddressesOfServicesAreTaken(t *testing.T) {
	for _, base := range []string{"", "127.0.0.1:8081", "ftp://x", "http://", "%"} {
		if _, err := control.New(base, ""); err == nil {
			t.Errorf("%q is taken", base)
		}
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	c, err := control.New("http://127.0.0.1:1", "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.Fleet(ctx, "cell"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
