package embed_test

import (
	"context"
	"fmt"
	"log/slog"
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
		c := collection(t, endpoint(t, core.EmbeddingPolicy{}), targets...)
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
		c := collection(t, endpoint(t, core.EmbeddingPolicy{}), targets...)
		n.Want([]*embed.Collection{c})
		synctest.Wait()
		m, err := n.Match(t.Context(), nil, c, "example 0004")
		if err != nil || len(m) != 3 || m[2].Example != 1 || !m[2].Clears(1) || m[1].Found() || m[0].Score >= m[2].Score {
			t.Errorf("got %+v and error %v, want example 1 of target 2", m, err)
		}
		// Without any example there is nothing to compare with, and nothing to embed.
		none := collection(t, endpoint(t, core.EmbeddingPolicy{}), nil, nil)
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
		e := endpoint(t, core.EmbeddingPolicy{})
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
		e = endpoint(t, core.EmbeddingPolicy{Upstream: upstream(t, core.Provider{Auth: &core.Auth{Secret: secret}})})
		holds(t, want(texts(0, 10), texts(10, 21)), 6, texts(0, 10), texts(10, 21))
		time.Sleep(time.Hour)
		if s.count() != before+1 {
			t.Errorf("%d calls afterwards", s.count()-before-1)
		}
	})
}

func TestWhatWasForgottenAndIsWantedAgainComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 6}
		n, _ := start(t, s, nil, nil)
		e := endpoint(t, core.EmbeddingPolicy{})
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

// refusing answers 400 to batches of more than most, and to those with a text that has bad in it.
// flipping gives each answer another dimension than the one before.
func TestRunEndsWithItsContextWhateverIsUnderWay(t *testing.T) {
	for name, store := range map[string]embed.Store{"alone": nil, "waiting for another node": newShelf()} {
		synctest.Test(t, func(t *testing.T) {
			s := &server{dimension: 6, instead: hang(nil)}
			n, stop := start(t, s, store, func(signal.Key) bool { return store == nil })
			n.Want([]*embed.Collection{collection(t, endpoint(t, core.EmbeddingPolicy{}), texts(0, 3))})
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
	_, err := embed.NewCollection("r", endpoint(t, core.EmbeddingPolicy{}), [][]string{{"a"}, {"b", ""}})
	if err == nil || !strings.Contains(err.Error(), "example 1 of target 1") {
		t.Errorf("got %v", err)
	}
}

func TestConfigurationRequestsAndAnswersMayComeAllAtOnce(t *testing.T) {
	s := &server{dimension: 6}
	base, transport := listen(t, s)
	e := endpoint(t, core.EmbeddingPolicy{Upstream: upstream(t, core.Provider{BaseURL: base})})
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

func TestAPanicIsTheFailureOfOneCallForExamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := embed.NewExamples(embed.ExamplesConfig{Embedder: embedder(t, panicking{}, nil), Logger: slog.New(slog.DiscardHandler)})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- x.Run(ctx) }()
		x.Want([]*embed.Collection{collection(t, endpoint(t, core.EmbeddingPolicy{}), []string{"a"})})
		synctest.Wait()
		if s := x.States()[0]; s.Ready || !strings.Contains(s.Failure, string(embed.Panicked)) {
			t.Errorf("got %+v", s)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
