package storetest

import (
	"context"
	"errors"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/store"
)

const (
	rootPassword = "root-password"
	userPassword = "user-password"
)

// protect turns authentication on until the test ends: root, a user "sluice" for the case's prefix, and a
// user "nobody" without any permission.
func protect(t *testing.T, e *env) {
	t.Helper()
	ctx := context.Background()
	check := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("set up authentication: %v", err)
		}
	}
	c := e.etcd
	check(c.UserAdd(ctx, "root", rootPassword))
	check(c.UserGrantRole(ctx, "root", "root"))
	check(c.UserAdd(ctx, "sluice", userPassword))
	check(c.UserAdd(ctx, "nobody", userPassword))
	check(c.RoleAdd(ctx, "sluice"))
	check(c.RoleGrantPermission(ctx, "sluice", e.prefix+"/", clientv3.GetPrefixRangeEnd(e.prefix+"/"), clientv3.PermissionType(clientv3.PermReadWrite)))
	check(c.UserGrantRole(ctx, "sluice", "sluice"))
	check(c.AuthEnable(ctx))
	t.Cleanup(func() {
		root := as(t, e, "root", rootPassword)
		check(root.AuthDisable(ctx))
		for _, user := range []string{"root", "sluice", "nobody"} {
			check(root.UserDelete(ctx, user))
		}
		check(root.RoleDelete(ctx, "sluice"))
	})
}

func as(t *testing.T, e *env, user, password string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: e.cluster.Endpoints, Username: user, Password: password, DialTimeout: patience})
	if err != nil {
		t.Fatalf("log in as %s: %v", user, err)
	}
	closeAfter(t, c)
	return c
}

func user(name, password string) func(*store.Config) {
	return func(cfg *store.Config) { cfg.Username, cfg.Password = name, password }
}

func credentials(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	protect(t, e)
	for name, s := range map[string]*store.Store{
		"no user":        e.open(t),
		"wrong password": e.open(t, user("sluice", "wrong")),
		"no permission":  e.open(t, user("nobody", userPassword)),
	} {
		if err := s.Ping(t.Context()); !errors.Is(err, store.ErrUnauthenticated) {
			t.Errorf("%s: ping: got %v, want ErrUnauthenticated", name, err)
		}
		if _, err := s.Update(t.Context(), increment); !errors.Is(err, store.ErrUnauthenticated) {
			t.Errorf("%s: update: got %v, want ErrUnauthenticated", name, err)
		}
		w := watchLater(t, s)
		w.await(t, "the watch to be refused", func() bool { return len(w.health) > 0 })
		w.look(func() {
			if !errors.Is(w.health[0], store.ErrUnauthenticated) {
				t.Errorf("%s: watch: got %v, want ErrUnauthenticated", name, w.health[0])
			}
		})
	}
	s := e.open(t, user("sluice", userPassword), through(relay))
	w := watch(t, s)
	n := watchNodes(t, s)
	run(t, s, node("a"), "here")
	n.awaitLive(t, map[string]string{"a": "here"})
	if e.cluster.Restart != nil {
		e.restart(t, relay) // which forgets every token
	}
	end := update(t, s, increment)
	w.awaitRevision(t, end.Revision)
	changePassword(t, e, "changed")
	relay.Lead(t, e.cluster.Endpoints)
	w.await(t, "the changed password to be refused", func() bool {
		return len(w.health) > 0 && errors.Is(w.health[len(w.health)-1], store.ErrUnauthenticated)
	})
	changePassword(t, e, userPassword)
	end = update(t, s, increment)
	w.awaitRevision(t, end.Revision)
	if got := w.count(); got != 3 {
		t.Errorf("images: got %d, want 3", got)
	}
}

func changePassword(t *testing.T, e *env, password string) {
	t.Helper()
	if _, err := as(t, e, "root", rootPassword).UserChangePassword(t.Context(), "sluice", password); err != nil {
		t.Fatalf("change password: %v", err)
	}
}
