package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

func (w *world) list(query string) (List, []string) {
	w.t.Helper()
	var l List
	if err := json.Unmarshal(w.do("GET", "/admin/v1/providers"+query, "").want(200).body, &l); err != nil {
		w.t.Fatal(err)
	}
	var ids []string
	for _, item := range l.Items {
		var r struct{ ID string }
		if err := json.Unmarshal(item.Resource, &r); err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return l, ids
}

// fill stores providers p00, p01, … in one transaction.
func (w *world) fill(n int) {
	w.t.Helper()
	_, err := w.store.Update(context.Background(), func(store.Image) ([]store.Change, error) {
		var out []store.Change
		for i := range n {
			id := fmt.Sprintf("p%02d", i)
			out = append(out, store.Change{Ref: core.Ref{Kind: core.KindProvider, ID: id}, Value: []byte(`{"id":"` + id + `","kind":"openai","base_url":"http://x","labels":{"n":"` + strconv.Itoa(i%2) + `","team":"a"}}`)})
		}
		return out, nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

func TestPagesOfOneListShowOneRevision(t *testing.T) {
	w := newWorld(t)
	w.fill(7)
	var got []string
	first, ids := w.list("?limit=3")
	got = append(got, ids...)
	w.do("DELETE", "/admin/v1/providers/p04", "").want(204)
	w.do("PUT", "/admin/v1/providers/p03a", providerBody).want(201)
	w.do("PATCH", "/admin/v1/providers/p05", `{"description":"changed"}`).want(200)
	page := first
	for page.NextPageToken != "" {
		page, ids = w.list("?limit=3&page_token=" + page.NextPageToken)
		got = append(got, ids...)
		if page.Revision != first.Revision {
			t.Errorf("a page is of revision %d, the first of %d", page.Revision, first.Revision)
		}
		for _, item := range page.Items {
			if strings.Contains(string(item.Resource), "changed") {
				t.Errorf("a later page shows a later change: %s", item.Resource)
			}
		}
	}
	if diff := cmp.Diff([]string{"p00", "p01", "p02", "p03", "p04", "p05", "p06"}, got); diff != "" {
		t.Errorf("ids (-want +got)\n%s", diff)
	}
	if _, now := w.list(""); !slices.Contains(now, "p03a") || slices.Contains(now, "p04") {
		t.Errorf("a new list does not show the changes: %v", now)
	}
}

func TestAListGoesOnAtAnotherReplicaAsItBegan(t *testing.T) {
	w := newWorld(t)
	w.fill(4)
	first, _ := w.list("?limit=3")
	other, _ := w.replica(w.store)
	path := "/admin/v1/providers?page_token=" + first.NextPageToken
	w.doAt(other, "GET", path, "").want(200)
	w.do("DELETE", "/admin/v1/providers/p03", "").want(204)
	if got := w.doAt(other, "GET", path, "").want(200); !strings.Contains(string(got.body), `"p03"`) {
		t.Errorf("the second page is not of the first page's revision: %s", got.body)
	}
}

func TestLabelsNarrowAList(t *testing.T) {
	w := newWorld(t)
	w.fill(4)
	for query, want := range map[string][]string{
		"?label=n=1":                 {"p01", "p03"},
		"?label=n=1&label=team=a":    {"p01", "p03"},
		"?label=n=1&label=team=b":    nil,
		"?label=n=":                  nil,
		"?label=none=1":              nil,
		"?label=n%3D0&limit=1":       {"p00"},
		"?limit=4":                   {"p00", "p01", "p02", "p03"},
		"?label=team=a&label=team=a": {"p00", "p01", "p02", "p03"},
		"?label=n=1&limit=1000":      {"p01", "p03"},
	} {
		if _, got := w.list(query); !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}
	if l, _ := w.list("?limit=4"); l.NextPageToken != "" {
		t.Errorf("a list that is whole has a next page %q", l.NextPageToken)
	}
}

func TestAnEmptyListIsAnEmptyArray(t *testing.T) {
	w := newWorld(t)
	if got := string(w.do("GET", "/admin/v1/models", "").want(200).body); got != `{"items":[],"revision":0}`+"\n" {
		t.Errorf("got %s", got)
	}
}

func TestBadListParametersAreNamed(t *testing.T) {
	w := newWorld(t)
	for query, rule := range map[string]string{
		"?limit=0": "limit", "?limit=1001": "limit", "?limit=-1": "limit", "?limit=ten": "limit", "?limit=": "limit",
		"?label=team": "label", "?label==a": "label", "?label=a=1&label=a=2": "label",
		"?page_token=!": "page-token", "?page_token=e30": "page-token", "?page_token=bnVsbA": "page-token",
		// {"r":1,"a":"../x"}
		"?page_token=eyJyIjoxLCJhIjoiLi4veCJ9": "page-token",
	} {
		p := w.do("GET", "/admin/v1/providers"+query, "").problem(400, "bad-request")
		if len(p.Errors) != 1 || p.Errors[0].Rule != rule {
			t.Errorf("%s: got %v, want rule %q", query, brief(p.Errors), rule)
		}
	}
}

func TestAStoredValueThatIsNoObjectSpoilsNothingElse(t *testing.T) {
	w := newWorld(t)
	w.fill(1)
	const body = `{"provider":"p00","upstream_model":"x"}`
	w.do("PUT", "/admin/v1/models/good", body).want(201)
	garbage := []byte(`"SECRET-MARK"`)
	if _, err := w.store.Update(context.Background(), func(store.Image) ([]store.Change, error) {
		return []store.Change{{Ref: core.Ref{Kind: core.KindModel, ID: "bad"}, Value: garbage}}, nil
	}); err != nil {
		t.Fatal(err)
	}
	l := w.do("GET", "/admin/v1/models", "").want(200)
	if !strings.Contains(string(l.body), `"resource":null`) || !strings.Contains(string(l.body), `"id":"good"`) {
		t.Errorf("got %s", l.body)
	}
	w.do("GET", "/admin/v1/models/bad", "").problem(409, "corrupt")
	w.do("PATCH", "/admin/v1/models/bad", `{"provider":"p00"}`).problem(409, "corrupt")
	w.do("PUT", "/admin/v1/models/bad", body).want(200)
	w.do("DELETE", "/admin/v1/models/bad", "").want(204)
}
