package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// role is what a token allows.
type role int

const (
	nobody role = iota
	viewer      // may read
	admin       // may read and write
)

// tokens are the known tokens, as digests: a comparison of digests tells nothing of a token by its time.
type tokens []grant

type grant struct {
	sum  [sha256.Size]byte
	role role
}

func newTokens(admins, viewers []string) (tokens, error) {
	var t tokens
	for _, token := range admins {
		t = append(t, grant{sha256.Sum256([]byte(token)), admin})
	}
	for _, token := range viewers {
		t = append(t, grant{sha256.Sum256([]byte(token)), viewer})
	}
	if len(admins) == 0 {
		return nil, errors.New("no admin token is configured")
	}
	for i, g := range t {
		if g.sum == sha256.Sum256(nil) {
			return nil, errors.New("an empty token is configured")
		}
		for _, other := range t[:i] {
			if other.sum == g.sum && other.role != g.role {
				return nil, errors.New("a token is configured for both roles")
			}
		}
	}
	return t, nil
}

// role returns what the request's one bearer token (RFC 6750) allows.
func (t tokens) role(h http.Header) role {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return nobody
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.TrimLeft(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return nobody
	}
	sum := sha256.Sum256([]byte(token))
	found := nobody
	for _, g := range t {
		if subtle.ConstantTimeCompare(sum[:], g.sum[:]) == 1 {
			found = g.role
		}
	}
	return found
}

// guard lets a request through to a route that is public or that its token allows. Paths that are not
// routed are guarded too, so that nobody can probe for them.
func (a *API) guard(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if a.public[c.Path()] {
			return next(c)
		}
		c.Response().Header().Set("Cache-Control", "no-store")
		switch granted := a.tokens.role(c.Request().Header); {
		case granted == nobody:
			c.Response().Header().Set("WWW-Authenticate", `Bearer realm="sluice-admin"`)
			return problem(http.StatusUnauthorized, "unauthenticated", "A valid token is needed", `send "Authorization: Bearer" and a token of this service`)
		case granted == viewer && !reads(c.Request().Method) && !a.reading[c.Path()]:
			return forbidden("a viewer may only read")
		}
		return next(c)
	}
}

func forbidden(detail string) *Problem {
	return problem(http.StatusForbidden, "forbidden", "The token does not allow this", detail)
}

func reads(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
