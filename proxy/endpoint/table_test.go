package endpoint

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheDocumentationListsEveryEndpoint as it is in the table, and no other.
func TestTheDocumentationListsEveryEndpoint(t *testing.T) {
	page, err := os.ReadFile("../../docs/endpoints.md")
	if err != nil {
		t.Fatal(err)
	}
	words := map[Teaching]string{Nothing: "nothing", Health: "health", Latency: "latency"}
	listed := 0
	for _, row := range regexp.MustCompile("(?m)^\\| `/v1/([a-z_/]+)` \\| (yes|no) \\| (\\w+) \\| (.*) \\|$").FindAllStringSubmatch(string(page), -1) {
		listed++
		e := Find(row[1])
		if e == nil {
			t.Errorf("%s is listed and not served", row[1])
			continue
		}
		var kinds []string
		for _, k := range e.Kinds {
			kinds = append(kinds, "`"+string(k)+"`")
		}
		if (row[2] == "yes") != e.Streams() || row[3] != words[e.Teaches] || row[4] != strings.Join(kinds, ", ") {
			t.Errorf("%s is listed as %q, want streams %t, %s, %s", row[1], row[2:], e.Streams(), words[e.Teaches], kinds)
		}
	}
	if listed != len(table) {
		t.Errorf("%d endpoints are listed, want %d", listed, len(table))
	}
}

func TestEveryKindOfUpstreamHasADialectAndAnEndpoint(t *testing.T) {
	for _, e := range table {
		if Find(e.Path) != e || e.Below != "/"+e.Path || e.Wire.Check == nil || len(e.Kinds) == 0 {
			t.Errorf("%s is incomplete: %+v", e.Path, e)
		}
		for _, k := range e.Kinds {
			if Dialect(k) == nil {
				t.Errorf("%s: no dialect of %s", e.Path, k)
			}
		}
	}
	if Find("chat") != nil || Find("") != nil {
		t.Error("there is an endpoint that is not in the table")
	}
}
