package openapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, url, encoding string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, url, nil)
	if encoding != "" {
		r.Header.Set("Accept-Encoding", encoding)
	}
	w := httptest.NewRecorder()
	Docs("/openapi.json").ServeHTTP(w, r)
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

func TestThePageNeedsNoNetwork(t *testing.T) {
	for _, path := range []string{"/docs", "/docs/"} {
		answer, page := get(t, path, "")
		if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			t.Fatalf("GET %s: %s, %s", path, answer.Status, answer.Header.Get("Content-Type"))
		}
		if !strings.Contains(page, `"/openapi.json"`) {
			t.Errorf("GET %s: the page does not name the document", path)
		}
		if policy := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "http") {
			t.Errorf("GET %s: Content-Security-Policy %q lets the page reach other hosts", path, policy)
		}
		assets := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
		if len(assets) < 4 {
			t.Fatalf("GET %s: only %d assets found", path, len(assets))
		}
		for _, asset := range assets {
			url := asset[1]
			if !strings.HasPrefix(url, DocsPath+"/") {
				t.Errorf("the page loads %s, which is not its own", url)
				continue
			}
			for _, encoding := range []string{"", "gzip", "br"} {
				if answer, body := get(t, url, encoding); answer.StatusCode != http.StatusOK || body == "" {
					t.Errorf("GET %s accepting %q: %s, %d bytes", url, encoding, answer.Status, len(body))
				}
			}
		}
	}
}

func TestWhatThePageDoesNotHaveIsNotFound(t *testing.T) {
	for _, path := range []string{"/docs/none.js", "/docs/../openapi.go", "/docs/%2e%2e/document.go"} {
		if answer, _ := get(t, path, ""); answer.StatusCode != http.StatusNotFound {
			t.Errorf("GET %s: %s, want 404", path, answer.Status)
		}
	}
}

func TestASpecURLCannotBreakOutOfThePage(t *testing.T) {
	w := httptest.NewRecorder()
	Docs(`/x</script><script>alert(1)</script>`).ServeHTTP(w, httptest.NewRequest(http.MethodGet, DocsPath, nil))
	if strings.Contains(w.Body.String(), "<script>alert") {
		t.Error("the page holds the script of the document's URL")
	}
}
