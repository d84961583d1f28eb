package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

func TestWithoutTheStoreRequestsFailAsProblemsAndSoon(t *testing.T) {
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorldAt(t, store.Config{Endpoints: etcd.Endpoints(), CallTimeout: 300 * time.Millisecond, DialTimeout: 300 * time.Millisecond})
	w.seed()
	w.do("GET", "/readyz", "").want(200)
	etcd.Close()
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/admin/v1/providers", ""}, {"GET", "/admin/v1/providers/p", ""}, {"GET", "/admin/v1/fleet", ""}, {"GET", "/readyz", ""},
		{"PUT", "/admin/v1/providers/q?wait=5s", providerBody}, {"PATCH", "/admin/v1/providers/p", `{}`}, {"DELETE", "/admin/v1/routings/r", ""},
	} {
		got := w.do(c.method, c.path, c.body)
		got.problem(503, "store-unavailable")
		if got.header.Get("Retry-After") == "" {
			t.Errorf("%s %s: no Retry-After", c.method, c.path)
		}
	}
	w.do("GET", "/livez", "").want(200)
	w.do("PUT", "/admin/v1/providers/q", `{`).problem(400, "not-json")
	w.do("GET", "/admin/v1/providers", "", "Authorization: none").problem(401, "unauthenticated")
}

func TestAFullStoreHasAProblemOfItsOwn(t *testing.T) {
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true, QuotaBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	w := newWorldAt(t, store.Config{Endpoints: etcd.Endpoints()})
	w.seed()
	// etcd looks at its size only when it commits a batch, every 100 ms.
	var full error
	for i := 0; full == nil && i < 10_000; i++ {
		value := []byte(fmt.Sprintf(`{"id":"fill","description":"%d%s"}`, i, strings.Repeat("x", 64<<10)))
		_, full = w.store.Update(context.Background(), func(store.Image) ([]store.Change, error) {
			return []store.Change{{Ref: core.Ref{Kind: core.KindProvider, ID: "fill"}, Value: value}}, nil
		})
	}
	if !errors.Is(full, store.ErrNoSpace) {
		t.Fatalf("filling the store ended with %v", full)
	}
	// The alarm comes a moment after the first refusal, which may have left room for a smaller value.
	refused := w.do("PUT", "/admin/v1/providers/q0", providerBody)
	for i := 1; refused.status == 201 && i < 1000; i++ {
		refused = w.do("PUT", "/admin/v1/providers/q"+strconv.Itoa(i), providerBody)
	}
	refused.problem(503, "etcd-no-space")
	w.do("GET", "/admin/v1/providers/p", "").want(200)
	w.do("GET", "/readyz", "").want(200)
	w.do("PATCH", "/admin/v1/providers/p", `{}`).want(200)
}

func TestEveryErrorOfTheStoreHasAProblem(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		slug   string
	}{
		{store.ErrConflict, 409, "write-conflict"},
		{store.ErrTooLarge, 413, "too-large"},
		{store.ErrNoSpace, 503, "etcd-no-space"},
		{store.ErrUnknownOutcome, 503, "unknown-outcome"},
		{store.ErrUnavailable, 503, "store-unavailable"},
		{store.ErrUnauthenticated, 503, "store-unauthenticated"},
		{context.DeadlineExceeded, 503, "store-unavailable"},
		{&net.OpError{Op: "dial", Err: errors.New("SECRET-MARK")}, 500, "internal"},
	} {
		p := problemOf(fmt.Errorf("update resources: %w", c.err))
		if p.Status != c.status || p.Type != "urn:sluice:problem:"+c.slug || !errors.Is(p, c.err) {
			t.Errorf("%v: got %d %s", c.err, p.Status, p.Type)
		}
		if strings.Contains(p.Title+p.Detail, "SECRET-MARK") {
			t.Errorf("%v: the cause is told to the caller: %s", c.err, p.Detail)
		}
	}
	if p := problemOf(store.ErrUnknownOutcome); !strings.Contains(p.Detail, "read") {
		t.Errorf("the caller of an unknown outcome is not told to read: %s", p.Detail)
	}
}
