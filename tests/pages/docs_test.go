//go:build e2e

package pages

import (
	"context"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/sluice-gateway/sluice/admin"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

// browser returns a page of a headless Chromium.
func browser(t *testing.T) context.Context {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)
	alloc, cancelAlloc := chromedp.NewExecAllocator(t.Context(), options...)
	page, cancelPage := chromedp.NewContext(alloc)
	limited, cancelLimit := context.WithTimeout(page, 2*time.Minute)
	t.Cleanup(func() { cancelLimit(); cancelPage(); cancelAlloc() })
	return limited
}

// run does one thing on the page and returns what that gives.
func run[T any](t *testing.T, page context.Context, what string, a chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(page, a)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return v
}

func adminServer(t *testing.T) *httptest.Server {
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	st, err := store.Open(store.Config{Endpoints: etcd.Endpoints(), PlainSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	srv, err := admin.New(admin.Config{Store: st, AdminTokens: []string{"token"}})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	t.Cleanup(web.Close)
	return web
}

// TestTheDocsPageShowsTheAPIWithoutTheInternet: every operation is listed, the page has no complaint about
// the document, a resource's schema can be read in it, and nothing was asked of another host.
func TestTheDocsPageShowsTheAPIWithoutTheInternet(t *testing.T) {
	web := adminServer(t)
	page := browser(t)
	run(t, page, "open the page", chromedp.Navigate(web.URL+"/docs"))
	run(t, page, "see an operation", chromedp.WaitVisible(".opblock"))
	if n := run(t, page, "count operations", chromedp.Evaluate[int](`document.querySelectorAll(".opblock").length`)); n < 20 {
		t.Errorf("the page shows %d operations, want those of four kinds and the fleet", n)
	}
	text := run(t, page, "read the page", chromedp.Evaluate[string](`document.body.innerText`))
	for _, complaint := range []string{"Warning", "Error", "not supported", "Failed to load", "No API definition"} {
		if strings.Contains(text, complaint) {
			t.Errorf("the page says %q:\n%s", complaint, text)
		}
	}
	run(t, page, "open an operation", chromedp.Evaluate[bool](`document.querySelector(".opblock-put .opblock-summary-control").click(), true`))
	run(t, page, "see its answers", chromedp.WaitVisible(".opblock-put.is-open .responses-wrapper"))
	put := run(t, page, "read the operation", chromedp.Evaluate[string](`document.querySelector(".opblock-put.is-open").innerText`))
	if !strings.Contains(put, "base_url") || !strings.Contains(put, "https://api.openai.com/v1") {
		t.Errorf("the operation does not show its resource's fields and examples:\n%s", put)
	}
	asked := run(t, page, "list requests", chromedp.Evaluate[[]string](`performance.getEntriesByType("resource").map(e => e.name)`))
	if len(asked) < 3 {
		t.Errorf("the page asked for %v only: nothing was observed", asked)
	}
	own, _ := url.Parse(web.URL)
	for _, u := range asked {
		if to, err := url.Parse(u); err != nil || (to.Scheme != "data" && to.Host != own.Host) {
			t.Errorf("the page asked %s", u)
		}
	}
}
