package embed_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

// shelf is a Store in memory.
type shelf struct {
	mu     sync.Mutex
	values map[embed.Key][]byte
	fail   error
	gets   int
	puts   int
	most   int
}

func newShelf() *shelf { return &shelf{values: map[embed.Key][]byte{}} }

func (s *shelf) Get(_ context.Context, keys []embed.Key) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gets, s.most = s.gets+1, max(s.most, len(keys))
	if s.fail != nil {
		return nil, s.fail
	}
	out := make([][]byte, len(keys))
	for i, k := range keys {
		out[i] = s.values[k]
	}
	return out, nil
}

func (s *shelf) Put(_ context.Context, values map[embed.Key][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.puts, s.most = s.puts+1, max(s.most, len(values))
	if s.fail == nil {
		maps.Copy(s.values, values)
	}
	return s.fail
}

// node is one process's examples.
type node struct {
	*embed.Examples
	embedder *embed.Embedder
}

// start runs a node until the test ends or stop is called.
func start(t *testing.T, transport http.RoundTripper, store embed.Store, keeps func(signal.Key) bool) (n node, stop func()) {
	t.Helper()
	m := embedder(t, transport, nil)
	c := embed.ExamplesConfig{Embedder: m, Keeps: keeps, Logger: slog.New(slog.DiscardHandler)}
	if store != nil {
		c.Store = store
	}
	n = node{embed.NewExamples(c), m}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.Run(ctx)
	}()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return n, stop
}

func collection(tb testing.TB, e *embed.Endpoint, targets ...[]string) *embed.Collection {
	tb.Helper()
	c, err := embed.NewCollection("routing", e, targets)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// holds fails unless the collection has the vectors of these texts.
func holds(t *testing.T, c *embed.Collection, dimension int, targets ...[]string) {
	t.Helper()
	set := c.Vectors()
	if set == nil {
		t.Fatal("the vectors are not there")
	}
	if set.Dimension() != dimension || set.Targets() != len(targets) {
		t.Fatalf("got %d dimensions and %d targets, want %d and %d", set.Dimension(), set.Targets(), dimension, len(targets))
	}
	for i, texts := range targets {
		if set.Examples(i) != len(texts) {
			t.Fatalf("target %d: got %d examples, want %d", i, set.Examples(i), len(texts))
		}
		for j, text := range texts {
			if !same(set.Example(i, j), unit(t, text, dimension)) {
				t.Errorf("target %d: example %d is not that of %q", i, j, text)
			}
		}
	}
}

func texts(from, to int) []string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf("example %04d", i))
	}
	return out
}

func TestExamplesAreEmbeddedInTheBackgroundAndAllAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s := &server{dimension: 6, instead: hang(release)}
		n, _ := start(t, s, nil, nil)
		targets := [][]string{texts(0, 16), nil, texts(16, 100), {"example 0003", "example 0003"}}
		c := collection(t, endpoint(t, embed.Settings{}), targets...)
		n.Want([]*embed.Collection{c})
		synctest.Wait()
		if state := n.States()[0]; c.Vectors() != nil || state.Ready || state.Texts != 102 || state.Missing != 102 || state.Name != "routing" || state.Upstream != "vectors" {
			t.Errorf("before any answer: %+v", state)
		}
		if _, err := n.Match(t.Context(), nil, c, "a"); embed.CauseOf(err) != embed.NotReady || s.count() != 1 {
			t.Errorf("a request meanwhile: %v, and %d calls", err, s.count())
		}
		close(release)
		synctest.Wait()
		holds(t, c, 6, targets...)
		if got := s.sent(); !slices.Equal(got, texts(0, 100)) || s.count() != 4 {
			t.Errorf("sent %d texts in %d calls, want 100 in 4", len(got), s.count())
		}
		if state := n.States()[0]; !state.Ready || state.Dimension != 6 || state.Missing != 0 || state.Failure != "" {
			t.Errorf("afterwards: %+v", state)
		}
	})
}

func TestAMatchIsThatOfThePromptWithTheExamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6}
		n, _ := start(t, s, nil, nil)
		targets := [][]string{texts(0, 3), nil, texts(3, 5)}
		c := collection(t, endpoint(t, embed.Settings{}), targets...)
		n.Want([]*embed.Collection{c})
		synctest.Wait()
		m, err := n.Match(t.Context(), nil, c, "example 0004")
		if err != nil || len(m) != 3 || m[2].Example != 1 || !m[2].Clears(1) || m[1].Found() || m[0].Score >= m[2].Score {
			t.Errorf("got %+v and error %v, want example 1 of target 2", m, err)
		}
		// Without any example there is nothing to compare with, and nothing to embed.
		none := collection(t, endpoint(t, embed.Settings{}), nil, nil)
		n.Want([]*embed.Collection{none})
		before := s.count()
		if m, err := n.Match(t.Context(), m, none, "another prompt"); err != nil || len(m) != 2 || m[0].Found() || s.count() != before {
			t.Errorf("without examples: got %+v and error %v, %d calls", m, err, s.count()-before)
		}
	})
}

func TestAnUnchangedExampleIsNeverEmbeddedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6}
		n, _ := start(t, s, nil, nil)
		e := endpoint(t, embed.Settings{})
		want := func(targets ...[]string) *embed.Collection {
			c := collection(t, e, targets...)
			n.Want([]*embed.Collection{c, collection(t, e, []string{"of another routing"})})
			return c
		}
		want(texts(0, 10), texts(10, 20))
		synctest.Wait()
		// The same again has its vectors at once, and so has what is only arranged anew.
		holds(t, want(texts(0, 10), texts(10, 20)), 6, texts(0, 10), texts(10, 20))
		holds(t, want(texts(15, 20), texts(0, 15)), 6, texts(15, 20), texts(0, 15))
		before := s.count()
		c := want(texts(0, 10), texts(10, 21))
		if c.Vectors() != nil {
			t.Error("vectors without that of the new example")
		}
		synctest.Wait()
		holds(t, c, 6, texts(0, 10), texts(10, 21))
		if s.count() != before+1 || len(s.calls[before].Input) != 1 || s.calls[before].Input[0] != "example 0020" {
			t.Errorf("one more example took %+v", s.calls[before:])
		}
		// Nor when the credential changes.
		e = endpoint(t, embed.Settings{Upstream: upstream(t, core.Provider{Auth: &core.Auth{Secret: secret}})})
		holds(t, want(texts(0, 10), texts(10, 21)), 6, texts(0, 10), texts(10, 21))
		time.Sleep(time.Hour)
		if s.count() != before+1 {
			t.Errorf("%d calls afterwards", s.count()-before-1)
		}
	})
}

func TestOtherNodesAndRestartsTakeWhatIsInTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		targets := [][]string{texts(0, 40), texts(40, 70)}
		for range 3 {
			n, stop := start(t, s, store, nil)
			c := collection(t, endpoint(t, embed.Settings{}), targets...)
			n.Want([]*embed.Collection{c})
			synctest.Wait()
			holds(t, c, 6, targets...)
			stop()
		}
		if got := s.sent(); !slices.Equal(got, texts(0, 70)) || store.most > embed.MaxBatch {
			t.Errorf("three nodes sent %d texts, and asked the store for %d at a time", len(got), store.most)
		}
		keys := slices.Collect(collection(t, endpoint(t, embed.Settings{}), targets...).Keys)
		for _, k := range keys {
			if store.values[k] == nil {
				t.Fatalf("%x is not in the store", k)
			}
		}
		if len(store.values) != len(keys) {
			t.Errorf("%d values in the store for %d keys", len(store.values), len(keys))
		}
	})
}

func TestAFleetEmbedsEachExampleOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		s.instead = func(http.ResponseWriter, *http.Request, call) bool { time.Sleep(700 * time.Millisecond); return false }
		var all []*embed.Collection
		for i := range 20 {
			n, _ := start(t, s, store, func(signal.Key) bool { return i == 13 })
			c := collection(t, endpoint(t, embed.Settings{}), texts(0, 500))
			n.Want([]*embed.Collection{c})
			all = append(all, c)
		}
		time.Sleep(time.Minute)
		for _, c := range all {
			holds(t, c, 6, texts(0, 500))
		}
		if got := s.sent(); !slices.Equal(got, texts(0, 500)) {
			t.Errorf("20 nodes sent %d texts, want 500", len(got))
		}
	})
}

func TestANodeDoesByItselfWhatTheOneThatShouldDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		n, _ := start(t, s, store, func(signal.Key) bool { return false })
		c := collection(t, endpoint(t, embed.Settings{}), texts(0, 100))
		n.Want([]*embed.Collection{c})
		time.Sleep(time.Second)
		if s.count() != 0 {
			t.Error("the node does not leave it to the one that should")
		}
		time.Sleep(15 * time.Second)
		holds(t, c, 6, texts(0, 100))
	})
}

func TestTwoNodesAtOnceDoNoHarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, store := &server{dimension: 6}, newShelf()
		var all []*embed.Collection
		for range 2 {
			n, _ := start(t, s, store, nil)
			c := collection(t, endpoint(t, embed.Settings{}), texts(0, 100))
			n.Want([]*embed.Collection{c})
			all = append(all, c)
		}
		synctest.Wait()
		for _, c := range all {
			holds(t, c, 6, texts(0, 100))
		}
	})
}

func TestAStoreThatFailsOrLiesCostsCallsAndNothingElse(t *testing.T) {
	spoiled := func(value []byte) func(*shelf) {
		return func(s *shelf) {
			for k := range s.values {
				s.values[k] = value
			}
		}
	}
	for name, spoil := range map[string]func(*shelf){
		"fails":                   func(s *shelf) { s.fail = errors.New("no quorum") },
		"holds nothing":           spoiled([]byte{}),
		"holds damage":            spoiled([]byte("damage")),
		"holds another dimension": spoiled([]byte{1, 0, 0, 0x80, 0x3f}),
	} {
		synctest.Test(t, func(t *testing.T) {
			s, store := &server{dimension: 6}, newShelf()
			for key := range collection(t, endpoint(t, embed.Settings{Dimensions: 6}), texts(0, 50)).Keys {
				store.values[key] = nil
			}
			spoil(store)
			n, _ := start(t, s, store, func(signal.Key) bool { return name != "fails" })
			c := collection(t, endpoint(t, embed.Settings{Dimensions: 6}), texts(0, 50))
			n.Want([]*embed.Collection{c})
			synctest.Wait()
			holds(t, c, 6, texts(0, 50))
			if len(s.sent()) != 50 {
				t.Errorf("%s: sent %d texts, want 50", name, len(s.sent()))
			}
			for key, value := range store.values {
				if store.fail == nil && len(value) != 1+4*6 {
					t.Errorf("%s: what was wrong under %x is still there: %x", name, key, value)
				}
			}
		})
	}
}

func TestFailuresAreTriedAgainEverMoreSeldomAndAreSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6, instead: says(503, "")}
		n, _ := start(t, s, nil, nil)
		c := collection(t, endpoint(t, embed.Settings{}), texts(0, 3))
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
		n.Want([]*embed.Collection{collection(t, endpoint(t, embed.Settings{}), texts(0, 3))})
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
		e := endpoint(t, embed.Settings{})
		change := func() *embed.Collection {
			c := collection(t, endpoint(t, embed.Settings{}), texts(0, 3))
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
		n.Want([]*embed.Collection{collection(t, endpoint(t, embed.Settings{Model: "slow"}), texts(0, 3))})
		synctest.Wait()
		c := collection(t, endpoint(t, embed.Settings{}), texts(0, 3))
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

func TestWhatWasForgottenAndIsWantedAgainComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6}
		n, _ := start(t, s, nil, nil)
		e := endpoint(t, embed.Settings{})
		for range 3 {
			c := collection(t, e, texts(0, 3))
			n.Want([]*embed.Collection{c})
			synctest.Wait()
			holds(t, c, 6, texts(0, 3))
			// Both before Run can look.
			n.Want(nil)
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
		quick := collection(t, endpoint(t, embed.Settings{}), texts(0, 3))
		n.Want([]*embed.Collection{collection(t, endpoint(t, embed.Settings{Model: "slow"}), texts(0, 3)), quick})
		synctest.Wait()
		holds(t, quick, 6, texts(0, 3))
	})
}

// refusing answers 400 to batches of more than most, and to those with a text that has bad in it.
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
			c := collection(t, endpoint(t, embed.Settings{}), texts(0, 100))
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
		e := endpoint(t, embed.Settings{})
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

func TestAnotherDimensionIsEmbeddedForOnce(t *testing.T) {
	for name, store := range map[string]embed.Store{"alone": nil, "with a store": newShelf()} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{dimension: 6}
			n, _ := start(t, s, store, nil)
			e := endpoint(t, embed.Settings{})
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
			c := collection(t, endpoint(t, embed.Settings{}), texts(0, 40))
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
		e := endpoint(t, embed.Settings{})
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
		c := collection(t, endpoint(t, embed.Settings{}), texts(0, 200))
		n.Want([]*embed.Collection{c})
		time.Sleep(time.Minute)
		if got := n.States()[0]; got.Ready || !strings.Contains(got.Failure, "wrong dimension") || s.count() > 60 {
			t.Errorf("got %+v after %d calls", got, s.count())
		}
	})
}

// flipping gives each answer another dimension than the one before.
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

func TestRunEndsWithItsContextWhateverIsUnderWay(t *testing.T) {
	for name, store := range map[string]embed.Store{"alone": nil, "waiting for another node": newShelf()} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{dimension: 6, instead: hang(nil)}
			n, stop := start(t, s, store, func(signal.Key) bool { return store == nil })
			n.Want([]*embed.Collection{collection(t, endpoint(t, embed.Settings{}), texts(0, 3))})
			time.Sleep(1500 * time.Millisecond)
			from := time.Now()
			stop()
			if took := time.Since(from); took != 0 {
				t.Errorf("%s: it took %v", name, took)
			}
		})
	}
}

func TestAnEmptyExampleIsRefused(t *testing.T) {
	_, err := embed.NewCollection("r", endpoint(t, embed.Settings{}), [][]string{{"a"}, {"b", ""}})
	if err == nil || !strings.Contains(err.Error(), "example 1 of target 1") {
		t.Errorf("got %v", err)
	}
}

func TestConfigurationRequestsAndAnswersMayComeAllAtOnce(t *testing.T) {
	s := &server{dimension: 6}
	base, transport := listen(t, s)
	e := endpoint(t, embed.Settings{Upstream: upstream(t, core.Provider{BaseURL: base})})
	n, _ := start(t, transport, newShelf(), nil)
	var all sync.WaitGroup
	var last *embed.Collection
	for i := range 50 {
		c := collection(t, e, texts(i, i+20), texts(0, i%5))
		last = c
		n.Want([]*embed.Collection{c, collection(t, e, texts(i, i+3))})
		for j := range 4 {
			all.Go(func() {
				m, err := n.Match(t.Context(), nil, c, fmt.Sprint("prompt ", j))
				if cause := embed.CauseOf(err); err != nil && cause != embed.NotReady {
					t.Errorf("got %v", err)
				}
				if err == nil && (len(m) != 2 || m[0].Example < 0) {
					t.Errorf("got %+v", m)
				}
				n.States()
			})
		}
	}
	all.Wait()
	for tick := time.NewTicker(time.Millisecond); last.Vectors() == nil; <-tick.C {
		if t.Context().Err() != nil {
			t.Fatal("the vectors never came")
		}
	}
	holds(t, last, 6, texts(49, 69), texts(0, 49%5))
}
