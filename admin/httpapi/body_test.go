package httpapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestWhatIsNotStrictJSONIsRefusedBeforeAnythingElse(t *testing.T) {
	w := newWorld(t)
	w.seed()
	for name, body := range map[string]string{
		"empty":                   ``,
		"not JSON":                `{kind: openai}`,
		"cut short":               `{"kind":"openai"`,
		"trailing data":           `{"kind":"openai"} {}`,
		"trailing comma":          `{"kind":"openai",}`,
		"duplicate key":           `{"kind":"openai","kind":"openai"}`,
		"duplicate key, escaped":  `{"kind":"openai","\u006bind":"openai"}`,
		"duplicate key, nested":   `{"auth":{"secret":"a","secret":"b"}}`,
		"invalid UTF-8":           "{\"description\":\"\xff\"}",
		"lone surrogate":          `{"description":"\ud800"}`,
		"absurd number":           `{"weight":1e999999999}`,
		"absurdly long number":    `{"weight":0.` + strings.Repeat("1", 200_000) + `}`,
		"absurd depth":            strings.Repeat(`[`, 1000) + strings.Repeat(`]`, 1000),
		"a byte order mark":       "\ufeff{}",
		"a comment":               `{} // none`,
		"NaN":                     `{"weight":NaN}`,
		"a raw control character": "{\"description\":\"a\nb\"}",
	} {
		for _, method := range []string{"PUT", "PATCH"} {
			p := w.do(method, "/admin/v1/providers/p", body).problem(400, "not-json")
			if len(p.Errors) == 0 || p.Errors[0].Rule == "" || p.Errors[0].Message == "" {
				t.Errorf("%s %s: no fault is named: %+v", method, name, p)
			}
		}
	}
}

func TestOnlyTheRightMediaTypeIsTaken(t *testing.T) {
	w := newWorld(t)
	w.seed()
	for _, c := range []struct {
		method, header string
		want           int
	}{
		{"PUT", "Content-Type: application/json", 200},
		{"PUT", "Content-Type: application/json; charset=UTF-8", 200},
		{"PUT", "Content-Type: Application/JSON", 200},
		{"PUT", "Content-Type: application/json; charset=latin1", 415},
		{"PUT", "Content-Type: application/x-www-form-urlencoded", 415},
		{"PUT", "Content-Type: application/merge-patch+json", 415},
		{"PUT", "Content-Type: text/plain", 415},
		{"PUT", "Content-Type: ", 415},
		{"PUT", "Content-Type: ;", 415},
		{"PUT", "Content-Encoding: gzip", 415},
		{"PUT", "Content-Encoding: identity", 200},
		{"PATCH", "Content-Type: application/merge-patch+json", 200},
		{"PATCH", "Content-Type: application/json", 415},
		{"PATCH", "Content-Type: application/json-patch+json", 415},
	} {
		body := map[string]string{"PUT": providerBody, "PATCH": `{}`}[c.method]
		got := w.do(c.method, "/admin/v1/providers/p", body, c.header)
		if got.status != c.want {
			t.Errorf("%s with %q: got %d, want %d", c.method, c.header, got.status, c.want)
		}
		if c.want == 415 {
			got.problem(415, "unsupported-media-type")
		}
	}
	if got := w.do("PATCH", "/admin/v1/providers/p", `{}`, "Content-Type: text/plain").header.Get("Accept-Patch"); got != "application/merge-patch+json" {
		t.Errorf("Accept-Patch: got %q", got)
	}
}

func TestNoMoreThanTheLimitIsRead(t *testing.T) {
	w := newWorld(t)
	full := `{"description":"` + strings.Repeat("a", maxBody-len(`{"description":""}`)) + `"}`
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(bytes.Repeat([]byte("a"), 8*maxBody))
	_ = z.Close()
	for _, c := range []struct {
		name    string
		body    io.Reader
		chunked bool
		header  string
		want    int
	}{
		{"at the limit", strings.NewReader(full), false, "", 422},
		{"at the limit, chunked", strings.NewReader(full), true, "", 422},
		{"one over", strings.NewReader(full + " "), false, "", 413},
		{"one over, chunked", strings.NewReader(full + " "), true, "", 413},
		{"endless, chunked", io.LimitReader(zeros{}, 1<<30), true, "", 413},
		{"a gzip bomb", &bomb, true, "gzip", 415},
	} {
		r, err := http.NewRequest(http.MethodPut, w.url+"/admin/v1/providers/p", c.body)
		if err != nil {
			t.Fatal(err)
		}
		if c.chunked {
			r.ContentLength = -1
		}
		r.Header.Set("Authorization", "Bearer "+adminToken)
		r.Header.Set("Content-Type", "application/json")
		if c.header != "" {
			r.Header.Set("Content-Encoding", c.header)
		}
		got := w.send(r)
		if got.status != c.want {
			t.Errorf("%s: got %d, want %d: %.200s", c.name, got.status, c.want, got.body)
		}
		if c.want == 413 && !strings.Contains(got.problem(413, "too-large").Detail, "1048576") {
			t.Errorf("%s: the limit is not named: %s", c.name, got.body)
		}
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }
