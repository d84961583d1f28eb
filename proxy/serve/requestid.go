package serve

import (
	"crypto/rand"
	"net/http"
)

// maxRequestID is long enough for every tracing system's ids and too short to bloat a log.
const maxRequestID = 128

// requestID returns the caller's own id when it is one that may stand in a log, else a new one.
func requestID(h http.Header) string {
	if given := h["X-Request-Id"]; len(given) == 1 && validRequestID(given[0]) {
		return given[0]
	}
	return rand.Text()
}

func validRequestID(s string) bool {
	if s == "" || len(s) > maxRequestID || s == "." || s == ".." { // dots would lead elsewhere in the path of a decision
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
