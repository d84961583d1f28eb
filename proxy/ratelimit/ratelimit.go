package ratelimit

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// unsaid is until when a limit counts whose reset is not told, or not in a form that is known: limits are by the minute as
// a rule.
const unsaid = time.Minute

// names are the three headers of one limit, canonical.
type names struct{ limit, remaining, reset string }

var (
	requests = [...]names{
		{"X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
		{"Anthropic-Ratelimit-Requests-Limit", "Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
	}
	tokens = [...]names{
		{"X-Ratelimit-Limit-Tokens", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
		{"Anthropic-Ratelimit-Tokens-Limit", "Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
		{"Anthropic-Ratelimit-Input-Tokens-Limit", "Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
		{"Anthropic-Ratelimit-Output-Tokens-Limit", "Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset"},
	}
)

// Read returns what an answer's header says of its upstream's limits, now being when it came; of several limits on tokens
// the one that is used up most. Said is false when it says nothing, or nothing that makes sense.
func Read(h http.Header, now time.Time) (q signal.Quota, said bool) {
	q.Requests, said = tightest(h, requests[:], now)
	ofTokens, too := tightest(h, tokens[:], now)
	q.Tokens = ofTokens
	return q, said || too
}

func tightest(h http.Header, of []names, now time.Time) (l signal.Limit, said bool) {
	for i := range of {
		n := &of[i]
		limit, ok := number(h, n.limit)
		remaining, ok2 := number(h, n.remaining)
		if !ok || !ok2 || limit <= 0 { // Azure says -1 where it does not count
			continue
		}
		said = true
		if used := 1 - min(max(remaining/limit, 0), 1); used > l.Used {
			l = signal.Limit{Used: used, Reset: reset(h, n.reset, now)}
		}
	}
	return l, said
}

// number reads a count. Some upstreams write it as a decimal.
func number(h http.Header, name string) (float64, bool) {
	v := h[name]
	if len(v) == 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(v[0], 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// reset reads the time until a limit is full again: OpenAI's duration, such as 6m0s or 20ms, Azure's seconds, or
// Anthropic's moment, which is compared with the answer's own date: clocks differ.
func reset(h http.Header, name string, now time.Time) time.Duration {
	v := h[name]
	if len(v) == 0 {
		return unsaid
	}
	if d, err := time.ParseDuration(v[0]); err == nil && d >= 0 {
		return d
	}
	if s, err := strconv.ParseFloat(v[0], 64); err == nil && s >= 0 && s <= longest.Seconds() {
		return time.Duration(s * float64(time.Second))
	}
	at, err := time.Parse(time.RFC3339, v[0])
	if err != nil {
		return unsaid
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return max(at.Sub(now), 0)
}

// longest is the longest reset in seconds that is believed: a greater number is a date in disguise.
const longest = 31 * 24 * time.Hour
