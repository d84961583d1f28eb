package embed_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

func TestFailuresAreTriedAgainEverMoreSeldomAndAreSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6, instead: says(503, "")}
		n, _ := start(t, s, nil, nil)
		c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 3))
		n.Want([]*embed.Collection{c})
		time.Sleep(time.Minute)
		if early := s.count(); early < 4 || early > 12 {
			t.Errorf("%d calls in the first minute", early)
		}
		before := s.count()
		time.Sleep(time.Hour)
		if late := s.count() - before; late < 6 || late > 40 {
			t.Errorf("%d calls in an hour", late)
		}
		if got := n.States()[0]; got.Ready || got.Failure != "embed by vectors: status 503" {
			t.Errorf("got %+v", got)
		}
		s.set(func(s *server) { s.instead = nil })
		time.Sleep(10 * time.Minute)
		holds(t, c, 6, texts(0, 3))
		if got := n.States()[0]; !got.Ready || got.Failure != "" {
			t.Errorf("got %+v", got)
		}
	})
}

func TestAnEndpointThatAsksForTimeGetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6}
		s.instead = func(w http.ResponseWriter, _ *http.Request, _ call) bool {
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(429)
			return true
		}
		n, _ := start(t, s, nil, nil)
		n.Want([]*embed.Collection{collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 3))})
		time.Sleep(119 * time.Second)
		if s.count() != 1 {
			t.Errorf("%d calls within the time", s.count())
		}
	})
}

func TestChangesThatDoNotConcernItNeitherHurryNorDisturbWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6, instead: says(503, "")}
		n, _ := start(t, s, nil, nil)
		e := endpoint(t, core.EmbeddingPolicy{})
		change := func() *embed.Collection {
			c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 3))
			n.Want([]*embed.Collection{c})
			time.Sleep(100 * time.Millisecond)
			return c
		}
		for range 600 {
			change()
		}
		if s.count() > 12 {
			t.Errorf("%d calls in a minute of changes", s.count())
		}
		// A call under way is not cut short by them, and what it brings goes to the newest.
		release := make(chan struct{})
		s.set(func(s *server) { s.instead = hang(release); s.calls = nil })
		for s.count() == 0 {
			change()
		}
		var c *embed.Collection
		for range 20 {
			c = change()
		}
		close(release)
		synctest.Wait()
		holds(t, c, 6, texts(0, 3))
		if s.count() != 1 {
			t.Errorf("%d calls", s.count())
		}
		// News for the endpoint is tried at once, however long the last failure would have it wait.
		s.set(func(s *server) { s.instead = says(503, "") })
		n.Want([]*embed.Collection{collection(t, e, texts(0, 4))})
		time.Sleep(time.Hour)
		s.set(func(s *server) { s.instead = nil })
		c = collection(t, e, texts(0, 5))
		n.Want([]*embed.Collection{c})
		synctest.Wait()
		holds(t, c, 6, texts(0, 5))
	})
}

func TestWhatIsNotWantedAnyMoreIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{}, 1)
		s := &server{dimension: 6}
		s.instead = func(w http.ResponseWriter, r *http.Request, c call) bool {
			if *c.Model == "slow" {
				<-r.Context().Done()
				ended <- struct{}{}
			}
			return false
		}
		n, _ := start(t, s, nil, nil)
		n.Want([]*embed.Collection{collection(t, endpoint(t, core.EmbeddingPolicy{Model: "slow"}), texts(0, 3))})
		synctest.Wait()
		c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 3))
		n.Want([]*embed.Collection{c})
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the call for what is not wanted goes on")
		}
		holds(t, c, 6, texts(0, 3))
		n.Want(nil)
		synctest.Wait()
		if len(n.States()) != 0 {
			t.Errorf("got %+v", n.States())
		}
	})
}

func TestASlowEndpointKeepsNoOtherWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6}
		s.instead = func(w http.ResponseWriter, r *http.Request, c call) bool {
			if *c.Model == "slow" {
				<-r.Context().Done()
			}
			return false
		}
		n, _ := start(t, s, nil, nil)
		quick := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 3))
		n.Want([]*embed.Collection{collection(t, endpoint(t, core.EmbeddingPolicy{Model: "slow"}), texts(0, 3)), quick})
		synctest.Wait()
		holds(t, quick, 6, texts(0, 3))
	})
}

func refusing(most int) func(http.ResponseWriter, *http.Request, call) bool {
	return func(w http.ResponseWriter, _ *http.Request, c call) bool {
		if len(c.Input) <= most && !strings.Contains(strings.Join(c.Input, " "), "bad") {
			return false
		}
		w.WriteHeader(400)
		return true
	}
}

func TestAServerThatTakesFewTextsAtATimeGetsFew(t *testing.T) {
	for _, most := range []int{1, 10, 16} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{dimension: 6, instead: refusing(most)}
			n, _ := start(t, s, nil, nil)
			c := collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 100))
			n.Want([]*embed.Collection{c})
			synctest.Wait()
			holds(t, c, 6, texts(0, 100))
			if most := 100/most*2 + 10; s.count() > most {
				t.Errorf("%d calls, want %d at most", s.count(), most)
			}
		})
	}
}

func TestATextThatIsRefusedSpoilsOnlyItsOwnCollection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6, instead: refusing(embed.MaxBatch)}
		n, _ := start(t, s, nil, nil)
		e := endpoint(t, core.EmbeddingPolicy{})
		spoilt := collection(t, e, []string{"bad 0", "bad 1", "bad 2", "bad 3", "bad 4", "bad 5", "good"})
		others := collection(t, e, texts(0, 100))
		n.Want([]*embed.Collection{spoilt, others})
		time.Sleep(time.Minute)
		holds(t, others, 6, texts(0, 100))
		if got := n.States()[0]; got.Ready || got.Missing != 6 || got.Failure != "embed by vectors: status 400" {
			t.Errorf("got %+v", got)
		}
		before := s.count()
		time.Sleep(time.Hour)
		if calls := s.count() - before; calls > 200 {
			t.Errorf("%d calls for bad texts in an hour", calls)
		}
	})
}
