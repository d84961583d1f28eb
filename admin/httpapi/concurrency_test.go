package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestWritersWithIfMatchLoseNoUpdate(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	w.do("PUT", path, `{"kind":"openai","base_url":"http://x","labels":{"n":"0"}}`).want(201)
	const writers, rounds = 8, 4
	var conflicts atomic.Int64
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for done := 0; done < rounds; {
				got := w.do("GET", path, "")
				n, err := strconv.Atoi(got.object()["labels"].(map[string]any)["n"].(string))
				if err != nil {
					t.Error(err)
					return
				}
				put := w.do("PATCH", path, `{"labels":{"n":"`+strconv.Itoa(n+1)+`"}}`, "If-Match: "+got.header.Get("ETag"))
				switch put.status {
				case http.StatusOK:
					done++
				case http.StatusPreconditionFailed:
					conflicts.Add(1)
				default:
					t.Errorf("got %d: %s", put.status, put.body)
					return
				}
			}
		})
	}
	all.Wait()
	if got := string(w.do("GET", path, "").body); !strings.Contains(got, `"n":"`+strconv.Itoa(writers*rounds)+`"`) {
		t.Errorf("updates are lost after %d conflicts: %s", conflicts.Load(), got)
	}
}

func TestPatchesWithoutIfMatchAllTakeEffect(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	w.do("PUT", path, `{"kind":"openai","base_url":"http://x"}`).want(201)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() { w.do("PATCH", path, `{"labels":{"l`+strconv.Itoa(i)+`":"x"}}`).want(200) })
	}
	all.Wait()
	if got := len(w.do("GET", path, "").object()["labels"].(map[string]any)); got != 16 {
		t.Errorf("got %d labels, want 16", got)
	}
}

func TestOnlyOneOfManyCreatorsCreates(t *testing.T) {
	w := newWorld(t)
	var created atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if w.do("PUT", "/admin/v1/providers/p", providerBody, "If-None-Match: *").status == http.StatusCreated {
				created.Add(1)
			}
		})
	}
	all.Wait()
	if created.Load() != 1 {
		t.Errorf("%d created it, want 1", created.Load())
	}
}

// The framework pools its contexts: an answer or request id of another request must never show up.
func TestParallelRequestsDoNotMix(t *testing.T) {
	w := newWorld(t)
	for i := range 8 {
		w.do("PUT", "/admin/v1/providers/p"+strconv.Itoa(i), providerBody).want(201)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			id := "p" + strconv.Itoa(i)
			for range 20 {
				got := w.do("GET", "/admin/v1/providers/"+id, "", "X-Request-Id: "+id)
				if got.object()["id"] != id || got.header.Get("X-Request-Id") != id {
					t.Errorf("asked for %s, got %v %s", id, got.header, got.body)
				}
			}
		})
	}
	all.Wait()
}
