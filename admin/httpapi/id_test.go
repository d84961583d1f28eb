package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestNoSpellingOfAnIDReachesAnotherResource(t *testing.T) {
	w := newWorld(t)
	w.seed()
	before, err := w.store.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{
		"foo%2Fbar", "..%2Fproviders%2Fp", "%2e%2e", "..", ".", "%2E", ".p", "-p", "_p", "a%2541", "p%00", "%00", "p%0a", "p%0d%0a", "p%7f", "p%20", "p%09",
		"%E6%A8%A1", "模", "a/accepted", "a%23b", "a%3Fb", "a%25", "a%5Cb", "a;b", "a:b", "a@b", "a,b", "*", "%2A", "p%C0%AF", "p%FF",
		strings.Repeat("a", 129), strings.Repeat("a", 300), "p/", "/p", "//",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			u, err := url.Parse(w.url + "/admin/v1/models/" + id)
			if err != nil {
				t.Fatalf("%q: %v", id, err)
			}
			got := w.raw(method, u, map[string]string{http.MethodPut: modelBody, http.MethodPatch: `{"description":"x"}`}[method])
			if got.status != 400 && got.status != 404 {
				t.Errorf("%s %q: got %d: %s", method, id, got.status, got.body)
			}
			if got.status == 400 && !strings.Contains(string(got.body), "^[A-Za-z0-9]") {
				t.Errorf("%s %q: the rule is not named: %s", method, id, got.body)
			}
		}
	}
	after, err := w.store.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if before.Settled() != after.Settled() {
		t.Errorf("something was written: %v", after.Items)
	}
}

// raw sends the path exactly as it is spelled in u.
func (w *world) raw(method string, u *url.URL, body string) answer {
	w.t.Helper()
	r, err := http.NewRequest(method, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.URL = u
	r.Header.Set("Authorization", "Bearer "+adminToken)
	r.Header.Set("Content-Type", map[string]string{http.MethodPut: "application/json", http.MethodPatch: "application/merge-patch+json"}[method])
	return w.send(r)
}

func TestAnEncodedIDIsDecodedOnce(t *testing.T) {
	w := newWorld(t)
	w.seed()
	w.do("GET", "/admin/v1/models/%6d", "").want(200)
	w.do("GET", "/admin/v1/models/%256d", "").problem(400, "bad-request")
	w.do("PUT", "/admin/v1/models/A-z_0.9", modelBody).want(201)
	w.do("PUT", "/admin/v1/models/"+strings.Repeat("a", 128), modelBody).want(201)
}
