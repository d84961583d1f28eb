package provider

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOnlyListedHeadersReachTheCaller(t *testing.T) {
	src := http.Header{
		"Content-Type": {"application/json"}, "Openai-Processing-Ms": {"12"}, "Openai-Version": {"2020-10-01"}, "Retry-After": {"17"}, "Retry-After-Ms": {"16500"},
		"X-Should-Retry": {"false"}, "X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"}, "X-Ratelimit-Limit-Secret": {"1"},
		"Content-Length": {"5"}, "Content-Encoding": {"gzip"}, "Transfer-Encoding": {"chunked"}, "Trailer": {"X"}, "Connection": {"keep-alive, X-RateLimit-Limit-Secret, openai-version"},
		"Keep-Alive": {"timeout=5"}, "Upgrade": {"h2c"}, "Proxy-Authenticate": {"Basic"}, "Www-Authenticate": {"Bearer"}, "Set-Cookie": {"a=b"}, "Server": {"uvicorn"}, "Date": {"x"},
		"Openai-Organization": {"org"}, "X-Request-Id": {"theirs"}, "Location": {"http://169.254.169.254/"}, "Alt-Svc": {"h3"}, "Via": {"1.1 x"}, "Strict-Transport-Security": {"x"},
		"X-Sluice-Target": {"x"}, "Access-Control-Allow-Origin": {"*"},
	}
	want := http.Header{
		"X-Request-Id": {"ours"}, "Content-Type": {"application/json"}, "Openai-Processing-Ms": {"12"}, "Retry-After": {"17"}, "Retry-After-Ms": {"16500"}, "X-Should-Retry": {"false"},
		"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"},
	}
	got := http.Header{"X-Request-Id": {"ours"}}
	plain.ResponseHeaders(got, src)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		after, ms, date string
		want            time.Duration
	}{
		{"", "", "", 0},
		{"17", "", "", 17 * time.Second},
		{"17", "16500", "", 16500 * time.Millisecond},
		{"0.5", "", "", 500 * time.Millisecond},
		{"17", "x", "", 17 * time.Second},
		{"17", "-1", "", 17 * time.Second},
		{at(30 * time.Second), "", "", 30 * time.Second},
		{at(-30 * time.Second), "", "", 0},
		{at(30 * time.Second), "", at(20 * time.Second), 10 * time.Second},
		{at(30 * time.Second), "", "yesterday", 30 * time.Second},
		{"-5", "", "", 0}, {"0", "0", "", 0}, {"soon", "", "", 0}, {"NaN", "NaN", "", 0}, {"6m0s", "", "", 0},
		{"1e300", "", "", maxRetryAfter}, {"Inf", "", "", maxRetryAfter}, {"99999999999999999999", "", "", maxRetryAfter},
		{at(10 * 365 * 24 * time.Hour), "", "", maxRetryAfter},
	} {
		h := http.Header{}
		for name, v := range map[string]string{"Retry-After": c.after, "Retry-After-Ms": c.ms, "Date": c.date} {
			if v != "" {
				h.Set(name, v)
			}
		}
		if got := RetryAfter(h, now); got != c.want {
			t.Errorf("%v: got %v, want %v", h, got, c.want)
		}
	}
}
