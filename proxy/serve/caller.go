package serve

import (
	"crypto/sha256"
	"net/http"
	"strings"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// caller returns who sent the request; nil once it has been refused. An unknown, a disabled and an expired
// key get the same answer.
func (x *exchange) caller() *core.Caller {
	if x.state == nil {
		x.refuse(unavailable("The gateway has no configuration yet.", retryBusy))
		return nil
	}
	if key, ok := credential(x.r.Header); ok {
		if c, known := x.state.Caller(sha256.Sum256([]byte(key))); known && c.Valid(x.began) {
			x.key = c.ID
			return c
		}
	}
	x.refuse(apierror.Unauthorized())
	return nil
}

// credential returns the one key that the headers hold: "Authorization: Bearer KEY", X-Api-Key or Api-Key.
// It is not ok when there is none, or when two of them differ: which one counts would be a guess.
func credential(h http.Header) (string, bool) {
	key := ""
	take := func(k string, ok bool) bool {
		if !ok || k == "" || (key != "" && key != k) {
			return false
		}
		key = k
		return true
	}
	for _, v := range h["Authorization"] {
		if !take(bearer(v)) {
			return "", false
		}
	}
	for _, name := range [...]string{"X-Api-Key", "Api-Key"} {
		for _, v := range h[name] {
			if !take(v, true) {
				return "", false
			}
		}
	}
	return key, key != ""
}

func bearer(v string) (string, bool) {
	scheme, key, ok := strings.Cut(v, " ")
	return strings.TrimLeft(key, " "), ok && strings.EqualFold(scheme, "Bearer")
}
