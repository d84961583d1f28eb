package httpapi

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

func TestOnlyAKnownTokenOpensTheAPI(t *testing.T) {
	w := newWorld(t)
	var refusal []byte
	for _, c := range []struct {
		name   string
		values []string
		want   int
	}{
		{"the token", []string{"Bearer " + adminToken}, 200},
		{"scheme in lower case", []string{"bearer " + adminToken}, 200},
		{"scheme in upper case", []string{"BEARER " + adminToken}, 200},
		{"two spaces", []string{"Bearer  " + adminToken}, 200},
		{"none", nil, 401},
		{"empty", []string{""}, 401},
		{"scheme alone", []string{"Bearer"}, 401},
		{"scheme and space", []string{"Bearer "}, 401},
		{"another token", []string{"Bearer nonsense"}, 401},
		{"a part of the token", []string{"Bearer " + adminToken[:10]}, 401},
		{"token and more", []string{"Bearer " + adminToken + " more"}, 401},
		{"two tokens in one", []string{"Bearer " + adminToken + ", Bearer " + adminToken}, 401},
		{"Basic", []string{"Basic " + adminToken}, 401},
		{"no scheme", []string{adminToken}, 401},
		{"scheme not at the start", []string{"xBearer " + adminToken}, 401},
		{"scheme inside", []string{"Basic Bearer " + adminToken}, 401},
		{"scheme twice", []string{"Bearer Bearer " + adminToken}, 401},
		{"tab for a space", []string{"Bearer\t" + adminToken}, 401},
		{"two headers", []string{"Bearer " + adminToken, "Bearer " + adminToken}, 401},
		{"two headers, one wrong", []string{"Bearer nonsense", "Bearer " + adminToken}, 401},
	} {
		r, err := http.NewRequest(http.MethodGet, w.url+"/admin/v1/providers", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header["Authorization"] = c.values
		r.Header.Set("X-Request-Id", "fixed")
		got := w.send(r)
		if got.status != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got.status, c.want)
		}
		if c.want == 200 {
			continue
		}
		got.problem(401, "unauthenticated")
		if h := got.header.Get("WWW-Authenticate"); !strings.HasPrefix(h, "Bearer") {
			t.Errorf("%s: WWW-Authenticate is %q", c.name, h)
		}
		if refusal == nil {
			refusal = got.body
		}
		if !bytes.Equal(got.body, refusal) {
			t.Errorf("%s: the answer differs from the others: %s", c.name, got.body)
		}
	}
}

func TestAViewerReadsAndNothingElse(t *testing.T) {
	w := newWorld(t)
	w.seed()
	viewer := "Authorization: Bearer " + viewerToken
	for _, path := range []string{"/admin/v1/providers", "/admin/v1/providers/p", "/admin/v1/fleet"} {
		w.do("GET", path, "", viewer).want(200)
		w.do("HEAD", path, "", viewer).want(200)
	}
	for _, path := range []string{"providers/p", "models/m", "profiles/f", "routings/r", "api-keys/k"} {
		for _, method := range []string{"PUT", "PATCH", "DELETE", "POST"} {
			w.do(method, "/admin/v1/"+path, `{}`, viewer).problem(403, "forbidden")
		}
	}
}

func TestPathsBehindTheGuardTellNothingWithoutAToken(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/", "/admin", "/admin/v1", "/admin/v1/nothing", "/admin/v1/providers/", "/admin/v1/../v1/providers", "/metrics", "//admin/v1/providers"} {
		w.do("GET", path, "", "Authorization: none").problem(401, "unauthenticated")
	}
	for _, path := range []string{"/livez", "/readyz", "/openapi.json", "/docs", "/schemas/provider.schema.json"} {
		w.do("GET", path, "", "Authorization: none").want(200)
	}
}

func TestTokensThatLeaveTheDoorOpenAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ admins, viewers []string }{
		"none":         {nil, nil},
		"viewers only": {nil, []string{"v"}},
		"empty":        {[]string{""}, nil},
		"empty viewer": {[]string{"a"}, []string{""}},
		"both roles":   {[]string{"a"}, []string{"a"}},
	} {
		if _, err := New(Config{AdminTokens: c.admins, ViewerTokens: c.viewers}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
