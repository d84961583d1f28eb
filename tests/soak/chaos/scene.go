package chaos

import (
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

const (
	mostWords = 12
	// bigWord and hugeWord are how large the words of huge answers are.
	bigWord, hugeWord = 64 << 10, 3 << 20
	// slowest is the longest pause between two words of a slow stream.
	slowest = 40 * time.Millisecond
)

// scene is one request being treated.
type scene struct {
	w      http.ResponseWriter
	r      *http.Request
	kind   string
	rng    *rand.Rand
	answer truth.Answer
	stream bool
	usage  bool
	gone   bool     // the proxy hung up
	raw    net.Conn // once the connection has been taken from the server
}

// play does what the kind says.
func (s *scene) play() {
	s.answer.Words = 1 + s.rng.IntN(mostWords)
	if s.kind == fault.Huge {
		s.answer.Words = 2
		s.answer.Padding = bigWord
		if s.rng.IntN(10) == 0 {
			s.answer.Padding = hugeWord
		}
	}
	switch status, message := refusal(s.kind); {
	case status != 0:
		s.refuse(status, message)
	case s.broken():
	case s.stream:
		s.events()
	default:
		s.whole()
	}
}

// refusal returns the status of the kinds that are one, and what the error says.
func refusal(kind string) (int, string) {
	switch kind {
	case fault.Status500:
		return 500, `{"error":{"message":%q,"type":"server_error","code":null,"param":null}}`
	case fault.Status502HTML:
		return 502, `<html><body><h1>502 Bad Gateway</h1><!-- %s --></body></html>`
	case fault.Status503:
		return 503, `{"error":{"message":%q,"type":"overloaded_error"}}`
	case fault.Status529:
		return 529, `{"type":"error","error":{"type":"overloaded_error","message":%q}}`
	case fault.Status408:
		return 408, `{"detail":%q}`
	case fault.Limit, fault.LimitSeconds, fault.LimitDate:
		return 429, `{"error":{"message":%q,"type":"rate_limit_error","code":"rate_limit_exceeded"}}`
	case fault.Unauthorized:
		return 401, `{"error":{"message":%q,"type":"invalid_request_error","code":"invalid_api_key"}}`
	case fault.Payment:
		return 402, `{"message":%q}`
	case fault.Forbidden:
		return 403, `{"error":%q}`
	case fault.Redirect:
		return 302, `<a href="http://127.0.0.1:1/">%s</a>`
	case fault.BadRequest:
		return 400, `{"error":{"message":%q,"type":"invalid_request_error","param":"temperature","code":"out_of_range"}}`
	}
	return 0, ""
}

// message is the text of every error; it says whose it is.
func (s *scene) message() string {
	return fmt.Sprintf("request %s failed at hit %d", s.answer.ID, s.answer.Hit)
}

func (s *scene) refuse(status int, body string) {
	h := s.w.Header()
	h.Set("Content-Type", "application/json")
	if strings.HasPrefix(body, "<") {
		h.Set("Content-Type", "text/html; charset=utf-8")
	}
	switch s.kind {
	case fault.Status503, fault.LimitSeconds:
		h.Set("Retry-After", "1")
	case fault.LimitDate:
		h.Set("Retry-After", time.Now().Add(time.Second).UTC().Format(http.TimeFormat))
	case fault.Redirect:
		h.Set("Location", "http://127.0.0.1:1/")
	}
	s.w.WriteHeader(status)
	s.say(fmt.Sprintf(body, s.message()))
}

// say writes to the proxy, and notes when it has gone.
func (s *scene) say(text string) bool {
	var to io.Writer = s.w
	if s.raw != nil {
		to = s.raw
	}
	if _, err := io.WriteString(to, text); err != nil {
		s.gone = true
	}
	return !s.gone
}

// flush pushes what was said to the proxy.
func (s *scene) flush() bool {
	if s.raw == nil && http.NewResponseController(s.w).Flush() != nil {
		s.gone = true
	}
	return !s.gone
}

// some is a random part of d.
func (s *scene) some(d time.Duration) time.Duration { return time.Duration(s.rng.Int64N(int64(d))) }

// stall waits until the proxy gives up.
func (s *scene) stall() {
	s.pause(stallLimit)
	s.gone = s.r.Context().Err() != nil
}

// pause waits, and reports whether the proxy is still there.
func (s *scene) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.r.Context().Done():
		s.gone = true
		return false
	}
}

// whole says an answer that is one JSON object.
func (s *scene) whole() {
	body := s.answer.Whole()
	h := s.w.Header()
	h.Set("Content-Type", "application/json")
	switch s.kind {
	case fault.Gzip:
		h.Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(s.w)
		if _, err := z.Write(body); err != nil {
			s.gone = true
		}
		z.Close()
		return
	case fault.Slow:
		if !s.pause(s.some(5 * slowest)) {
			return
		}
	case fault.Interim:
		s.w.WriteHeader(http.StatusEarlyHints)
	case fault.Chunked:
		half := s.rng.IntN(len(body))
		if !s.say(string(body[:half])) || !s.flush() {
			return
		}
		body = body[half:]
	}
	s.say(string(body))
}
