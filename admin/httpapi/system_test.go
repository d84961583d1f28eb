package httpapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/openapi"
	"github.com/sluice-gateway/sluice/schemas"
)

func TestRoutesAndTheDocumentAreTheSameSet(t *testing.T) {
	w := newWorld(t)
	routed := map[string]bool{}
	for _, r := range w.api.echo.Routes() {
		if r.Path == openapi.DocsPath+"/*" {
			continue // what the page of /docs loads
		}
		segments := strings.Split(r.Path, "/")
		for i, s := range segments {
			if name, ok := strings.CutPrefix(s, ":"); ok {
				id, verb, _ := strings.Cut(name, ":")
				segments[i] = strings.TrimSuffix("{"+id+"}:"+verb, ":")
			}
		}
		routed[r.Method+" "+strings.Join(segments, "/")] = true
	}
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(openapi.Document(), &doc); err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for path, operations := range doc.Paths {
		for method := range operations {
			if method != "parameters" {
				documented[strings.ToUpper(method)+" "+path] = true
			}
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(routed))); diff != "" {
		t.Errorf("routes (-documented +routed)\n%s", diff)
	}
}

func TestTheAPIDescribesItself(t *testing.T) {
	w := newWorld(t)
	if got := w.do("GET", "/openapi.json", "").want(200); string(got.body) != string(openapi.Document()) || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("openapi.json: %v", got.header)
	}
	for _, kind := range schemas.Kinds() {
		want, _ := schemas.Raw(kind)
		if got := w.do("GET", "/schemas/"+kind+".schema.json", "").want(200); string(got.body) != string(want) {
			t.Errorf("%s: the schema differs from the embedded one", kind)
		}
	}
	for _, file := range []string{"none.schema.json", "provider", "provider.schema.jsonx", "..%2Fset.go", "%2e%2e%2f%2e%2e%2fetc%2fpasswd.schema.json"} {
		w.do("GET", "/schemas/"+file, "").problem(404, "not-found")
	}
}

func TestTheDocsPageNeedsNothingFromElsewhere(t *testing.T) {
	w := newWorld(t)
	page := string(w.do("GET", openapi.DocsPath, "").want(200).body)
	if !strings.Contains(page, "/openapi.json") {
		t.Errorf("the page does not show the document: %s", page)
	}
	loaded := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(loaded) == 0 {
		t.Errorf("the page loads nothing: %s", page)
	}
	for _, m := range loaded {
		if !strings.HasPrefix(m[1], openapi.DocsPath) {
			t.Errorf("the page loads %s", m[1])
			continue
		}
		w.do("GET", m[1], "", "Authorization: none").want(200)
	}
}

func TestWhatIsNotThereIsAProblemToo(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/", "/nothing", "/admin/v1/", "/admin/v1/providers/", "/admin/v2/providers", "/admin/v1/provider/p", "/admin/v1/fleet/x", "/docs/nope", "/docs/nope/", "/docs/../docs/nope.js", "/docs/%2e%2e"} {
		w.do("GET", path, "").problem(404, "not-found")
		if got := w.do("HEAD", path, "").want(404); got.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("HEAD %s: Content-Type %q", path, got.header.Get("Content-Type"))
		}
	}
	for path, allow := range map[string]string{
		"/admin/v1/providers": "GET, HEAD", "/admin/v1/providers/p": "DELETE, GET, HEAD, PATCH, PUT", "/livez": "GET, HEAD", "/admin/v1/fleet": "GET, HEAD",
	} {
		got := w.do("POST", path, `{}`)
		got.problem(405, "method-not-allowed")
		methods := strings.Split(got.header.Get("Allow"), ", ")
		slices.Sort(methods)
		if methods = slices.DeleteFunc(methods, func(m string) bool { return m == "OPTIONS" }); strings.Join(methods, ", ") != allow {
			t.Errorf("%s: Allow is %q, want %q", path, got.header.Get("Allow"), allow)
		}
	}
}

func TestEveryAnswerHasARequestID(t *testing.T) {
	w := newWorld(t)
	for id, kept := range map[string]bool{
		"abc-DEF_1.2": true, strings.Repeat("a", 128): true,
		strings.Repeat("a", 129): false, "": false, "a b": false, "a,b": false, "ä": false, `"quoted"`: false,
	} {
		for path, status := range map[string]int{"/livez": 200, "/nothing": 404, "/admin/v1/models/x": 404} {
			got := w.do("GET", path, "", "X-Request-Id: "+id).want(status).header.Get("X-Request-Id")
			if (got == id) != kept || got == "" {
				t.Errorf("%s with %q: got %q", path, id, got)
			}
		}
	}
	log := w.ended()
	if !strings.Contains(log, `"request_id":"abc-DEF_1.2"`) || !strings.Contains(log, `"status":404`) {
		t.Errorf("the access log misses the requests: %s", log)
	}
}

func TestHeadAnswersAsGetWithoutABody(t *testing.T) {
	w := newWorld(t)
	w.seed()
	for _, path := range []string{"/admin/v1/providers/p", "/admin/v1/providers", "/livez", "/docs", "/openapi.json"} {
		got := w.do("HEAD", path, "").want(200)
		if len(got.body) > 0 || got.header.Get("Content-Type") == "" {
			t.Errorf("%s: %v %s", path, got.header, got.body)
		}
	}
	w.do("HEAD", "/admin/v1/providers/none", "").want(404)
}

func TestAPanicIsAProblemUntilAnAnswerHasBegun(t *testing.T) {
	w := newWorld(t)
	srv := httptest.NewServer(withRequestID(withRecovery(w.api.log, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/begun":
			_, _ = rw.Write([]byte("half an answer"))
			_ = http.NewResponseController(rw).Flush()
			panic("late")
		case "/abort":
			panic(http.ErrAbortHandler)
		}
		panic("early")
	}))))
	t.Cleanup(srv.Close)
	w.doAt(srv.URL, "GET", "/early", "").problem(500, "internal")
	for _, path := range []string{"/begun", "/abort"} {
		resp, err := http.Get(srv.URL + path)
		if err == nil {
			var b [64]byte
			for err == nil {
				_, err = resp.Body.Read(b[:])
			}
			resp.Body.Close()
		}
		if err.Error() == "EOF" {
			t.Errorf("%s: the broken answer looks whole", path)
		}
	}
	srv.Close()
	if got := strings.Count(w.ended(), `"msg":"panic"`); got != 2 {
		t.Errorf("%d panics are in the log, want 2: an abort is none", got)
	}
}
