package embed_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

func TestAnotherDimensionIsEmbeddedForOnce(t *testing.T) {
	for name, store := range map[string]embed.Store{"alone": nil, "with a store": newShelf()} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{dimension: 6}
			n, _ := start(t, s, store, nil)
			e := endpoint(t, core.EmbeddingPolicy{})
			a, b := collection(t, e, texts(0, 40)), collection(t, e, texts(30, 50))
			n.Want([]*embed.Collection{a, b})
			synctest.Wait()
			holds(t, a, 6, texts(0, 40))
			if _, err := n.Match(t.Context(), nil, a, "known"); err != nil {
				t.Fatal(err)
			}
			s.set(func(s *server) { s.dimension = 8; s.calls = nil })
			if _, err := n.Match(t.Context(), nil, a, "prompt"); embed.CauseOf(err) != embed.WrongDimension {
				t.Errorf("%s: the first prompt got %v", name, err)
			}
			synctest.Wait()
			holds(t, a, 8, texts(0, 40))
			holds(t, b, 8, texts(30, 50))
			if len(s.sent()) != 51 {
				t.Errorf("%s: sent %d texts, want 50 and the prompt", name, len(s.sent()))
			}
			for _, text := range []string{"prompt", "known", "example 0003"} {
				if m, err := n.Match(t.Context(), nil, a, text); err != nil || m[0].Example < 0 {
					t.Errorf("%s: %s: got %+v and error %v", name, text, m, err)
				}
			}
			// A server that gives now this and now that is not followed.
			s.set(func(s *server) { s.calls = nil })
			for i := range 100 {
				s.set(func(s *server) { s.dimension = 6 + 2*(i%2) })
				n.Match(t.Context(), nil, a, fmt.Sprint("prompt ", i))
				time.Sleep(time.Second)
			}
			if sent := len(s.sent()); sent > 100 {
				t.Errorf("%s: sent %d texts for 100 prompts", name, sent)
			}
			if a.Vectors() == nil {
				t.Errorf("%s: the vectors are gone", name)
			}
		})
	}
}

func TestADriftSeenByOneNodeCostsTheOthersNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		var nodes []node
		var all []*embed.Collection
		for range 3 {
			n, _ := start(t, s, store, nil)
			c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 40))
			n.Want([]*embed.Collection{c})
			synctest.Wait()
			nodes, all = append(nodes, n), append(all, c)
		}
		s.set(func(s *server) { s.dimension = 8; s.calls = nil })
		for i, n := range nodes {
			n.Match(t.Context(), nil, all[i], "prompt")
			synctest.Wait()
			holds(t, all[i], 8, texts(0, 40))
		}
		if sent := len(s.sent()); sent != 40+3 {
			t.Errorf("sent %d texts, want 40 and a prompt by each node", sent)
		}
	})
}

func TestVectorsOfTwoDimensionsInTheStoreAreMadeOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		e := endpoint(t, core.EmbeddingPolicy{})
		learn := func(texts []string) {
			n, stop := start(t, s, store, nil)
			c := collection(t, e, texts)
			n.Want([]*embed.Collection{c})
			synctest.Wait()
			holds(t, c, s.dimension, texts)
			stop()
		}
		learn(texts(0, 40))
		s.set(func(s *server) { s.dimension = 8 })
		learn(texts(40, 60))
		s.set(func(s *server) { s.calls = nil })
		learn(texts(0, 60))
		if sent := len(s.sent()); sent > 60 {
			t.Errorf("sent %d texts again", sent)
		}
	})
}

func TestAnEndpointThatChangesFromCallToCallIsGivenUpForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{}
		s.instead = func(http.ResponseWriter, *http.Request, call) bool { return false }
		n, _ := start(t, &flipping{server: s}, nil, nil)
		c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 200))
		n.Want([]*embed.Collection{c})
		time.Sleep(time.Minute)
		if got := n.States()[0]; got.Ready || !strings.Contains(got.Failure, "wrong dimension") || s.count() > 60 {
			t.Errorf("got %+v after %d calls", got, s.count())
		}
	})
}

type flipping struct {
	*server
	odd bool
}

func (f *flipping) RoundTrip(r *http.Request) (*http.Response, error) {
	f.odd = !f.odd
	f.set(func(s *server) {
		if s.dimension = 6; f.odd {
			s.dimension = 8
		}
	})
	return f.server.RoundTrip(r)
}
