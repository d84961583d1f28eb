package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// path of the endpoint below a provider's base URL.
const path = "/embeddings"

// Key names the vector of a text: the SHA-256 of what determines the vector, which is the endpoint's URL, the model,
// the dimensions and the text. It is the same on every node and in every version.
type Key [sha256.Size]byte

// Endpoint is a place where texts are embedded. It never changes.
type Endpoint struct {
	settings core.EmbeddingPolicy
	url      *url.URL // with the credential, if it belongs there
	// identity hashes what determines a vector besides its text.
	identity [sha256.Size]byte
	// route hashes besides that what determines whether and how fast a call succeeds.
	route [sha256.Size]byte
}

// NewEndpoint returns the endpoint of that policy, whose timeout is core.DefaultEmbeddingTimeout where it has none, and an
// error if no request could be sent to it.
func NewEndpoint(s core.EmbeddingPolicy) (*Endpoint, error) {
	if s.Timeout == 0 {
		s.Timeout = core.DefaultEmbeddingTimeout
	}
	u, err := location(s)
	switch {
	case err != nil:
		return nil, err
	case s.Dimensions < 0 || s.Dimensions > core.MaxDimensions:
		return nil, errors.New("dimensions must be between 0 and " + strconv.Itoa(core.MaxDimensions))
	case s.Timeout < 0:
		return nil, errors.New("timeout must not be negative")
	case s.Model == "" && !s.Deployment:
		return nil, errors.New("model must be named")
	}
	e := &Endpoint{settings: s, url: u}
	e.identity = digest("sluice embedding", u.String(), s.Model, strconv.FormatBool(s.Deployment), strconv.Itoa(s.Dimensions))
	e.route = e.hashRoute()
	if name := s.Upstream.Credential.Query; name != "" {
		e.url = withQuery(u, name, s.Upstream.Credential.Value.Reveal())
	}
	return e, nil
}

// location returns the URL without the credential.
func location(s core.EmbeddingPolicy) (*url.URL, error) {
	u := *s.Upstream.BaseURL
	if s.URL == "" {
		u.Path += path
		if u.RawPath != "" {
			u.RawPath += path
		}
	} else {
		given, err := url.Parse(s.URL)
		if err != nil {
			return nil, errors.New("endpoint is not a URL")
		}
		u = *given
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("endpoint must begin with http:// or https://")
	case u.Hostname() == "":
		return nil, errors.New("endpoint must name a host")
	case u.User != nil || u.Fragment != "":
		return nil, errors.New("endpoint must hold no user, password or fragment")
	}
	u.Host = strings.ToLower(u.Host)
	return &u, nil
}

func withQuery(u *url.URL, name, value string) *url.URL {
	with := *u
	if with.RawQuery != "" {
		with.RawQuery += "&"
	}
	with.RawQuery += url.QueryEscape(name) + "=" + url.QueryEscape(value)
	return &with
}

func (e *Endpoint) hashRoute() [sha256.Size]byte {
	up := e.settings.Upstream
	parts := []string{string(e.identity[:]), up.ID, up.Pool, up.Credential.Key, e.settings.Timeout.String()}
	for _, h := range up.Headers {
		parts = append(parts, h.Name, h.Value)
	}
	return digest(parts...)
}

// Key returns the name of the vector of text.
func (e *Endpoint) Key(text string) Key {
	return sha256.Sum256(append(e.identity[:len(e.identity):len(e.identity)], text...))
}

// owner is the name under which the nodes agree on who embeds the examples.
func (e *Endpoint) owner() signal.Key {
	return signal.Key(binary.BigEndian.Uint64(e.identity[:]))
}

// digest hashes the parts and where each of them ends.
func digest(parts ...string) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	h.Sum(sum[:0])
	return sum
}
