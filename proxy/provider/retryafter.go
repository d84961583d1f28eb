package provider

import (
	"net/http"
	"strconv"
	"time"
)

const (
	retryAfterHeader   = "Retry-After"
	retryAfterMsHeader = "Retry-After-Ms"
)

// maxRetryAfter is where a wait stops to be an overflow and starts to be a long time.
const maxRetryAfter = 365 * 24 * time.Hour

// RetryAfter returns how long an upstream asks to be left alone: retry-after-ms, else Retry-After in
// seconds or as a date, which is taken against the upstream's own Date when it sends one, for its clock
// need not be ours. Zero means that it says nothing, or nothing that makes sense.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if d := wait(h.Get(retryAfterMsHeader), time.Millisecond); d > 0 {
		return d
	}
	v := h.Get(retryAfterHeader)
	if d := wait(v, time.Second); d > 0 {
		return d
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	if theirs, err := http.ParseTime(h.Get("Date")); err == nil {
		now = theirs
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

// wait reads a number of units, fractions included.
func wait(v string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n > 0) {
		return 0
	}
	return time.Duration(min(n*float64(unit), float64(maxRetryAfter)))
}
