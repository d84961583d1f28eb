package ratelimit

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

var now = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func TestReadTakesWhatUpstreamsSayOfTheirLimits(t *testing.T) {
	limit := func(used float64, reset time.Duration) signal.Limit { return signal.Limit{Used: used, Reset: reset} }
	for name, tc := range map[string]struct {
		header http.Header
		want   signal.Quota
		said   bool
	}{
		"openai": {header(
			"x-ratelimit-limit-requests", "5000", "x-ratelimit-remaining-requests", "4000", "x-ratelimit-reset-requests", "20ms",
			"x-ratelimit-limit-tokens", "160000", "x-ratelimit-remaining-tokens", "40000", "x-ratelimit-reset-tokens", "6m0s",
		), signal.Quota{Requests: limit(0.2, 20*time.Millisecond), Tokens: limit(0.75, 6*time.Minute)}, true},
		"openai, requests only": {header("x-ratelimit-limit-requests", "10", "x-ratelimit-remaining-requests", "0", "x-ratelimit-reset-requests", "1s"),
			signal.Quota{Requests: limit(1, time.Second)}, true},
		"azure, in seconds": {header("x-ratelimit-limit-tokens", "100", "x-ratelimit-remaining-tokens", "50", "x-ratelimit-reset-tokens", "42"),
			signal.Quota{Tokens: limit(0.5, 42*time.Second)}, true},
		"azure, not counted": {header("x-ratelimit-limit-tokens", "-1", "x-ratelimit-remaining-tokens", "-1", "x-ratelimit-reset-tokens", "0"), signal.Quota{}, false},
		"groq": {header("x-ratelimit-limit-tokens", "6000", "x-ratelimit-remaining-tokens", "3000", "x-ratelimit-reset-tokens", "2m59.56s"),
			signal.Quota{Tokens: limit(0.5, 179560*time.Millisecond)}, true},
		"anthropic": {header(
			"anthropic-ratelimit-requests-limit", "50", "anthropic-ratelimit-requests-remaining", "49", "anthropic-ratelimit-requests-reset", "2026-03-04T05:06:08Z",
			"anthropic-ratelimit-tokens-limit", "100", "anthropic-ratelimit-tokens-remaining", "90", "anthropic-ratelimit-tokens-reset", "2026-03-04T05:06:10Z",
			"anthropic-ratelimit-input-tokens-limit", "80", "anthropic-ratelimit-input-tokens-remaining", "20", "anthropic-ratelimit-input-tokens-reset", "2026-03-04T05:06:37Z",
			"anthropic-ratelimit-output-tokens-limit", "20", "anthropic-ratelimit-output-tokens-remaining", "15", "anthropic-ratelimit-output-tokens-reset", "2026-03-04T05:06:09Z",
		), signal.Quota{Requests: limit(0.02, time.Second), Tokens: limit(0.75, 30*time.Second)}, true},
		"anthropic, whose clock is an hour ahead": {header(
			"date", "Wed, 04 Mar 2026 06:06:07 GMT", "anthropic-ratelimit-requests-limit", "50", "anthropic-ratelimit-requests-remaining", "25",
			"anthropic-ratelimit-requests-reset", "2026-03-04T07:06:19+01:00",
		), signal.Quota{Requests: limit(0.5, 12*time.Second)}, true},
		"a reset that has passed": {header("anthropic-ratelimit-requests-limit", "50", "anthropic-ratelimit-requests-remaining", "25",
			"anthropic-ratelimit-requests-reset", "2026-03-04T05:06:00Z"), signal.Quota{Requests: limit(0.5, 0)}, true},
		"untouched": {header("x-ratelimit-limit-requests", "10", "x-ratelimit-remaining-requests", "10"), signal.Quota{}, true},
		"no reset": {header("x-ratelimit-limit-requests", "10", "x-ratelimit-remaining-requests", "5"),
			signal.Quota{Requests: limit(0.5, time.Minute)}, true},
		"a reset in words": {header("x-ratelimit-limit-requests", "10", "x-ratelimit-remaining-requests", "5", "x-ratelimit-reset-requests", "soon"),
			signal.Quota{Requests: limit(0.5, time.Minute)}, true},
		"a reset as unix time": {header("x-ratelimit-limit-requests", "10", "x-ratelimit-remaining-requests", "5", "x-ratelimit-reset-requests", "1772600000"),
			signal.Quota{Requests: limit(0.5, time.Minute)}, true},
		"a negative reset": {header("x-ratelimit-limit-requests", "10", "x-ratelimit-remaining-requests", "5", "x-ratelimit-reset-requests", "-3s"),
			signal.Quota{Requests: limit(0.5, time.Minute)}, true},
		"overdrawn":           {header("x-ratelimit-limit-requests", "10", "x-ratelimit-remaining-requests", "-4", "x-ratelimit-reset-requests", "1s"), signal.Quota{Requests: limit(1, time.Second)}, true},
		"more than there is":  {header("x-ratelimit-limit-requests", "10", "x-ratelimit-remaining-requests", "40"), signal.Quota{}, true},
		"decimals":            {header("x-ratelimit-limit-requests", "10.0", "x-ratelimit-remaining-requests", "5.0", "x-ratelimit-reset-requests", "1s"), signal.Quota{Requests: limit(0.5, time.Second)}, true},
		"no limit":            {header("x-ratelimit-remaining-requests", "5", "x-ratelimit-reset-requests", "1s"), signal.Quota{}, false},
		"a limit of none":     {header("x-ratelimit-limit-requests", "0", "x-ratelimit-remaining-requests", "0"), signal.Quota{}, false},
		"not a number":        {header("x-ratelimit-limit-requests", "ten", "x-ratelimit-remaining-requests", "5"), signal.Quota{}, false},
		"NaN":                 {header("x-ratelimit-limit-requests", "NaN", "x-ratelimit-remaining-requests", "5"), signal.Quota{}, false},
		"of endless requests": {header("x-ratelimit-limit-requests", "Inf", "x-ratelimit-remaining-requests", "5"), signal.Quota{}, false},
		"nothing":             {header("content-type", "application/json"), signal.Quota{}, false},
	} {
		got, said := Read(tc.header, now)
		if said != tc.said || !close(got.Requests, tc.want.Requests) || !close(got.Tokens, tc.want.Tokens) {
			t.Errorf("%s: got %+v, %v; want %+v, %v", name, got, said, tc.want, tc.said)
		}
	}
}

func close(a, b signal.Limit) bool {
	return math.Abs(a.Used-b.Used) < 1e-9 && (a.Reset-b.Reset).Abs() < time.Millisecond
}

func FuzzRead(f *testing.F) {
	f.Add("10", "5", "1s")
	f.Add("1e300", "-1e300", "2026-03-04T05:06:00Z")
	f.Add("NaN", "Inf", "9999999h")
	f.Fuzz(func(t *testing.T, limit, remaining, reset string) {
		h := http.Header{}
		for _, n := range append(requests[:], tokens[:]...) {
			h[n.limit], h[n.remaining], h[n.reset] = []string{limit}, []string{remaining}, []string{reset}
		}
		q, _ := Read(h, now)
		for _, l := range []signal.Limit{q.Requests, q.Tokens} {
			if !(l.Used >= 0 && l.Used <= 1) || l.Reset < 0 {
				t.Errorf("%q of %q, reset %q: got %+v, want a share and a time that is not negative", remaining, limit, reset, l)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for name, h := range map[string]http.Header{
		"none": header("content-type", "application/json", "x-request-id", "req_1"),
		"openai": header(
			"x-ratelimit-limit-requests", "5000", "x-ratelimit-remaining-requests", "4000", "x-ratelimit-reset-requests", "20ms",
			"x-ratelimit-limit-tokens", "160000", "x-ratelimit-remaining-tokens", "40000", "x-ratelimit-reset-tokens", "6m0s",
		),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				Read(h, now)
			}
		})
	}
}
