package dispatch_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// TestTheTableOfFailures holds docs/cooldown.md: one case a row, each with the client's answer, the hits
// on both targets and what became of the first.
func TestTheTableOfFailures(t *testing.T) {
	const credential = `,"auth":{"secret":"sk-upstream"}`
	const short = `,"timeouts":{"first_token":"40ms","idle":"40ms","attempt":"40ms"}`
	ok := answer("from b")
	stream := events(role, token("from b"), stop, done)
	for _, c := range []struct {
		name       string
		first      []http.HandlerFunc
		second     http.HandlerFunc
		opts       options
		stream     bool
		wantStatus int
		wantHits   []int
		wantBody   string        // part of the body
		cools      bool          // a is set aside after this one request
		coolsFor   time.Duration // and for so long, give or take the test's own time
		noBlame    bool          // a's signals have no failure
	}{
		{name: "connection reset is retried, then falls over", first: []http.HandlerFunc{reset}, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "a retry that succeeds stays with its target", first: []http.HandlerFunc{reset, answer("from a")}, wantStatus: 200, wantHits: []int{2, 0}, wantBody: "from a"},
		{name: "a timeout is not retried", first: []http.HandlerFunc{hang}, opts: options{model: short}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b"},
		{name: "a first token that does not come falls over", first: []http.HandlerFunc{eventsThen(hang, role)}, second: stream, opts: options{model: `,"timeouts":{"first_token":"40ms"}`}, stream: true, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b"},
		{name: "408", first: []http.HandlerFunc{status(408, `{}`)}, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "500", first: []http.HandlerFunc{status(500, `{}`)}, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "529", first: []http.HandlerFunc{status(529, `{}`)}, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "503 with Retry-After cools at once", first: []http.HandlerFunc{status(503, `{}`, "Retry-After", "20")}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b", cools: true, coolsFor: 20 * time.Second},
		{name: "429 falls over at once", first: []http.HandlerFunc{status(429, `{}`)}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b", cools: true, coolsFor: 10 * time.Second},
		{name: "429 with Retry-After cools for that", first: []http.HandlerFunc{status(429, `{}`, "Retry-After", "17")}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b", cools: true, coolsFor: 17 * time.Second},
		{name: "429 with retry_on_429 is retried", first: []http.HandlerFunc{status(429, `{}`), answer("from a")}, opts: options{routing: `,"retry_on_429":true`}, wantStatus: 200, wantHits: []int{2, 0}, wantBody: "from a"},
		{name: "401 of our credential parks it", first: []http.HandlerFunc{status(401, `{"error":{"message":"bad key"}}`)}, opts: options{provider: credential}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b", cools: true, coolsFor: 10 * time.Second},
		{name: "402 of our credential parks it", first: []http.HandlerFunc{status(402, `{}`)}, opts: options{provider: credential}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b", cools: true, coolsFor: 10 * time.Second},
		{name: "403 of our credential parks it", first: []http.HandlerFunc{status(403, `{}`)}, opts: options{provider: credential}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b", cools: true, coolsFor: 10 * time.Second},
		{name: "401 without a credential is the caller's", first: []http.HandlerFunc{status(401, `{"error":{"message":"who are you"}}`)}, wantStatus: 401, wantHits: []int{1, 0}, noBlame: true},
		{name: "400 is the caller's", first: []http.HandlerFunc{status(400, `{"error":{"message":"bad temperature","param":"temperature"}}`)}, wantStatus: 400, wantHits: []int{1, 0}, wantBody: "bad temperature", noBlame: true},
		{name: "404 is the caller's", first: []http.HandlerFunc{status(404, `{"error":{"message":"no such model"}}`)}, wantStatus: 404, wantHits: []int{1, 0}, wantBody: "no such model", noBlame: true},
		{name: "413 is the caller's", first: []http.HandlerFunc{status(413, `{}`)}, wantStatus: 413, wantHits: []int{1, 0}, noBlame: true},
		{name: "422 is the caller's", first: []http.HandlerFunc{status(422, `{}`)}, wantStatus: 422, wantHits: []int{1, 0}, noBlame: true},
		{name: "a listed status falls over", first: []http.HandlerFunc{status(404, `{}`)}, opts: options{routing: `,"fallback_on_statuses":[404]`}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b", noBlame: true},
		{name: "a redirect is not followed", first: []http.HandlerFunc{status(307, ``, "Location", "http://127.0.0.1:1/")}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b"},
		{name: "an empty 200", first: []http.HandlerFunc{status(200, ``)}, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "a 200 that is not JSON", first: []http.HandlerFunc{status(200, `<html>`)}, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "an error inside a 200", first: []http.HandlerFunc{status(200, `{"error":{"message":"overloaded","code":503}}`)}, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "an answer over the limit is not retried", first: []http.HandlerFunc{status(200, `{"x":"`+strings.Repeat("a", 2<<20)+`"}`)}, wantStatus: 200, wantHits: []int{1, 1}, wantBody: "from b"},
		{name: "an unknown content coding", first: []http.HandlerFunc{status(200, `x`, "Content-Encoding", "br")}, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "an empty stream", first: []http.HandlerFunc{events()}, second: stream, stream: true, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "a stream whose first event is an error", first: []http.HandlerFunc{events(failed)}, second: stream, stream: true, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "a stream that errs after a role", first: []http.HandlerFunc{events(role, failed)}, second: stream, stream: true, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "a stream that ends after a role", first: []http.HandlerFunc{events(": ping\n\n", role)}, second: stream, stream: true, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "a stream that is reset after a role", first: []http.HandlerFunc{eventsThen(reset, role)}, second: stream, stream: true, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "a JSON error instead of a stream", first: []http.HandlerFunc{status(200, `{"error":{"message":"overloaded","code":503}}`)}, second: stream, stream: true, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
		{name: "HTML instead of a stream", first: []http.HandlerFunc{status(200, `<html>`, "Content-Type", "text/html")}, second: stream, stream: true, wantStatus: 200, wantHits: []int{2, 1}, wantBody: "from b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			second := c.second
			if second == nil {
				second = ok
			}
			h := gateway(t, c.opts, newUpstream(t, c.first...), newUpstream(t, second))
			body := question
			if c.stream {
				body = streamed
			}
			got := h.post(body)
			if got.StatusCode != c.wantStatus || !strings.Contains(got.body, c.wantBody) || got.err != nil {
				t.Errorf("client got %d %q (%v), want %d with %q", got.StatusCode, got.body, got.err, c.wantStatus, c.wantBody)
			}
			if !slices.Equal(h.hits(), c.wantHits) {
				t.Errorf("hits %v, want %v", h.hits(), c.wantHits)
			}
			remaining := h.cooldowns.Standing(h.target("a"), time.Now()).Remaining
			if c.cools != (remaining > 0) || c.cools && (remaining > c.coolsFor || remaining < c.coolsFor-5*time.Second) {
				t.Errorf("a cools for %v, want cools=%v for %v", remaining, c.cools, c.coolsFor)
			}
			class := signal.Total
			if c.stream {
				class = signal.TTFT
			}
			if blamed := h.board.Estimate(h.target("a").Signal, class, time.Now()).Failures > 0; blamed == c.noBlame && c.wantHits[0] == 1 {
				t.Errorf("a is blamed: %v, want %v", blamed, !c.noBlame)
			}
			h.checkQuiet()
		})
	}
}
