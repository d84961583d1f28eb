package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

func TestPreconditionsDecideWhetherAWriteHappens(t *testing.T) {
	w := newWorld(t)
	tag := w.do("PUT", "/admin/v1/providers/p", providerBody).want(201).header.Get("ETag")
	const old = `"1"`
	for _, c := range []struct {
		method, path, header string
		want                 int
	}{
		{"PATCH", "p", "If-Match: " + tag, 200},
		{"PATCH", "p", "If-Match: " + old + ", " + tag, 200},
		{"PATCH", "p", "If-Match: *", 200},
		{"PATCH", "p", "If-Match: " + old, 412},
		{"PATCH", "p", "If-Match: W/" + tag, 412},
		{"PATCH", "p", `If-Match: "other-words"`, 412},
		{"PATCH", "p", `If-Match: "+` + tag[1:], 412},
		{"PATCH", "p", "If-Match: " + tag[1:len(tag)-1], 400},
		{"PATCH", "p", "If-Match: ", 400},
		{"PATCH", "p", `If-Match: *, "1"`, 400},
		{"PATCH", "p", "If-None-Match: *", 412},
		{"PATCH", "p", "If-None-Match: W/" + tag, 412},
		{"PATCH", "p", "If-None-Match: " + old, 200},
		{"PUT", "p", "If-Match: " + old, 412},
		{"PUT", "p", "If-None-Match: *", 412},
		{"PUT", "p", "If-Match: " + tag, 200},
		{"PUT", "new", "If-Match: *", 412},
		{"PUT", "new", "If-Match: " + tag, 412},
		{"PUT", "new", "If-None-Match: *", 201},
		{"PATCH", "none", "If-Match: " + tag, 404},
		{"DELETE", "none", "If-Match: " + tag, 404},
		{"DELETE", "p", "If-Match: " + old, 412},
		{"DELETE", "p", "If-Match: " + tag, 204},
	} {
		body := map[string]string{"PUT": providerBody, "PATCH": `{}`}[c.method]
		got := w.do(c.method, "/admin/v1/providers/"+c.path, body, c.header)
		switch {
		case got.status != c.want:
			t.Errorf("%s %s with %q: got %d, want %d: %s", c.method, c.path, c.header, got.status, c.want, got.body)
		case c.want == 412:
			got.problem(412, "precondition-failed")
		}
	}
}

func TestAStaleWriterIsToldBeforeItsFaults(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "/admin/v1/providers/p", providerBody).want(201)
	w.do("PUT", "/admin/v1/providers/p", `{"kind":"nonsense"}`, `If-Match: "1"`).problem(412, "precondition-failed")
}

func TestGetAnswersConditions(t *testing.T) {
	w := newWorld(t)
	tag := w.do("PUT", "/admin/v1/providers/p", providerBody).want(201).header.Get("ETag")
	for header, want := range map[string]int{
		"If-None-Match: " + tag:       304,
		"If-None-Match: W/" + tag:     304,
		"If-None-Match: *":            304,
		`If-None-Match: "1"`:          200,
		`If-None-Match: "1", ` + tag:  304,
		"If-Match: " + tag:            200,
		`If-Match: "1"`:               412,
		"If-None-Match: unquoted-tag": 400,
	} {
		got := w.do("GET", "/admin/v1/providers/p", "", header)
		if got.status != want || want == 304 && (len(got.body) > 0 || got.header.Get("ETag") != tag) {
			t.Errorf("%q: got %d %v %s, want %d", header, got.status, got.header, got.body, want)
		}
	}
}

func FuzzOnlyTheETagItselfMatches(f *testing.F) {
	for _, s := range []string{`"57"`, `W/"57"`, `"57", "58"`, `*`, `"057"`, `"+57"`, `57`, `"`, ``, `"5" "7"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		cond, err := condition(http.Header{"If-Match": {value}})
		if err != nil || cond.Revisions == nil {
			return
		}
		if cond.Holds(57) && !strings.Contains(value, etag(57)) {
			t.Errorf("%q matches %s", value, etag(57))
		}
		if cond.Holds(0) {
			t.Errorf("%q matches what does not exist", value)
		}
	})
}
