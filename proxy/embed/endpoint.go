package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// DefaultTimeout bounds the embedding of one prompt: whoever waits for it has not begun to wait for the answer.
const DefaultTimeout = 3 * time.Second

// MaxDimension bounds the vectors that are taken; the largest models that embed have half of it.
const MaxDimension = 16_384

// path of the endpoint below a provider's base URL.
const path = "/embeddings"

// Settings say where and how texts are embedded.
type Settings struct {
	// Upstream is the provider whose credential, headers, TLS and connections are used.
	Upstream *core.Upstream
	// URL is the whole URL of the endpoint; empty: /embeddings below the provider's base URL.
	URL string
	// Model is the upstream's name of the model.
	Model string
	// Deployment: the URL names the model, as Azure's does, and the body does not.
	Deployment bool
	// Dimensions is how many the vectors are to have; 0: as many as the model gives.
	Dimensions int
	// Timeout bounds the call for one prompt; 0: DefaultTimeout.
	Timeout time.Duration
}

// Key names the vector of a text: the SHA-256 of what determines the vector, which is the endpoint's URL, the model,
// the dimensions and the text. It is the same on every node and in every version.
type Key [sha256.Size]byte

// Endpoint is a place where texts are embedded. It never changes.
type Endpoint struct {
	settings Settings
	url      *url.URL // with the credential, if it belongs there
	// identity hashes what determines a vector besides its text.
	identity [sha256.Size]byte
	// route hashes besides that what determines whether and how fast a call succeeds.
	route [sha256.Size]byte
}

// NewEndpoint returns the endpoint of those settings, and an error if no request could be sent to it.
func NewEndpoint(s Settings) (*Endpoint, error) {
	if s.Timeout == 0 {
		s.Timeout = DefaultTimeout
	}
	u, err := location(s)
	switch {
	case err != nil:
		return nil, err
	case s.Dimensions < 0 || s.Dimensions > MaxDimension:
		return nil, errors.New("dimensions must be between 0 and " + strconv.Itoa(MaxDimension))
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
func location(s Settings) (*url.URL, error) {
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
