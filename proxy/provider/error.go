package provider

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// DecodeError turns an upstream's error answer into ours. The status is always kept; the message is found
// in any of the shapes that servers use, else it is the status's own text. The target's credential is
// struck from what the upstream says, and what it says about the credential (401) is not passed on.
func (d *Dialect) DecodeError(t *core.Target, status int, header http.Header, body []byte) apierror.Error {
	f := findFault(body)
	e := Strike(t, f.public(status))
	e.Header = d.errorHeader(header)
	e.RetryAfter = RetryAfter(header, time.Now())
	return e
}

// Strike removes the target's credential from what its upstream says; it has to pass every error of an
// upstream.
func Strike(t *core.Target, e apierror.Error) apierror.Error {
	for _, text := range []*string{&e.Message, &e.Code, &e.Param, &e.Type} {
		*text = strike(*text, t.Upstream.Credential)
	}
	return e
}

// StrikeData returns an event's data without the target's credential.
func StrikeData(t *core.Target, data []byte) []byte {
	if secret := bare(t.Upstream.Credential); len(secret) >= minSecret {
		return bytes.ReplaceAll(data, []byte(secret), []byte(struck))
	}
	return data
}

// ErrorInside turns an error inside a 200 into ours; its status is what the upstream says it is. Strike has
// yet to go over it.
func ErrorInside(data []byte) apierror.Error {
	f := findFault(data)
	return f.public(f.status())
}

// errorHeader picks what a caller that has to wait needs to know.
func (d *Dialect) errorHeader(src http.Header) http.Header {
	dst := make(http.Header)
	d.ResponseHeaders(dst, src)
	delete(dst, "Content-Type")
	return dst
}

// minSecret is the length below which a credential is a placeholder, and striking it would garble words.
const minSecret = 8

// struck stands in the place of a credential.
const struck = "[secret]"

// strike removes the secret from text, whether or not the header's scheme stands before it.
func strike(text string, c core.Credential) string {
	if secret := bare(c); len(secret) >= minSecret {
		return strings.ReplaceAll(text, secret, struck)
	}
	return text
}

// bare returns the secret without a scheme.
func bare(c core.Credential) string {
	secret := c.Value.Reveal()
	return secret[strings.LastIndexByte(secret, ' ')+1:]
}
