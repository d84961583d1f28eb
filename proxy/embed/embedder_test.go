package embed_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

func hexKey(k embed.Key) string { return hex.EncodeToString(k[:]) }

func TestAPromptSeenBeforeCostsNoCall(t *testing.T) {
	s, seen := &server{dimension: 4}, newCounts()
	m, e := embedder(t, s, seen), endpoint(t, core.EmbeddingPolicy{})
	for range 3 {
		for _, text := range []string{"a", "b"} {
			if u, err := m.Embed(t.Context(), e, text, 4); err != nil || !same(u, unit(t, text, 4)) {
				t.Fatalf("got %v and error %v", u, err)
			}
		}
	}
	if s.count() != 2 || seen.outcomes[embed.Sent] != 2 || seen.outcomes[embed.Known] != 4 {
		t.Errorf("%d calls, outcomes %v", s.count(), seen.outcomes)
	}
	// Another model gives other vectors, another credential the same.
	if _, err := m.Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{Model: "f"}), "a", 4); err != nil || s.count() != 3 {
		t.Errorf("another model: %d calls, error %v", s.count(), err)
	}
	other := upstream(t, core.Provider{Auth: &core.Auth{Secret: secret}})
	if _, err := m.Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{Upstream: other}), "a", 4); err != nil || s.count() != 3 {
		t.Errorf("another credential: %d calls, error %v", s.count(), err)
	}
}

func TestNothingIsNotEmbedded(t *testing.T) {
	s := &server{dimension: 4}
	_, err := embedder(t, s, nil).Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{}), "", 4)
	if embed.CauseOf(err) != embed.NoText || s.count() != 0 {
		t.Errorf("got %v and %d calls", err, s.count())
	}
}

func TestAVectorOfAnotherDimensionIsNotTakenFromBefore(t *testing.T) {
	s := &server{dimension: 4}
	m, e := embedder(t, s, nil), endpoint(t, core.EmbeddingPolicy{})
	if _, err := m.Embed(t.Context(), e, "a", 4); err != nil {
		t.Fatal(err)
	}
	s.set(func(s *server) { s.dimension = 6 })
	if u, err := m.Embed(t.Context(), e, "a", 6); err != nil || u.Dimension() != 6 {
		t.Errorf("got %v and error %v, want 6 dimensions", u, err)
	}
	if u, err := m.Embed(t.Context(), e, "a", 5); embed.CauseOf(err) != embed.WrongDimension || u.Dimension() != 0 {
		t.Errorf("got %v and error %v, want %s", u, err, embed.WrongDimension)
	}
}

// hang makes the server wait for what ends the call or for release, and then answer.
func hang(release <-chan struct{}) func(http.ResponseWriter, *http.Request, call) bool {
	return func(_ http.ResponseWriter, r *http.Request, _ call) bool {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return false
	}
}

func TestRequestsWithOnePromptShareOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		s, seen := &server{dimension: 4, instead: hang(release)}, newCounts()
		m, e := embedder(t, s, seen), endpoint(t, core.EmbeddingPolicy{})
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if u, err := m.Embed(t.Context(), e, "a", 0); err != nil || !same(u, unit(t, "a", 4)) {
					t.Errorf("got %v and error %v", u, err)
				}
			})
		}
		synctest.Wait()
		close(release)
		all.Wait()
		if s.count() != 1 || seen.outcome(embed.Sent) != 1 || seen.outcome(embed.Joined) != 9 {
			t.Errorf("%d calls, outcomes %v", s.count(), seen.outcomes)
		}
	})
}

func TestARequestThatGoesAwayTakesTheCallOnlyWithItIfItWasTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release, ended := make(chan struct{}), make(chan error, 1)
		s, seen := &server{dimension: 4}, newCounts()
		s.instead = func(w http.ResponseWriter, r *http.Request, c call) bool {
			hang(release)(w, r, c)
			if r.Context().Err() != nil {
				ended <- r.Context().Err()
			}
			return false
		}
		m, e := embedder(t, s, seen), endpoint(t, core.EmbeddingPolicy{})
		ask := func() (context.CancelCauseFunc, <-chan error) {
			ctx, cancel := context.WithCancelCause(t.Context())
			out := make(chan error, 1)
			go func() {
				_, err := m.Embed(ctx, e, "a", 0)
				out <- err
			}()
			synctest.Wait()
			return cancel, out
		}
		gone := errors.New("the client is gone")
		leaveFirst, first := ask()
		_, second := ask()
		leaveFirst(gone)
		if err := <-first; embed.CauseOf(err) != embed.Canceled || !errors.Is(err, gone) {
			t.Errorf("the first, which went away, got %v", err)
		}
		close(release)
		if err := <-second; err != nil {
			t.Errorf("the second, which stayed, got %v", err)
		}

		release = make(chan struct{})
		s.set(func(s *server) { s.calls = nil })
		m2 := embedder(t, s, seen)
		m = m2
		leaveFirst, first = ask()
		leaveSecond, second := ask()
		leaveFirst(gone)
		<-first
		leaveSecond(gone)
		<-second
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the call goes on although nobody waits for it")
		}
		_, third := ask()
		close(release)
		if err := <-third; err != nil || s.count() != 2 {
			t.Errorf("the third got %v after %d calls, want a call of its own", err, s.count())
		}
		if seen.left() {
			t.Error("requests that went away were held against the endpoint")
		}
	})
}

type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic("a bug") }

func TestAPanicIsTheFailureOfOneCall(t *testing.T) {
	_, err := embedder(t, panicking{}, nil).Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{}), "a", 0)
	if embed.CauseOf(err) != embed.Panicked {
		t.Errorf("got %v", err)
	}
}

func TestCloseEndsWhatIsUnderWayAndNothingBeginsAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{dimension: 4, instead: hang(nil)}
		m, e := embedder(t, s, nil), endpoint(t, core.EmbeddingPolicy{})
		out := make(chan error, 1)
		go func() {
			_, err := m.Embed(t.Context(), e, "a", 0)
			out <- err
		}()
		synctest.Wait()
		from := time.Now()
		m.Close()
		if err := <-out; embed.CauseOf(err) != embed.Canceled || time.Since(from) != 0 {
			t.Errorf("got %v after %v", err, time.Since(from))
		}
		if _, err := m.Embed(t.Context(), e, "b", 0); embed.CauseOf(err) != embed.Canceled || s.count() != 1 {
			t.Errorf("after Close: %v, %d calls", err, s.count())
		}
	})
}

func TestThousandsOfRequestsAtOnceGetEachItsOwnVector(t *testing.T) {
	s := &server{dimension: 4}
	base, transport := listen(t, s)
	m, e := embedder(t, transport, nil), endpoint(t, core.EmbeddingPolicy{Upstream: upstream(t, core.Provider{BaseURL: base})})
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for j := range 50 {
				text := fmt.Sprint("prompt ", (i*j)%40)
				ctx, cancel := context.WithCancel(t.Context())
				if j%7 == 0 {
					cancel()
				}
				u, err := m.Embed(ctx, e, text, 4)
				if err == nil && !same(u, unit(t, text, 4)) {
					t.Errorf("%s got the vector of another", text)
				}
				if err != nil && ctx.Err() == nil {
					t.Errorf("%s: %v", text, err)
				}
				cancel()
			}
		})
	}
	all.Wait()
}

func BenchmarkAPromptSeenBefore(b *testing.B) {
	s := &server{dimension: 1536}
	m, e := embedder(b, s, nil), endpoint(b, core.EmbeddingPolicy{})
	text := strings.Repeat("some words ", 90)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Embed(b.Context(), e, text, 1536); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkADeadEndpoint(b *testing.B) {
	s := &server{instead: func(w http.ResponseWriter, _ *http.Request, _ call) bool {
		w.WriteHeader(500)
		io.WriteString(w, "dead")
		return true
	}}
	m, e := embedder(b, s, nil), endpoint(b, core.EmbeddingPolicy{})
	text := strings.Repeat("some words ", 90)
	b.ReportAllocs()
	for b.Loop() {
		m.Embed(b.Context(), e, text, 1536)
	}
}
