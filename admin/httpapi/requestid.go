package httpapi

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"
)

const headerRequestID = "X-Request-Id"

// A caller's request id goes into logs, so only plain words of bounded length are taken.
var requestIDGrammar = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// withRequestID gives every answer the request id of its request, or one of its own.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(headerRequestID)
		if len(r.Header.Values(headerRequestID)) != 1 || !requestIDGrammar.MatchString(id) {
			id = newRequestID()
		}
		w.Header().Set(headerRequestID, id)
		next.ServeHTTP(w, r)
	})
}

func newRequestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return hex.EncodeToString(b[:])
}
