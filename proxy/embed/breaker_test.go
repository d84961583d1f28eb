package embed_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

func TestRequestsThatGoAwayAreNotHeldAgainstTheEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, seen := &server{dimension: 4, instead: hang(nil)}, newCounts()
		m, e := embedder(t, s, seen), endpoint(t, core.EmbeddingPolicy{})
		for i := range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			if _, err := m.Embed(ctx, e, fmt.Sprint(i), 0); embed.CauseOf(err) != embed.Canceled {
				t.Fatalf("got %v", err)
			}
		}
		synctest.Wait()
		if seen.left() || s.count() != 20 {
			t.Errorf("left alone: %t, after %d calls", seen.left(), s.count())
		}
	})
}

// Else each of them would wait to its deadline for ever.
func TestAnEndpointThatHangsLongerThanRequestsHaveTimeIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, seen := &server{dimension: 4, instead: hang(nil)}, newCounts()
		m, e := embedder(t, s, seen), endpoint(t, core.EmbeddingPolicy{})
		ask := func(text string) embed.Cause {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := m.Embed(ctx, e, text, 0)
			return embed.CauseOf(err)
		}
		for i := range 5 {
			if cause := ask(fmt.Sprint(i)); cause != embed.Canceled {
				t.Fatalf("request %d: %s", i, cause)
			}
		}
		time.Sleep(core.DefaultEmbeddingTimeout)
		synctest.Wait()
		if cause := ask("another"); cause != embed.Open || !seen.left() || seen.calls[embed.TimedOut] != 5 {
			t.Errorf("got %s after five calls that ended as %v", cause, seen.calls)
		}
	})
}

func TestADeadEndpointIsLeftAloneAndNoRequestWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, seen := &server{dimension: 4, instead: hang(nil)}, newCounts()
		m, e := embedder(t, s, seen), endpoint(t, core.EmbeddingPolicy{})
		start, asked := time.Now(), 0
		ask := func() (embed.Cause, time.Duration) {
			asked++
			from := time.Now()
			_, err := m.Embed(t.Context(), e, fmt.Sprint("prompt ", asked), 0)
			return embed.CauseOf(err), time.Since(from)
		}
		for !seen.left() {
			if cause, took := ask(); cause != embed.TimedOut || took != core.DefaultEmbeddingTimeout {
				t.Fatalf("request %d: %s after %v", asked, cause, took)
			}
		}
		if s.count() > 10 {
			t.Errorf("it took %d calls", s.count())
		}
		// An hour of it, a request every 100 ms: a call now and then, for which nobody waits.
		before := s.count()
		for time.Since(start) < time.Hour {
			if cause, took := ask(); cause != embed.Open || took != 0 {
				t.Fatalf("request %d: %s after %v", asked, cause, took)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if trials := s.count() - before; trials < 100 || trials > 600 {
			t.Errorf("%d calls in an hour to see whether it is back", trials)
		}
		// It is back: the next trial shows it.
		s.set(func(s *server) { s.instead = nil })
		back := time.Now()
		for {
			cause, _ := ask()
			if cause == "" {
				break
			}
			if cause != embed.Open || time.Since(back) > 15*time.Second {
				t.Fatalf("%s, %v after it was back", cause, time.Since(back))
			}
			time.Sleep(100 * time.Millisecond)
		}
		if seen.left() || seen.changes != 2 {
			t.Errorf("left alone: %t after %d changes", seen.left(), seen.changes)
		}
	})
}

func TestNobodyJoinsTheCallThatFindsOutWhetherAnEndpointIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, seen := &server{dimension: 4, instead: says(503, "")}, newCounts()
		m, e := embedder(t, s, seen), endpoint(t, core.EmbeddingPolicy{})
		for !seen.left() {
			m.Embed(t.Context(), e, "a", 0)
		}
		s.set(func(s *server) { s.instead = hang(nil) })
		time.Sleep(time.Minute)
		for range 3 {
			from := time.Now()
			if _, err := m.Embed(t.Context(), e, "a", 0); embed.CauseOf(err) != embed.Open || time.Since(from) != 0 {
				t.Errorf("got %v after %v", err, time.Since(from))
			}
		}
	})
}

func TestOtherEndpointsAreNotLeftAloneWithADeadOne(t *testing.T) {
	s := &server{dimension: 4, instead: says(503, "")}
	m := embedder(t, s, nil)
	for i := range 10 {
		m.Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{}), fmt.Sprint(i), 0)
	}
	s.set(func(s *server) { s.instead = nil })
	if _, err := m.Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{}), "a", 0); embed.CauseOf(err) != embed.Open {
		t.Errorf("the dead one: %v", err)
	}
	for name, settings := range map[string]core.EmbeddingPolicy{
		"another model":      {Model: "f"},
		"another credential": {Upstream: upstream(t, core.Provider{Auth: &core.Auth{Secret: secret}})},
	} {
		if _, err := m.Embed(t.Context(), endpoint(t, settings), "a", 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARefusedPromptIsNotSentAgainForAWhile(t *testing.T) {
	for _, status := range []int{400, 413, 422} {
		synctest.Test(t, func(t *testing.T) {
			s, seen := &server{dimension: 4}, newCounts()
			s.instead = func(w http.ResponseWriter, _ *http.Request, c call) bool {
				if !strings.Contains(c.Input[0], "bad") {
					return false
				}
				w.WriteHeader(status)
				return true
			}
			m, e := embedder(t, s, seen), endpoint(t, core.EmbeddingPolicy{})
			for i := range 20 {
				_, err := m.Embed(t.Context(), e, "bad", 0)
				var refused *embed.Error
				if !errors.As(err, &refused) || refused.Cause != embed.BadStatus || refused.Status != status || refused.Remembered != (i > 0) {
					t.Fatalf("got %v", err)
				}
			}
			if s.count() != 1 || seen.outcome(embed.Refused) != 19 {
				t.Errorf("%d calls, outcomes %v", s.count(), seen.outcomes)
			}
			// The prompts are at fault, however many, and not the endpoint.
			for i := range 20 {
				m.Embed(t.Context(), e, fmt.Sprint("bad ", i), 0)
			}
			if _, err := m.Embed(t.Context(), e, "good", 0); err != nil || seen.left() {
				t.Errorf("a good prompt: %v, left alone: %t", err, seen.left())
			}
			before := s.count()
			time.Sleep(time.Hour)
			if m.Embed(t.Context(), e, "bad", 0); s.count() != before+1 {
				t.Errorf("after an hour it was sent %d times", s.count()-before)
			}
		})
	}
}

func TestFailuresThatMayPassAreNotRemembered(t *testing.T) {
	for _, status := range []int{401, 404, 408, 429, 500, 503} {
		s := &server{dimension: 4, instead: says(status, "")}
		m, e := embedder(t, s, nil), endpoint(t, core.EmbeddingPolicy{})
		m.Embed(t.Context(), e, "a", 0)
		s.set(func(s *server) { s.instead = nil })
		if _, err := m.Embed(t.Context(), e, "a", 0); err != nil || s.count() != 2 {
			t.Errorf("%d: %v after %d calls", status, err, s.count())
		}
	}
}
